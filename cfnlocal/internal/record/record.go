// Package record holds what is kept of a stack: its state, and the revisions that a rollback can
// lead back to. It knows the template and the secrets of a root stack and of those nested in it. It
// reads files and starts nothing.
package record

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/schema"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/printable"
	"github.com/cfnresource/sdk-go/internal/cfn/standin"
)

// A Record is the saved state of a stack. It holds the values of parameters and
// properties, including secrets.
type Record struct {
	Stack *engine.Stack
	// Revisions, by number, are the stack's Stable and Target, and those that last changed one of its
	// resources.
	Revisions map[int]*Revision `json:"Deployments"`
	// Next is the revision that is about to become the Target.
	Next *Revision `json:",omitempty"`
	// Warned are hashes of the warnings that the latest deployment gave.
	Warned []string `json:",omitempty"`
	// ServiceEnded is set if the service beside the handlers ended in the latest operation.
	ServiceEnded bool `json:",omitempty"`
	// Former are secrets of earlier revisions, which may no longer be kept.
	Former []string `json:",omitempty"`

	// Programs are the files of built programs, by revision number, and by logical ID or type.
	Programs map[int]map[string]string `json:"-"`
	// OnNestedWarnings receives the warnings about templates of nested stacks. It may be nil.
	OnNestedWarnings func(nested *Revision, warnings []string) `json:"-"`

	nestedRevisions map[string]*Revision // of nested stacks, by stack and revision
	lastRead        map[string]*Revision // of nested stacks, by ID: the one that was read last

	previouslyWarned []string // Warned of the previous deployment
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
	return &Record{Stack: engine.New(name, o).Stack(), Revisions: map[int]*Revision{}, Warned: warned}
}

// Warn returns the warnings about a template that the stack's latest deployment did
// not give for the same template, and records all of them as given. With again it returns those as well.
func (r *Record) Warn(body string, warnings []string, again bool) (unsaid []string) {
	r.previouslyWarned, r.Warned = r.Warned, nil
	return r.WarnNested(body, warnings, again)
}

// WarnNested is Warn for a nested stack's template in the same deployment. It never repeats a
// warning of this deployment.
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

// Whole reports whether a record that was read, perhaps somebody else's, is complete.
func (r *Record) Whole() bool {
	for _, rev := range r.Revisions {
		if rev == nil {
			return false
		}
	}
	target := r.Stack.Deleted() || r.Revisions[r.Stack.Target] != nil
	return r.Revisions != nil && target && r.Stack.Whole()
}

var errNoStack = errors.New("there is no stack to be changed")

// Machine returns a machine that continues from the record.
func (r *Record) Machine() (*engine.Machine, error) {
	templates := map[int]*engine.Template{}
	for revision, rev := range r.Revisions {
		plan, err := rev.Plan(r.Stack)
		if err != nil {
			return nil, err
		}
		templates[revision] = &plan.Template
	}
	m := engine.Resume(r.Stack, templates)
	m.Native = standin.Types{}
	var err error
	if m.Types, err = r.types(); err != nil {
		return nil, err
	}
	return m, m.Nest(r.read)
}

// DropRevisions adds Next once the stack has begun to move to it, even if it is back by then, and drops the revisions that the
// stack does not need any more.
func (r *Record) DropRevisions() {
	s := r.Stack
	if next := r.Next; next != nil && next.Number <= s.Revisions {
		r.Revisions[next.Number], r.Next = next, nil
	}
	maps.DeleteFunc(r.Revisions, func(revision int, _ *Revision) bool { return !s.Keeps(revision) })
}

// Current returns the revision whose functions answer now, or nil.
func (r *Record) Current() *Revision { return r.CurrentOf(r.Stack) }

// A Type is a registered resource type whose handlers run here.
type Type struct {
	// Command runs its handlers, or is the directory of their Go program.
	Command string
	// File is the absolute name of its schema, or "" if its program is asked for that.
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

// Unwrap returns the cause.
func (e *TypeError) Unwrap() error { return e.Err }

// Read parses the schema, which must be that of the named type.
func (t Type) Read(name string) (*schema.Schema, *engine.ResourceType, error) {
	s, err := schema.Read(t.Schema)
	if err != nil {
		return nil, nil, err
	}
	if s.TypeName != name {
		return nil, nil, fmt.Errorf("the schema describes %s", s.TypeName)
	}
	played, err := s.Registered()
	return s, played, err
}

// RevisionOfType returns the newest revision that has a type, or nil. It does not change while an
// update is rolled back.
func (r *Record) RevisionOfType(name string) *Revision {
	if r.Next != nil && r.Next.Types[name].Schema != nil {
		return r.Next
	}
	return r.KeptRevisionOfType(name)
}

// KeptRevisionOfType is RevisionOfType as it is without the next revision.
func (r *Record) KeptRevisionOfType(name string) *Revision {
	for _, rev := range []*Revision{r.Revisions[r.Stack.Target], r.Revisions[r.Stack.Stable]} {
		if rev != nil && rev.Types[name].Schema != nil {
			return rev
		}
	}
	return nil
}

func (r *Record) types() (map[string]*engine.ResourceType, error) {
	all := map[string]*engine.ResourceType{}
	for _, rev := range []*Revision{r.Next, r.Revisions[r.Stack.Target], r.Revisions[r.Stack.Stable]} {
		if rev == nil {
			continue
		}
		for name := range rev.Types {
			if all[name] != nil || r.RevisionOfType(name) != rev {
				continue
			}
			_, t, err := rev.Types[name].Read(name)
			if err != nil {
				return nil, &TypeError{name, err}
			}
			all[name] = t
		}
	}
	return all, nil
}

// Forged returns a name in a record that no stack can have, or "". A line feed or another invisible
// character in it would forge a line wherever the name is printed. Only names that CloudFormation
// makes or checks count; what handlers return is made safe where it is shown.
func (r *Record) Forged() string {
	for _, s := range r.Stack.All() {
		names := namesIn(s)
		if i := slices.IndexFunc(names, func(name string) bool { return printable.Line(name) != name }); i >= 0 {
			return names[i]
		}
	}
	return ""
}

// namesIn returns the names, types and statuses of a stack without its nested stacks.
func namesIn(s *engine.Stack) []string {
	names := []string{s.Name, s.ID, s.Path, s.Status}
	for _, r := range slices.Concat(s.Resources, s.Leaving) {
		names = append(names, r.LogicalID, r.Type, r.Status)
	}
	for _, o := range s.Outputs {
		names = append(names, o.Name)
	}
	for _, l := range s.Left {
		names = append(names, l.LogicalID, l.Type)
	}
	for _, q := range s.Requests {
		names = append(names, q.RequestType, q.LogicalID, q.Type)
	}
	for _, e := range s.Events {
		names = append(names, e.LogicalResourceId, e.ResourceType, e.ResourceStatus)
	}
	if o := s.Operation; o != nil {
		names = slices.Concat(names, o.Retain, o.Skip)
		for _, f := range o.Failures {
			names = append(names, f.LogicalID, f.Verb)
		}
	}
	return names
}

// Secrets returns the values to hide: those of parameters with NoEcho, values that the template
// derives from them, and the Data of answers with NoEcho, including those of earlier deployments.
func (r *Record) Secrets() mask.Secrets {
	all := slices.Clone(r.Former)
	for _, s := range r.Stack.All() {
		all = append(all, r.secretsIn(s)...)
	}
	return mask.Of(all)
}

// secretsIn returns the secrets of one stack without its nested stacks.
func (r *Record) secretsIn(s *engine.Stack) []string {
	all, plans := r.secretParameters(s)
	for _, q := range s.Requests {
		all = append(all, secretsOf(q, plans)...)
	}
	for _, res := range slices.Concat(s.Resources, s.Leaving) {
		all = append(all, secretProperties(res.LogicalID, plans, res.Properties, res.Old)...)
	}
	return all
}

// secretParameters returns the secret parameter values of a stack, and its plans.
func (r *Record) secretParameters(s *engine.Stack) (all []string, plans []*template.Plan) {
	for _, rev := range r.RevisionsOf(s) {
		plan, err := rev.Plan(s)
		if err != nil {
			continue // Plan succeeded when it was deployed
		}
		all, plans = append(all, plan.NoEcho...), append(plans, plan)
	}
	return all, plans
}

// secretsOf returns the values to hide in a request and its answers.
func secretsOf(q *engine.Request, plans []*template.Plan) []string {
	all := secretProperties(q.LogicalID, plans, q.Properties, q.OldProperties)
	for _, answer := range slices.Concat([]string{q.Answer}, q.Late, q.Lost) {
		for _, value := range mask.SecretsOf(answer) {
			if !slices.Contains(shownBeside(q, answer), value) {
				all = append(all, value)
			}
		}
	}
	return all
}

// shownBeside returns the texts that are shown beside the Data of an answer with NoEcho: the resource's physical ID, and its
// properties. NoEcho is of all Data, and often only a part is secret. What else makes a property secret hides it anyway.
func shownBeside(q *engine.Request, answer string) []string {
	return append(mask.Values(q.Properties.Map()), q.PhysicalID, mask.PhysicalIDOf(answer))
}

// secretProperties returns the values in properties that the plans derive from NoEcho parameters.
func secretProperties(logicalID string, plans []*template.Plan, properties ...engine.Properties) (all []string) {
	for _, plan := range plans {
		paths := plan.Secrets[logicalID]
		if len(paths) == 0 {
			continue
		}
		for _, p := range properties {
			all = append(all, template.SecretValues(p.Exact(), paths)...)
		}
	}
	return all
}

// PatchSecrets returns the secrets in what a patch has changed of a stack.
func (r *Record) PatchSecrets(s *engine.Stack, p *engine.Patch) (all []string) {
	_, plans := r.secretParameters(s)
	for _, q := range p.Requests {
		all = append(all, secretsOf(q, plans)...)
	}
	for _, res := range p.Resources {
		all = append(all, secretProperties(res.LogicalID, plans, res.Properties, res.Old)...)
	}
	for i, change := range p.Nested {
		if change.Patch != nil {
			all = append(all, r.PatchSecrets(s.Nested[i], change.Patch)...)
			continue
		}
		for _, nested := range s.Nested[i].All() {
			all = append(all, r.secretsIn(nested)...)
		}
	}
	return all
}

// Shown returns a copy of the stack in which secrets and signatures are hidden in rows and reasons.
// Requests are unchanged: [mask.JSON] hides those in them.
func (r *Record) Shown() *engine.Stack { return mask.Stack(r.Stack, r.Secrets()) }
