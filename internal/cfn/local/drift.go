package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/host"
	"github.com/cfnresource/sdk-go/internal/cfn/schema"
	"github.com/cfnresource/sdk-go/internal/cfn/template/secret"
)

// A Drift is how a resource differs from its template, with the API's names.
type Drift struct {
	LogicalResourceId, PhysicalResourceId, ResourceType string
	StackResourceDriftStatus                            string               // IN_SYNC, MODIFIED, DELETED or NOT_CHECKED
	PropertyDifferences                                 []PropertyDifference `json:",omitempty"`
	Reason                                              string               `json:",omitempty"` // why it was not checked
}

// A PropertyDifference is a property that differs from the template. Values are
// JSON; secrets are hidden.
type PropertyDifference struct {
	PropertyPath, ExpectedValue, ActualValue, DifferenceType string
}

// Drifted reports whether the resource differs from the template.
func (d *Drift) Drifted() bool {
	return d.StackResourceDriftStatus == "MODIFIED" || d.StackResourceDriftStatus == "DELETED"
}

// Drift is DetectStackDrift: each resource of a registered type is read and
// compared with the properties that the stack was last deployed with. Nothing is
// kept of it.
func (h *Home) Drift(ctx context.Context, name string, s Settings) (all []Drift, err error) {
	err = h.reading(ctx, name, s, func(r *run) error {
		for _, stack := range r.record.Stack.All() {
			for _, res := range stack.Resources {
				if res.Gone || res.PhysicalID == "" {
					continue
				}
				d, err := r.drift(ctx, stack, res)
				if err != nil {
					return err
				}
				all = append(all, d)
			}
		}
		return nil
	})
	return all, err
}

// reading calls do with a run on a stack at rest, which do must not change.
func (h *Home) reading(ctx context.Context, name string, s Settings, do func(*run) error) (err error) {
	lock, err := h.store.Lock(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	record, err := h.Stack(name)
	switch {
	case err != nil:
		return err
	case Deleted(record.Stack):
		return fmt.Errorf("%w: %s", ErrNoStack, name)
	case !record.Stack.AtRest():
		return fmt.Errorf("%w: the stack %s is in %s", ErrMoving, name, record.Stack.Status)
	}
	if record.Deployments, err = s.Around.applyTo(record.Deployments); err != nil {
		return err
	}
	r := &run{home: h, record: record, lock: lock, watcher: &serialWatcher{to: s.Watcher}, commands: make(chan string)}
	stop, err := r.startServices(ctx, name)
	if err != nil {
		return err
	}
	defer stop()
	r.host = newLambda(ctx, host.Config{}, r.watcher)
	defer r.host.Close()
	return do(r)
}

func (r *run) drift(ctx context.Context, stack *engine.Stack, res *engine.StackResource) (Drift, error) {
	d := Drift{LogicalResourceId: stack.PathOf(res.LogicalID), PhysicalResourceId: res.PhysicalID, ResourceType: res.Type, StackResourceDriftStatus: "NOT_CHECKED"}
	of := r.record.deploymentOfType(res.Type)
	if of == nil {
		d.Reason = "it is of no registered type that is played"
		return d, nil
	}
	model, s, err := r.readResource(ctx, res.Type, stack, res.LogicalID, res.PhysicalID)
	if failed, ok := errors.AsType[*engine.HandlerError](err); ok {
		if failed.Code == "NotFound" {
			d.StackResourceDriftStatus = "DELETED"
		} else {
			d.Reason = hideIn(failed.Error(), r.record.Secrets())
		}
		return d, nil
	}
	switch {
	case errors.Is(err, errNoRead):
		d.Reason = errNoRead.Error()
		return d, nil
	case err != nil:
		return d, err
	}
	d.StackResourceDriftStatus = "IN_SYNC"
	d.PropertyDifferences = shownDifferences(s, res.Properties.Exact(), model, r.record.secretPaths(stack, res.LogicalID), r.record.Secrets())
	if len(d.PropertyDifferences) > 0 {
		d.StackResourceDriftStatus = "MODIFIED"
	}
	return d, nil
}

// shownDifferences are those of a resource from its template, as they can be shown.
func shownDifferences(s *schema.Schema, properties, model map[string]any, paths []secret.Path, secrets []string) (all []PropertyDifference) {
	placed := make([]secret.Path, len(paths)) // a plan keeps its own
	for i, path := range paths {
		placed[i] = s.Placed(path)
	}
	for _, found := range s.Differences(properties, model) {
		all = append(all, shownDifference(found, placed, secrets))
	}
	return all
}

var errNoRead = errors.New("its schema has no read among its handlers")

// readResource reads a resource of a registered type. An error of its handler is an
// *engine.HandlerError.
func (r *run) readResource(ctx context.Context, name string, stack *engine.Stack, logicalID, physicalID string) (map[string]any, *schema.Schema, error) {
	s, t, err := r.record.deploymentOfType(name).Types[name].read(name)
	if err != nil {
		return nil, nil, &TypeError{name, err}
	}
	if _, has := s.Handlers["read"]; !has {
		return nil, s, &TypeError{name, errNoRead}
	}
	p := r.record.registered(name)
	if err := r.host.deploy(p); err != nil {
		return nil, s, &TypeError{name, err}
	}
	r.reads++
	q := t.ReadRequest(stack, logicalID, physicalID, "read-"+strconv.Itoa(r.reads))
	limited, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	result, err := r.host.Call(limited, p.arn, q.Event(""))
	switch {
	case ctx.Err() != nil:
		return nil, s, context.Cause(ctx)
	case limited.Err() != nil:
		return nil, s, &engine.HandlerError{Code: "HandlerInternalFailure", Message: "a READ is to be answered within " + readTimeout.String()}
	case err != nil:
		return nil, s, err
	}
	model, err := t.Read(q, answerOf(result))
	return model, s, err
}

// secretPaths are where a resource's properties hold what was made of parameters
// with NoEcho.
func (r *Record) secretPaths(s *engine.Stack, logicalID string) (all []secret.Path) {
	for _, d := range r.deployments(s) {
		if plan, err := d.Plan(s); err == nil { // it was read when it was deployed
			all = append(all, plan.Secrets[logicalID]...)
		}
	}
	return all
}

// shownDifference hides what is secret: at or under a path of one, or above it.
func shownDifference(d schema.Difference, paths []secret.Path, secrets []string) PropertyDifference {
	shown := PropertyDifference{d.Path, string(HideValues([]byte(d.Expected), secrets)), string(HideValues([]byte(d.Actual), secrets)), d.Type()}
	at := strings.Split(strings.TrimPrefix(d.Path, "/"), "/")
	for i, step := range at {
		at[i] = unescaped.Replace(step)
	}
	for _, path := range paths {
		if n := min(len(at), len(path)); slices.Equal(at[:n], path[:n]) {
			shown.ExpectedValue, shown.ActualValue = hidden, hidden
		}
	}
	return shown
}

// unescaped are the names of a JSON pointer as they are.
var unescaped = strings.NewReplacer("~1", "/", "~0", "~")
