package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
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

// readTimeout is how long CloudFormation waits for the answer to a READ [D].
const readTimeout = 30 * time.Second

// Drift is DetectStackDrift: each resource of a registered type is read and compared with the
// properties that the stack was last deployed with. Drift saves nothing, and starts nothing if no
// resource can be read.
func (h *Home) Drift(ctx context.Context, name string, s Settings) (all []Drift, err error) {
	err = h.reading(ctx, name, s, func(o *operation) error {
		for _, stack := range o.record.Stack.All() {
			for _, res := range stack.Resources {
				if res.Gone || res.PhysicalID == "" {
					continue
				}
				d, err := o.drift(ctx, stack, res)
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

// reading calls do with an operation on a stack at rest, which do must not change.
func (h *Home) reading(ctx context.Context, name string, s Settings, do func(*operation) error) (err error) {
	lock, err := h.store.Lock(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	kept, err := h.Stack(name)
	switch {
	case err != nil:
		return err
	case kept.Stack.Deleted():
		return fmt.Errorf("%w: %s", ErrNoStack, name)
	case !kept.Stack.AtRest():
		return movingError(kept.Stack)
	}
	if kept.Revisions, err = s.Override.Apply(kept.Revisions); err != nil {
		return err
	}
	o := newOperation(h, kept, lock, s)
	if !o.reads() {
		return do(o)
	}
	var started unwinding
	defer func() { err = errors.Join(err, started.run()) }()
	if err := o.start(ctx, &started); err != nil {
		return err
	}
	o.host = newLambda(ctx, host.Config{}, o.watcher)
	defer o.host.Close()
	return do(o)
}

// reads reports whether a handler can be asked for a resource of the stack. It is also true if a
// type's schema cannot be read, which readResource reports.
func (o *operation) reads() bool {
	for _, stack := range o.record.Stack.All() {
		for _, res := range stack.Resources {
			rev := o.record.RevisionOfType(res.Type)
			if rev == nil || res.Gone || res.PhysicalID == "" {
				continue
			}
			s, _, err := rev.Types[res.Type].Read(res.Type)
			if err != nil {
				return true
			}
			if _, has := s.Handlers["read"]; has {
				return true
			}
		}
	}
	return false
}

func (o *operation) drift(ctx context.Context, stack *engine.Stack, res *engine.StackResource) (Drift, error) {
	d := Drift{LogicalResourceId: stack.PathOf(res.LogicalID), PhysicalResourceId: res.PhysicalID, ResourceType: res.Type, StackResourceDriftStatus: "NOT_CHECKED"}
	if o.record.RevisionOfType(res.Type) == nil {
		d.Reason = "no --type names its type"
		return d, nil
	}
	model, s, err := o.readResource(ctx, res.Type, stack, res.LogicalID, res.PhysicalID)
	if failed, ok := errors.AsType[*engine.HandlerError](err); ok {
		if failed.Code == "NotFound" {
			d.StackResourceDriftStatus = "DELETED"
		} else {
			d.Reason = mask.Text(failed.Error(), o.record.Secrets())
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
	d.PropertyDifferences = shownDifferences(s, res.Properties.Exact(), model, o.record.SecretPaths(stack, res.LogicalID), o.record.Secrets())
	if len(d.PropertyDifferences) > 0 {
		d.StackResourceDriftStatus = "MODIFIED"
	}
	return d, nil
}

// shownDifferences returns the differences between a resource and its template, with secrets hidden.
func shownDifferences(s *schema.Schema, properties, model map[string]any, paths []template.SecretPath, secrets mask.Secrets) (all []PropertyDifference) {
	placed := make([]template.SecretPath, len(paths)) // a plan keeps its own
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
func (o *operation) readResource(ctx context.Context, name string, stack *engine.Stack, logicalID, physicalID string) (map[string]any, *schema.Schema, error) {
	s, t, err := o.record.RevisionOfType(name).Types[name].Read(name)
	if err != nil {
		return nil, nil, &record.TypeError{Type: name, Err: err}
	}
	if _, has := s.Handlers["read"]; !has {
		return nil, s, &record.TypeError{Type: name, Err: errNoRead}
	}
	p := providerOfType(o.record, name)
	if err := o.host.deploy(p); err != nil {
		return nil, s, &record.TypeError{Type: name, Err: err}
	}
	q := t.ReadRequest(stack, logicalID, physicalID, "read-"+stack.PathOf(logicalID))
	limited, cancel := context.WithTimeout(ctx, host.Allow(readTimeout))
	defer cancel()
	result, err := o.host.Call(limited, p.arn, q.Event(""))
	switch {
	case ctx.Err() != nil:
		return nil, s, context.Cause(ctx)
	case limited.Err() != nil:
		return nil, s, &engine.HandlerError{Code: "HandlerInternalFailure", Message: "the handler did not answer the READ within " + readTimeout.String()}
	case err != nil:
		return nil, s, err
	}
	model, err := t.Read(q, answerOf(result))
	return model, s, err
}

// shownDifference hides secrets in a difference: also one at, below or above the path of a secret.
func shownDifference(d schema.Difference, paths []template.SecretPath, secrets mask.Secrets) PropertyDifference {
	shown := PropertyDifference{
		PropertyPath:   d.Path,
		ExpectedValue:  string(mask.JSON([]byte(d.Expected), secrets)),
		ActualValue:    string(mask.JSON([]byte(d.Actual), secrets)),
		DifferenceType: d.Type(),
	}
	at := strings.Split(strings.TrimPrefix(d.Path, "/"), "/")
	for i, step := range at {
		at[i] = unescaped.Replace(step)
	}
	for _, path := range paths {
		if n := min(len(at), len(path)); slices.Equal(at[:n], path[:n]) {
			shown.ExpectedValue, shown.ActualValue = mask.Hidden, mask.Hidden
		}
	}
	return shown
}

// unescaped decodes the names in a JSON pointer.
var unescaped = strings.NewReplacer("~1", "/", "~0", "~")
