// Package describe asks programs that were built here with this SDK what they say of
// themselves: the schemas of their resource types.
package describe

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/host"
	"github.com/cfnresource/sdk-go/internal/cfn/schema"
	"github.com/cfnresource/sdk-go/internal/cfn/template"
)

// timeout is how long a function that has no other may take to describe itself.
const timeout = 10 * time.Second

// A Silent function is one that does not describe itself, and why.
type Silent struct{ Function, Why string }

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
// only programs that were built here with this SDK: another one might take the
// question for an event. One that is not configured as it must be is a
// *ConfigurationError.
func Functions(ctx context.Context, plan *template.Plan, programs, variables map[string]string) (map[string]*schema.Provider, []Silent, error) {
	providers, silent := map[string]*schema.Provider{}, []Silent{}
	answers := map[string]*schema.Provider{} // by program
	refused := map[string]error{}
	functions := map[string]bool{}
	for _, c := range plan.Customs {
		functions[c.Function] = true
	}
	for _, function := range slices.Sorted(maps.Keys(functions)) {
		// Only a program that will not take the question for an event is asked.
		program := programs[function]
		switch {
		case function == "":
			continue
		case program == "":
			silent = append(silent, Silent{function, "it is not built here"})
			continue
		case !hasSDK(program):
			silent = append(silent, Silent{function, "it is not made with this SDK"})
			continue
		}

		// Each program is asked once.
		if answers[program] == nil && refused[program] == nil {
			env := maps.Clone(variables)
			if env == nil {
				env = map[string]string{}
			}
			for name, value := range knownVariables(plan, function) {
				if _, set := env[name]; !set {
					env[name] = value
				}
			}
			answers[program], refused[program] = requestProvider(ctx, host.Function{Command: []string{program}, Env: env})
		}
		if wrong, ok := errors.AsType[notConfiguredError](refused[program]); ok {
			return nil, nil, &ConfigurationError{function, string(wrong)}
		}
		if err := refused[program]; err != nil {
			silent = append(silent, Silent{function, err.Error()})
			continue
		}
		providers[function] = answers[program]
	}
	return providers, silent, nil
}

// knownVariables returns a function's environment variables whose values are known.
func knownVariables(plan *template.Plan, function string) map[string]string {
	for _, f := range plan.Functions {
		if f.LogicalID == function {
			return f.Known
		}
	}
	return nil
}

const sdk = "github.com/cfnresource/sdk-go"

// hasSDK reports whether a Go program was built with this SDK.
func hasSDK(program string) bool {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return false
	}
	if info.Main.Path == sdk {
		return true
	}
	for _, dep := range info.Deps {
		if dep.Path == sdk {
			return true
		}
	}
	return false
}

// requestProvider asks a custom resource's function to describe itself.
func requestProvider(ctx context.Context, f host.Function) (*schema.Provider, error) {
	answer, err := requestDescription(ctx, f)
	if err != nil {
		return nil, err
	}
	return schema.ReadProvider(answer)
}

// requestDescription starts a function, asks it to describe itself, and stops it.
func requestDescription(ctx context.Context, f host.Function) (json.RawMessage, error) {
	f.ARN, f.Timeout = "arn:aws:lambda:us-east-1:123456789012:function:describe", cmp.Or(f.Timeout, timeout)
	ctx, cancel := context.WithTimeout(ctx, f.Timeout)
	defer cancel()
	h := host.New(ctx, host.Config{})
	defer h.Close()
	if err := h.Add(f); err != nil {
		return nil, err
	}
	result, err := h.Call(ctx, f.ARN, []byte(schema.Question))
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("it has not answered within %s", f.Timeout)
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

// describeError turns the error message of a function that failed to describe
// itself into an error.
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
