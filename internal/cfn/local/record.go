package local

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Record is the saved state of a stack. It holds the values of parameters and
// properties, including secrets.
type Record struct {
	Stack *engine.Stack
	// Deployments are those of the stack's Stable and Target, by revision.
	Deployments map[int]*Deployment
	// Next is the deployment that is about to be the Target.
	Next *Deployment `json:",omitempty"`
	// Warned are the warnings that the latest deployment gave, as hashes.
	Warned []string `json:",omitempty"`
	// Former are secrets of earlier deployments, which may be gone.
	Former []string `json:",omitempty"`

	programs map[int]map[string]string // that were built, by revision and logical ID
	nested   map[string]*Deployment    // of nested stacks, by revision
	reads    map[string]*Deployment    // of nested stacks, by ID: what was read last

	previouslyWarned []string                                    // Warned, of the deployment before
	onNestedWarnings func(nested *Deployment, warnings []string) // is told of warnings about nested stacks; nil is not
}

// newRecord returns the record of a stack that does not exist yet or was deleted.
// A stack that replaces a deleted one gets other IDs.
func newRecord(name string, o engine.Options, former *Record) *Record {
	var warned []string
	switch {
	case former != nil:
		o.Seed, warned = former.Stack.Options.Seed+1, former.Warned
	case o.Seed == 0:
		o.Seed = rand.Uint64()
	}
	return &Record{Stack: engine.New(name, o).Stack(), Deployments: map[int]*Deployment{}, Warned: warned}
}

// warn returns the warnings about a template that the stack's latest deployment did
// not give for the same template, and records all of them as given.
func (r *Record) warn(body string, warnings []string) (unsaid []string) {
	r.previouslyWarned, r.Warned = r.Warned, nil
	return r.warnNested(body, warnings, false)
}

// warnNested is warn for a nested stack's template in the same deployment. It does
// not repeat a warning of this deployment; with again it repeats those of the latest.
func (r *Record) warnNested(body string, warnings []string, again bool) (unsaid []string) {
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

// apply applies a patch that was saved after the record.
func (r *Record) apply(change json.RawMessage) error {
	var p engine.Patch
	if err := json.Unmarshal(change, &p); err != nil {
		return err
	}
	if r.Stack == nil {
		return errNoStack
	}
	return r.Stack.Apply(&p)
}

var errNoStack = errors.New("there is no stack to be changed")

// machine returns a machine that continues from the record.
func (r *Record) machine() (*engine.Machine, error) {
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

// dropDeployments drops the deployments that no rollback needs, and adds Next once
// it is the stack's target.
func (r *Record) dropDeployments() {
	s := r.Stack
	if r.Next != nil && r.Next.Revision == s.Target {
		r.Deployments[s.Target], r.Next = r.Next, nil
	}
	for revision := range r.Deployments {
		if revision != s.Stable && revision != s.Target {
			delete(r.Deployments, revision)
		}
	}
}

// Current is the deployment whose functions answer now, or nil.
func (r *Record) Current() *Deployment { return r.current(r.Stack) }
