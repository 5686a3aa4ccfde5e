package describe

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/cfnresource/sdk-go/internal/cfn/host"
)

var errSilent = errors.New("its function does not describe itself: set Schema in registry.Options, or give the schema's file with --type-schema")

// Schema asks a function for the schema of its type.
func Schema(ctx context.Context, f host.Function) (json.RawMessage, error) {
	answer, err := requestDescription(ctx, f)
	if err != nil {
		return nil, err
	}
	var read struct {
		ResourceTypes []struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"resourceTypes"`
	}
	if err := json.Unmarshal(answer, &read); err != nil || len(read.ResourceTypes) != 1 {
		return nil, errSilent
	}
	return read.ResourceTypes[0].Schema, nil
}
