// Package record holds what is kept of a stack: its state, and the deployments that a
// rollback can lead back to. It tells which template and which secrets each stack of a
// root has. It reads files and starts nothing.
package record

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Record is the saved state of a stack. It holds the values of parameters and
// properties, including secrets.
type Record struct {
	Stack *engine.Stack
	// Deployments are those of the stack's Stable and Target, and those that made one of
	// its resources what it is, by revision.
	Deployments map[int]*Deployment
	// Next is the deployment that is about to be the Target.
	Next *Deployment `json:",omitempty"`
	// Warned are the warnings that the latest deployment gave, as hashes.
	Warned []string `json:",omitempty"`
	// Former are secrets of earlier deployments, which may be gone.
	Former []string `json:",omitempty"`

	// Programs are those that were built, by revision and by logical ID or type.
	Programs map[int]map[string]string `json:"-"`
	// OnNestedWarnings is told of warnings about the templates of nested stacks; nil is not.
	OnNestedWarnings func(nested *Deployment, warnings []string) `json:"-"`

	nested map[string]*Deployment // of nested stacks, by revision
	reads  map[string]*Deployment // of nested stacks, by ID: what was read last

	previouslyWarned []string // Warned, of the deployment before
}

// New returns the record of a stack that does not exist yet or was deleted.
// A stack that replaces a deleted one gets other IDs.
func New(name string, o engine.Options, former *Record) *Record {
	var warned []string
	switch {
	case former != nil:
		o.Seed, warned = former.Stack.Options.Seed+1, former.Warned
	case o.Seed == 0:
		o.Seed = rand.Uint64()
	}
	return &Record{Stack: engine.New(name, o).Stack(), Deployments: map[int]*Deployment{}, Warned: warned}
}

// Warn returns the warnings about a template that the stack's latest deployment did
// not give for the same template, and records all of them as given.
func (r *Record) Warn(body string, warnings []string) (unsaid []string) {
	r.previouslyWarned, r.Warned = r.Warned, nil
	return r.WarnNested(body, warnings, false)
}

// WarnNested is Warn for a nested stack's template in the same deployment. It does
// not repeat a warning of this deployment; with again it repeats those of the latest.
func (r *Record) WarnNested(body string, warnings []string, again bool) (unsaid []string) {
	for _, w := range warnings {
		sum := sha256.Sum256([]byte(body + "\x00" + w))
		hash := hex.EncodeToString(sum[:8])
		if slices.Contains(r.Warned, hash) {
			continue
		}
		if again || !slices.Contains(r.previouslyWarned, hash) {
			unsaid = append(unsaid, w)
		}
		r.Warned = append(r.Warned, hash)
	}
	return unsaid
}

// Apply applies a patch that was saved after the record.
func (r *Record) Apply(change json.RawMessage) error {
	var p engine.Patch
	if err := json.Unmarshal(change, &p); err != nil {
		return err
	}
	if r.Stack == nil {
		return errNoStack
	}
	return r.Stack.Apply(&p)
}

// Whole reports whether nothing is missing in a record that was read, which can be somebody else's.
func (r *Record) Whole() bool {
	for _, d := range r.Deployments {
		if d == nil {
			return false
		}
	}
	return r.Stack.Whole()
}

var errNoStack = errors.New("there is no stack to be changed")

// Machine returns a machine that continues from the record.
func (r *Record) Machine() (*engine.Machine, error) {
	templates := map[int]*engine.Template{}
	for revision, d := range r.Deployments {
		plan, err := d.Plan(r.Stack)
		if err != nil {
			return nil, err
		}
		templates[revision] = &plan.Template
	}
	m := engine.Resume(r.Stack, templates)
	var err error
	if m.Types, err = r.types(); err != nil {
		return nil, err
	}
	return m, m.Nest(r.read)
}

// DropDeployments drops the deployments that the stack does not need, and adds Next
// once it is the stack's target.
func (r *Record) DropDeployments() {
	s := r.Stack
	if r.Next != nil && r.Next.Revision == s.Target {
		r.Deployments[s.Target], r.Next = r.Next, nil
	}
	maps.DeleteFunc(r.Deployments, func(revision int, _ *Deployment) bool { return !s.Keeps(revision) })
}

// Current is the deployment whose functions answer now, or nil.
func (r *Record) Current() *Deployment { return r.CurrentOf(r.Stack) }
