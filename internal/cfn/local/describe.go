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

// describe asks the functions behind a plan's custom resources what they take. Only
// programs that were built here and have this SDK in them are asked: another
// one might take the question for something else.
func describe(ctx context.Context, d *Deployment, plan *template.Plan, programs map[string]string) (map[string]*schema.Provider, []silence) {
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
			answers[program], refused[program] = askProgram(ctx, program, d.Env)
		}
		if err := refused[program]; err != nil {
			silent = append(silent, silence{function, err.Error()})
			continue
		}
		providers[function] = answers[program]
	}
	return providers, silent
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

// askProgram starts a program for one question.
func askProgram(ctx context.Context, program string, env map[string]string) (*schema.Provider, error) {
	ctx, cancel := context.WithTimeout(ctx, asks)
	defer cancel()
	h := host.New(ctx, host.Config{})
	defer h.Close()
	const arn = "arn:aws:lambda:us-east-1:123456789012:function:describe"
	if err := h.Add(host.Function{ARN: arn, Command: []string{program}, Env: env, Timeout: asks}); err != nil {
		return nil, err
	}
	result, err := h.Call(ctx, arn, []byte(schema.Question))
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("it has not answered within %s", asks)
	case err != nil:
		return nil, err
	}
	if result.Kind != host.Succeeded {
		var said struct{ ErrorMessage string }
		_ = json.Unmarshal(result.Payload, &said) // then it says nothing
		return nil, refusal(said.ErrorMessage)
	}
	return schema.ReadProvider(result.Payload)
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
	return fmt.Errorf("it was asked, and failed: %s", strings.ReplaceAll(message, "\n", "; "))
}
