package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// By its code the dispatcher knows what to try again.
func TestErrorsHaveCodes(t *testing.T) {
	for state, want := range map[string]cfnresource.Code{
		"55006": cfnresource.CodeResourceConflict, // DROP DATABASE of one that is in use
		"40P01": cfnresource.CodeResourceConflict,
		"53300": cfnresource.CodeThrottling,
		"53100": cfnresource.CodeServiceInternalError, // disk full
		"57P03": cfnresource.CodeServiceInternalError,
		"XX000": cfnresource.CodeServiceInternalError,
		"08006": cfnresource.CodeNetworkFailure,
		"28P01": cfnresource.CodeInvalidCredentials,
		"42501": cfnresource.CodeAccessDenied,
		"42939": cfnresource.CodeInvalidRequest,
		"22021": cfnresource.CodeInvalidRequest,
		"42P04": cfnresource.CodeGeneralServiceException, // never AlreadyExists: half of it may be made
		"":      cfnresource.CodeGeneralServiceException,
	} {
		if got := cfnresource.CodeOf(coded(fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: state}))); got != want {
			t.Errorf("%s has code %q, want %q", state, got, want)
		}
	}
	for _, err := range []error{io.ErrUnexpectedEOF, net.ErrClosed, &net.OpError{Op: "read", Err: errors.New("reset")}} {
		if got := cfnresource.CodeOf(coded(err)); got != cfnresource.CodeNetworkFailure {
			t.Errorf("%v has code %q", err, got)
		}
	}
	if err := coded(fmt.Errorf("timeout: %w", context.DeadlineExceeded)); cfnresource.CodeOf(err) != "" || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the end of the handler's time is %v", err)
	}
	if coded(nil) != nil || cfnresource.CodeOf(coded(errors.New("x"))) != "" {
		t.Error("an error got a code from nowhere")
	}
}

func TestAServerThatIsNotThereIsANetworkFailure(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close()
	s := &server{
		secret: func(context.Context) (secret, error) {
			return secret{Host: "127.0.0.1", Port: port, Username: "u", Password: "hunter22", Key: testKey}, nil
		},
		connect: connect,
	}
	_, err = s.open(t.Context(), "x", "m")
	if cfnresource.CodeOf(err) != cfnresource.CodeNetworkFailure || err == nil || strings.Contains(err.Error(), "hunter22") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.open(ctx, "x", "m"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want one that wraps the context's", err)
	}
}

func TestTheDetailOfWhatDependsOnARoleIsTold(t *testing.T) {
	err := coded(&pgconn.PgError{Code: "2BP01", Message: "cannot be dropped", Detail: "owner of database other"})
	if got, want := err.Error(), "PostgreSQL: : cannot be dropped (SQLSTATE 2BP01): owner of database other"; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
}

var _ conn = (*pgx.Conn)(nil)
