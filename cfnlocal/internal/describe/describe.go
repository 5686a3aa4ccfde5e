// Package describe asks programs that were built with this SDK what they say of
// themselves: the schemas of their resource types.
package describe

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
)

// timeout is how long a function that has no other may take to describe itself.
const timeout = 10 * time.Second

// A ConfigurationError is a function that can answer no request because of a
// mistake in the program, as in a tag, such as cfn:"createonly".
type ConfigurationError struct{ Function, Text string }

func (e *ConfigurationError) Error() string { return e.Function + ": " + e.Text }

// A notConfiguredError is an error message that begins with notConfigured.
type notConfiguredError string

func (e notConfiguredError) Error() string { return string(e) }

const notConfigured = "the function is not configured as it must be: "

// Functions asks the functions of a plan's custom resources which properties they
// accept, with variables in their environment beside those of the template. It asks
// only programs that were built with this SDK: another one might take the question
// for an event. silent says of each function that does not describe itself
// why. One that is not configured as it must be is a *ConfigurationError.
func Functions(ctx context.Context, plan *template.Plan, programs map[string]Program, variables map[string]string) (providers map[string]*schema.Provider, silent []string, err error) {
	providers = map[string]*schema.Provider{}
	answers, refused := map[string]*schema.Provider{}, map[string]error{} // by program
	functions := map[string]bool{}
	for _, c := range plan.Customs {
		functions[c.Function] = true
	}
	delete(functions, "")
	for _, function := range slices.Sorted(maps.Keys(functions)) {
		// Each program is asked once.
		asked := programs[function]
		program := strings.Join(asked.command, " ")
		if answers[program] == nil && refused[program] == nil {
			env := map[string]string{}
			for _, f := range plan.Functions {
				if f.LogicalID == function {
					maps.Copy(env, f.Known)
				}
			}
			maps.Copy(env, variables)
			answers[program], refused[program] = requestProvider(ctx, asked, env)
		}
		if wrong, ok := errors.AsType[notConfiguredError](refused[program]); ok {
			return nil, nil, &ConfigurationError{function, string(wrong)}
		}
		if err := refused[program]; err != nil {
			silent = append(silent, "the function "+function+" does not describe itself: "+err.Error())
			continue
		}
		providers[function] = answers[program]
	}
	return providers, silent, nil
}

// requestProvider asks a program to describe itself, if it will not take the question for an event.
func requestProvider(ctx context.Context, p Program, env map[string]string) (*schema.Provider, error) {
	if why := p.refused(); why != "" {
		return nil, errors.New(why)
	}
	answer, err := requestDescription(ctx, host.Function{Command: p.command, Dir: p.dir, Env: env})
	if err != nil {
		return nil, err
	}
	return schema.ReadProvider(answer)
}

// requestDescription starts a function, asks it to describe itself, and stops it.
func requestDescription(ctx context.Context, f host.Function) (json.RawMessage, error) {
	f.ARN, f.Timeout = "arn:aws:lambda:us-east-1:123456789012:function:describe", cmp.Or(f.Timeout, timeout)
	limit := host.Allow(f.Timeout)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	h := host.New(ctx, host.Config{})
	defer h.Close()
	if err := h.Add(f); err != nil {
		return nil, err
	}
	result, err := h.Call(ctx, f.ARN, []byte(schema.Question))
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("it has not answered within %s", limit)
	case err != nil:
		return nil, err
	}
	if result.Kind != host.Succeeded {
		var said struct{ ErrorMessage string }
		_ = json.Unmarshal(result.Payload, &said) // then it says nothing
		return nil, describeError(said.ErrorMessage)
	}
	return result.Payload, nil
}

// describeError turns the error message of a function that failed to describe itself into an error.
func describeError(message string) error {
	const most = 500
	switch {
	case strings.Contains(message, "no ResponseURL"):
		return errors.New("pass schema.Describe to cfnresource.New or NewDispatcher")
	case len(message) > most:
		message = strings.ToValidUTF8(message[:most], "") + "…"
	}
	message = strings.ReplaceAll(message, "\n", "; ")
	if strings.HasPrefix(message, notConfigured) {
		return notConfiguredError(message)
	}
	return errors.New("it was asked, and failed: " + message)
}

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
