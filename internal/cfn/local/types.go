package local

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/host"
	"github.com/cfnresource/sdk-go/internal/cfn/schema"
)

// A Type is a registered resource type whose handlers run here.
type Type struct {
	// Command is what runs its handlers, or the directory of their Go program.
	Command string
	// File has its schema, if it is not asked for: absolute.
	File string `json:",omitempty"`
	// Schema is the schema at the time of the deployment.
	Schema json.RawMessage `json:",omitempty"`
}

// A TypeError is a registered type that cannot be used here.
type TypeError struct {
	Type string
	Err  error
}

func (e *TypeError) Error() string { return "the type " + e.Type + ": " + e.Err.Error() }

// Unwrap is what is wrong.
func (e *TypeError) Unwrap() error { return e.Err }

// How long CloudFormation waits for one answer [D].
const (
	changeTimeout = 60 * time.Second
	readTimeout   = 30 * time.Second
)

// sourceOf is the directory of a type's Go program, or "" if a command runs it.
func (d *Deployment) sourceOf(name string) string {
	dir := d.Types[name].Command
	if dir != "" && !filepath.IsAbs(dir) {
		dir = filepath.Join(d.Dir, dir)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

// readTypes reads the schemas of a deployment's types from their files, or else
// asks their functions.
func (d *Deployment) readTypes(ctx context.Context, programs map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(d.Types)) {
		t := d.Types[name]
		var err error
		if t.File != "" {
			t.Schema, err = os.ReadFile(t.File)
		} else {
			t.Schema, err = requestSchema(ctx, d.functionOf(name, programs))
		}
		if err == nil {
			_, _, err = t.read(name)
		}
		if err != nil {
			return &TypeError{name, err}
		}
		d.Types[name] = t
	}
	return nil
}

// read parses the schema, which must be that of the named type.
func (t Type) read(name string) (*schema.Schema, *engine.ResourceType, error) {
	s, err := schema.Read(t.Schema)
	if err != nil {
		return nil, nil, err
	}
	if s.TypeName != name {
		return nil, nil, fmt.Errorf("the schema is that of %s", s.TypeName)
	}
	played, err := s.Registered()
	return s, played, err
}

var errSilent = errors.New("its function does not describe itself: set Schema in registry.Options, or give the schema's file with --type-schema")

// requestSchema asks a function for the schema of its type.
func requestSchema(ctx context.Context, f host.Function) (json.RawMessage, error) {
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

// functionOf is what runs the handlers of a type.
func (d *Deployment) functionOf(name string, programs map[string]string) host.Function {
	f := host.Function{ARN: "arn:aws:lambda:us-east-1:123456789012:function:" + functionName(name), Dir: d.Dir, Env: maps.Clone(d.Env), Timeout: changeTimeout}
	if program := programs[name]; program != "" {
		f.Command = []string{program}
	} else {
		f.Command = shell(d.Types[name].Command)
	}
	return f
}

func functionName(typeName string) string {
	return "registered-" + strings.ReplaceAll(typeName, "::", "-")
}

// deploymentOfType returns the newest deployment that has the type, or nil. It does
// not change while an update is rolled back.
func (r *Record) deploymentOfType(name string) *Deployment {
	for _, d := range []*Deployment{r.Next, r.Deployments[r.Stack.Target], r.Deployments[r.Stack.Stable]} {
		if d != nil && d.Types[name].Schema != nil {
			return d
		}
	}
	return nil
}

// types returns the registered types whose handlers run here, by name.
func (r *Record) types() (map[string]*engine.ResourceType, error) {
	all := map[string]*engine.ResourceType{}
	for _, d := range []*Deployment{r.Next, r.Deployments[r.Stack.Target], r.Deployments[r.Stack.Stable]} {
		if d == nil {
			continue
		}
		for name := range d.Types {
			if all[name] != nil || r.deploymentOfType(name) != d {
				continue
			}
			_, t, err := d.Types[name].read(name)
			if err != nil {
				return nil, &TypeError{name, err}
			}
			all[name] = t
		}
	}
	return all, nil
}

// registered is what runs a type's handlers.
func (r *Record) registered(name string) *provider {
	p := &provider{names: map[string]string{functionName(name): name}, forbidden: map[string]bool{}}
	d := r.deploymentOfType(name)
	if d == nil {
		p.reason = "The type " + name + " has no function here: give its command with --type " + name + "=COMMAND"
		return p
	}
	f := d.functionOf(name, r.programs[d.Revision])
	p.arn, p.functions = f.ARN, []host.Function{f}
	return p
}

// call calls the handler of a registered type, and passes its answer on.
func (d *delivery) call() error {
	r, q := d.run, &d.request
	result, err := r.host.Call(r.ctx, d.provider.arn, q.Event(""))
	if err != nil {
		return err
	}
	waitedFor, err := r.live.Answer(q.RequestID, answerOf(result))
	if err == nil && !waitedFor {
		r.watcher.Note("the answer to the request about " + d.name + " came when nobody waited for it: it is ignored, and what its handler did is not undone")
	}
	return err
}

// answerOf returns the answer that a call came to: a call without one failed [I].
func answerOf(result host.Result) []byte {
	if result.Kind == host.Succeeded {
		return result.Payload
	}
	var said struct{ ErrorMessage string }
	_ = json.Unmarshal(result.Payload, &said) // then it says nothing
	body, _ := json.Marshal(map[string]string{"status": "FAILED", "errorCode": "HandlerInternalFailure",
		"message": hideSignature(cmp.Or(said.ErrorMessage, string(result.Kind)))}) // strings always can be
	return body
}
