package local

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/store"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Home is a directory of stacks. One operation at a time may run on a stack,
// in this process or another one.
type Home struct {
	dir   *store.Dir
	store *store.Store // in dir
}

// Open opens the home in a directory, and creates the directory if needed. Call Close when done.
func Open(dir string) (*Home, error) {
	dir, err := filepath.Abs(cmp.Or(dir, store.DefaultDir))
	if err != nil {
		return nil, err
	}
	s, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	return &Home{s.Beside(), s}, nil
}

// Close closes the directory.
func (h *Home) Close() error { return h.store.Close() }

// ErrNoStack is returned for a stack that does not exist.
var ErrNoStack = errors.New("there is no such stack")

// Stack returns a stack's record. The error is ErrNoStack if there is none.
func (h *Home) Stack(name string) (*record.Record, error) {
	kept, err := store.Load(h.store, name, (*record.Record).Apply)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrNoStack, name)
	}
	if err == nil && (kept.Stack == nil || kept.Stack.Name != name) { // what is beside a stack is found by its name
		return nil, fmt.Errorf("%s holds no stack of that name: delete it", h.dir.Path(name+".json"))
	}
	if err == nil && !kept.Whole() {
		return nil, fmt.Errorf("%s holds a stack of which parts are missing: delete it", h.dir.Path(name+".json"))
	}
	if err == nil {
		if forged := kept.Forged(); forged != "" { // whoever wrote it wants to say something else with it
			return nil, fmt.Errorf("%s holds the name %.200q, which no stack has: delete it", h.dir.Path(name+".json"), forged)
		}
	}
	return &kept, err
}

// Stacks returns all stacks, also those that were deleted, by name.
func (h *Home) Stacks() ([]*record.Record, error) {
	names, err := h.store.Stacks()
	if err != nil {
		return nil, err
	}
	all := make([]*record.Record, 0, len(names))
	for _, name := range names {
		r, err := h.Stack(name)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// Working reports whether a process is running an operation on a stack.
func (h *Home) Working(name string) bool { return h.store.Locked(name) }

// State says what is going on with a stack that is not at rest, and "" of others.
func (h *Home) State(s *engine.Stack) string {
	switch {
	case s.AtRest():
		return ""
	case h.Working(s.Name):
		return "a process works on it"
	}
	return "interrupted: cfnlocal resume " + s.Name
}

const logExt = ".log"

// Log is the file that a stack's handlers write to.
func (h *Home) Log(name string) string { return h.dir.Path(name + logExt) }
