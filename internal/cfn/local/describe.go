package local

import (
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

// asks is how long a function may take to describe itself.
const asks = 10 * time.Second

// A silence is why a function does not describe itself.
type silence struct{ function, why string }

// A ConfigurationError is a function that can answer no request because of a
// mistake in the program, as in a tag, such as cfn:"createonly".
type ConfigurationError struct{ Function, Text string }

func (e *ConfigurationError) Error() string { return e.Function + ": " + e.Text }

// notConfiguredError is a refusal that says so, which it begins with.
type notConfiguredError string

func (e notConfiguredError) Error() string { return string(e) }

const notConfigured = "the function is not configured as it must be: "

// describe asks the functions behind a plan's custom resources what they take. Only
// programs that were built here and have this SDK in them are asked: another
// one might take the question for something else.
func describe(ctx context.Context, d *Deployment, plan *template.Plan, programs map[string]string) (map[string]*schema.Provider, []silence, error) {
	providers, silent := map[string]*schema.Provider{}, []silence{}
	answers := map[string]*schema.Provider{} // by program
	refused := map[string]error{}
	behind := map[string]bool{}
	for _, c := range plan.Customs {
		behind[c.Function] = true
	}
	for _, function := range slices.Sorted(maps.Keys(behind)) {
		program := programs[function]
		switch {
		case function == "":
			continue
		case program == "":
			silent = append(silent, silence{function, "it is not built here"})
			continue
		case !hasSDK(program):
			silent = append(silent, silence{function, "it is not made with this SDK"})
			continue
		}
		if answers[program] == nil && refused[program] == nil {
			env := merged(knownOf(plan, function), d.Env)
			answers[program], refused[program] = askProgram(ctx, host.Function{Command: []string{program}, Env: env, Timeout: asks})
		}
		if wrong, ok := errors.AsType[notConfiguredError](refused[program]); ok {
			return nil, nil, &ConfigurationError{function, string(wrong)}
		}
		if err := refused[program]; err != nil {
			silent = append(silent, silence{function, err.Error()})
			continue
		}
		providers[function] = answers[program]
	}
	return providers, silent, nil
}

// knownOf are the variables of a function that are known.
func knownOf(plan *template.Plan, function string) map[string]string {
	for _, f := range plan.Functions {
		if f.LogicalID == function {
			return f.Known
		}
	}
	return nil
}

const sdk = "github.com/cfnresource/sdk-go"

// hasSDK reports whether a Go program has this SDK in it.
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

// askProgram asks a function of custom resources.
func askProgram(ctx context.Context, f host.Function) (*schema.Provider, error) {
	answer, err := askFunction(ctx, f)
	if err != nil {
		return nil, err
	}
	return schema.ReadProvider(answer)
}

// askFunction starts a function for one question.
func askFunction(ctx context.Context, f host.Function) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, f.Timeout)
	defer cancel()
	h := host.New(ctx, host.Config{})
	defer h.Close()
	f.ARN = "arn:aws:lambda:us-east-1:123456789012:function:describe"
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
		return nil, refusal(said.ErrorMessage)
	}
	return result.Payload, nil
}

// refusal is what a function says that was asked in vain.
func refusal(message string) error {
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
