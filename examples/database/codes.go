package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// coded gives an error of PostgreSQL's the code by which the dispatcher knows
// what to try again. ("PostgreSQL Error Codes" in its documentation.)
func coded(err error) error {
	var refused *pgconn.PgError
	var unreachable *pgconn.ConnectError
	var network net.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		if refused.Detail == "" || refused.Code != "2BP01" {
			return cfnresource.Errorf(codeOf(refused.Code), "PostgreSQL: %w", err)
		}
		return cfnresource.Errorf(codeOf(refused.Code), "PostgreSQL: %w: %s", err, refused.Detail) // what depends on a role
	case errors.As(err, &unreachable):
		return cfnresource.Errorf(cfnresource.CodeNetworkFailure, "PostgreSQL: %w", err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("PostgreSQL: %w", err) // the handler's own time is over
	case errors.As(err, &network), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return cfnresource.Errorf(cfnresource.CodeNetworkFailure, "PostgreSQL: %w", err)
	}
	return err
}

func codeOf(state string) cfnresource.Code {
	switch state {
	case "55006", "55P03", "40001", "40P01": // in use, locked, serialization failure, deadlock
		return cfnresource.CodeResourceConflict
	case "53300": // too many connections
		return cfnresource.CodeThrottling
	case "57P01", "57P02", "57P03": // shuts down, crashed, starts up
		return cfnresource.CodeServiceInternalError
	case "42501":
		return cfnresource.CodeAccessDenied
	case "42939": // a name that the server keeps for itself
		return cfnresource.CodeInvalidRequest
	}
	switch state[:min(2, len(state))] {
	case "08":
		return cfnresource.CodeNetworkFailure
	case "22":
		return cfnresource.CodeInvalidRequest
	case "28":
		return cfnresource.CodeInvalidCredentials
	case "53", "XX":
		return cfnresource.CodeServiceInternalError
	}
	return cfnresource.CodeGeneralServiceException
}

// exists reports that a name is taken. The second is what two that take it at the same moment get.
func exists(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && slices.Contains([]string{"42710", "23505"}, refused.Code)
}
