package local

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/api"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/store"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// Serve answers the actions of CloudFormation's API that read, and shows the stacks as pages, on a
// loopback address, until the server is closed. With a writer, it also answers the actions that change
// stacks. A stack that another process is changing is shown as it was last saved, which is before
// the requests of that step were sent.
func (h *Home) Serve(address string, writer *api.Writer) (*api.Server, error) {
	return api.Start(address, stackReader{home: h}, writer, showPages(h))
}

// A stackReader reads a home's stacks for the API. It does not read the stack of a running operation
// from its file, since every handler may call DescribeStacks, and the file grows with each request.
type stackReader struct {
	home      *Home
	operation *operation // nil if there is none
}

// Names returns the names of all stacks, nested ones among them, sorted.
func (r stackReader) Names() ([]string, error) {
	roots, err := r.home.store.Stacks()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, root := range roots {
		if r.operation != nil && root == r.operation.name() {
			r.operation.live.Look(func(of *engine.Stack) { names = append(names, namesOf(of)...) })
			continue
		}
		if err := r.home.cache.look(root, func(kept *record.Record) { names = append(names, namesOf(kept.Stack)...) }); err != nil {
			names = append(names, root) // Stack reports what is wrong with it
		}
	}
	slices.Sort(names)
	return names, nil
}

func namesOf(s *engine.Stack) (names []string) {
	for _, one := range s.All() {
		names = append(names, one.Name)
	}
	return names
}

// Stack returns the stack of a name, or nil. The names of nested stacks begin
// with that of their root.
func (r stackReader) Stack(name string) (*api.Stack, error) {
	// The stack of the running operation.
	if r.operation != nil {
		if stack, err := r.operation.savedStack(name); stack != nil || err != nil {
			return stack, err
		}
	}
	// A stack in the store. Of two roots whose names it begins with, the longer one comes first.
	roots, err := r.home.store.Stacks()
	if err != nil {
		return nil, err
	}
	for _, root := range slices.Backward(roots) {
		if name != root && !strings.HasPrefix(name, root+"-") {
			continue
		}
		var stack *api.Stack
		var planErr error
		err := r.home.cache.look(root, func(kept *record.Record) {
			if found := stackNamed(kept.Stack, name); found != nil {
				stack, planErr = queryStack(mask.Stack(found, kept.Secrets()), kept.CurrentOf(found))
			}
		})
		err = cmp.Or(err, planErr)
		if stack != nil || err != nil && name == root {
			return stack, err
		}
	}
	return nil, nil
}

// stackNamed returns the stack of a name, s itself or one nested in it, or nil.
func stackNamed(s *engine.Stack, name string) *engine.Stack {
	for _, one := range s.All() {
		if one.Name == name {
			return one
		}
	}
	return nil
}

// savedStack returns the operation's stack, or one nested in it, as it was last saved and as the
// stack's readings show it. It returns nil if none has the name.
func (o *operation) savedStack(name string) (*api.Stack, error) {
	var snapshot *engine.Stack
	var rev *record.Revision
	var err error
	refused := o.live.Shown(func(s *engine.Stack) {
		s = stackNamed(s, name)
		if s == nil {
			return
		}
		snapshot, rev = s.Snapshot(), o.record.CurrentOf(s)
		if rev != nil {
			_, err = rev.Plan(snapshot) // here, under the lock, since a revision keeps its plan
		}
		snapshot.Events = slices.Clip(o.shown.byStack[s.ID])
		snapshot.StatusReason = mask.Text(snapshot.StatusReason, o.shown.secrets)
		for _, list := range [][]*engine.StackResource{snapshot.Resources, snapshot.Leaving} {
			for _, res := range list {
				res.StatusReason = mask.Text(res.StatusReason, o.shown.secrets)
			}
		}
	})
	if err = errors.Join(err, refused); snapshot == nil || err != nil {
		return nil, err
	}
	return queryStack(snapshot, rev)
}

// queryStack returns a stack with the template's details that the API returns.
func queryStack(s *engine.Stack, rev *record.Revision) (stack *api.Stack, err error) {
	stack = &api.Stack{Stack: s}
	if rev == nil {
		return stack, nil
	}
	plan, err := rev.Plan(s)
	if err != nil {
		return nil, err
	}
	stack.Template, stack.Description = rev.Body, plan.Description
	for _, p := range plan.Parameters {
		stack.Parameters = append(stack.Parameters, api.Parameter{ParameterKey: p.Name, ParameterValue: p.Value, ResolvedValue: p.Resolved})
	}
	stack.Declared, stack.Capabilities = declaredParameters(rev.Declared()), rev.Capabilities
	for _, key := range slices.Sorted(maps.Keys(rev.Tags)) {
		stack.Tags = append(stack.Tags, api.Tag{Key: key, Value: rev.Tags[key]})
	}
	return stack, nil
}

// declaredParameters returns a template's parameters, with the defaults of those with NoEcho masked.
func declaredParameters(parameters []template.Parameter) (all []api.Declared) {
	for _, p := range parameters {
		one := api.Declared{ParameterKey: p.Name, ParameterType: p.Type, NoEcho: p.NoEcho, Description: p.Description, DefaultValue: p.Default}
		if p.NoEcho && p.Default != nil {
			masked := mask.Hidden
			one.DefaultValue = &masked
		}
		all = append(all, one)
	}
	return all
}

// A recordCache holds the records of a home's stacks. It reads a record again only if its files
// have changed. Several goroutines can use it.
type recordCache struct {
	home *Home

	mu      sync.Mutex
	records map[string]cachedRecord
}

type cachedRecord struct {
	stamp  store.Stamp
	record *record.Record
}

// look calls a function with a stack's record. Only one call runs at a time, since a record keeps what it computes.
func (c *recordCache) look(name string, look func(*record.Record)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	stamp, unstamped := c.home.store.Stamp(name)
	cached, ok := c.records[name]
	isFresh := ok && unstamped == nil && stamp.Same(cached.stamp)
	if !isFresh {
		delete(c.records, name)
		kept, err := c.home.Stack(name)
		if err != nil {
			return err
		}
		cached = cachedRecord{stamp, kept}
		if unstamped == nil {
			c.records[name] = cached
		}
	}
	look(cached.record)
	return nil
}
