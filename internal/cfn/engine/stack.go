package engine

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// A Stack is the whole state of a stack: plain data for encoding/json. Only a Machine changes it.
type Stack struct {
	Name, ID              string
	Options               Options
	Status, StatusReason  string // "": not created yet
	TerminationProtection bool   `json:",omitempty"`

	// Stable is the revision of the template of the last operation that succeeded,
	// to which a rollback returns; Target is that of the present or latest
	// operation. Revisions count from 1; 0 is none. Whoever saves a stack saves these two
	// templates as well, and passes them to Resume.
	Stable, Target int
	Revisions      int // how many templates were deployed

	Resources []*StackResource // in the template's order; those that were removed stand last
	Leaving   []*StackResource // what the next cleanup deletes
	Outputs   []StackOutput
	Left      []Left // what exists, or may exist, and is no longer the stack's

	Operation *Operation // in progress, or the latest
	Updated   time.Time  `json:",omitzero"` // when the latest update began: no request of it was sent earlier
	Requests  []*Request // all of them, in the order in which they were sent
	Nested    []*Stack   `json:",omitempty"` // also those that were deleted
	Events    []Event    // oldest first, unlike DescribeStackEvents
	// Places are where in a template the value stands that a row's reason is about, by
	// the row's EventId.
	Places map[string]string `json:",omitempty"`
	Began  int               `json:",omitempty"` // the place in Events where the latest operation began that is no rollback
	Drawn  uint64            // how many numbers were drawn for made-up IDs

	// Of a nested stack: the IDs of the one that it is nested in and of the root, the logical IDs
	// that lead to it from there, and what it was deployed from, by revision.
	Parent, Root, Path string         `json:",omitempty"`
	Sources            map[int]Source `json:",omitempty"`
}

// AtRest reports whether nothing goes on until the next operation.
func (s *Stack) AtRest() bool { return s.Operation == nil || s.Operation.Walk == nil }

// Deleted reports whether the stack was deleted or never created.
func (s *Stack) Deleted() bool { return s.Status == "" || s.Status == "DELETE_COMPLETE" }

// Keeps reports whether a revision of the stack's template is needed: a rollback may
// lead to it, or a resource is what that revision made it.
func (s *Stack) Keeps(revision int) bool {
	madeSo := func(r *StackResource) bool { return !r.Gone && r.Revision == revision }
	isResource := slices.ContainsFunc(s.Resources, madeSo) || slices.ContainsFunc(s.Leaving, madeSo)
	return isResource || revision == s.Stable || revision == s.Target
}

// A StackResource is one physical resource of a stack. Its fields hold its latest
// request and the result of that.
type StackResource struct {
	LogicalID, Type      string
	Status, StatusReason string
	Revision             int `json:",omitempty"` // of the template that it was last led to; 0 is none yet
	PhysicalID           string
	ServiceToken         string     `json:",omitempty"`
	ServiceTimeout       string     `json:",omitempty"`
	Properties           Properties // as last sent
	Old                  Properties `json:",omitempty"` // the old properties that were sent with them
	Attributes           Attributes `json:",omitempty"` // of the latest SUCCESS answer alone [O]
	NoEcho               bool       `json:",omitempty"`
	AnsweredTo           string     `json:",omitempty"` // the RequestId that the attributes answer
	DependsOn            []string   `json:",omitempty"`

	DeletionPolicy, UpdateReplacePolicy string `json:",omitempty"`
	Policy                              string `json:",omitempty"` // which of them is applied, once it is leaving

	Sent     bool `json:",omitempty"` // something may exist: a request was sent
	New      bool `json:",omitempty"` // the resource was added since the stack was stable
	Remade   bool `json:",omitempty"` // the physical resource was made since then
	Touched  bool `json:",omitempty"` // an Update was sent since then: a rollback leads it back
	LostBack bool `json:",omitempty"` // it failed in a rollback: ContinueUpdateRollback may skip it
	Gone     bool `json:",omitempty"` // deleted or let go

	Before *StackResource `json:",omitempty"` // as it was when the stack was stable; nil if it is the same or New
}

// A StackOutput is an output with its value.
type StackOutput struct {
	Name, Value, Description, ExportName string
}

// Left is a physical resource that no longer belongs to the stack but may exist.
type Left struct {
	LogicalID, PhysicalID, Type string
	Properties                  Properties
	Why                         string
	Kept                        bool `json:",omitempty"` // on purpose: by a policy, or by RetainResources
	Settled                     bool `json:",omitempty"` // it is known to be gone, or to be another stack's
}

// An Operation is an operation on a stack and its progress.
type Operation struct {
	ID              string // of the rows' OperationId; a rollback has its own [D]
	Kind            string // CreateStack, UpdateStack, …
	DisableRollback bool   `json:",omitempty"`
	Express         bool   `json:",omitempty"`
	OnFailure       string `json:",omitempty"`
	RetainExceptOnCreate,
	Force,
	RollingBack,
	Removing bool `json:",omitempty"`
	Cancelled bool      `json:",omitempty"` // the update that is rolled back was cancelled by the user
	Held      bool      `json:",omitempty"` // nothing is left but the cleanup, which waits for that of the root stack
	Undoing   bool      `json:",omitempty"` // of a nested stack: the operation that is rolled back has made all of it
	Retain    []string  `json:",omitempty"` // DeleteStack's RetainResources
	Skip      []string  `json:",omitempty"` // ContinueUpdateRollback's ResourcesToSkip
	Failures  []Failure `json:",omitempty"` // of the current walk, in order
	Orphans   bool      `json:",omitempty"` // a cleanup gave something up
	Walk      *Walk     `json:",omitempty"` // nil at rest
}

// A Failure is a resource that failed to create, update or delete.
type Failure struct{ LogicalID, Verb string }

// Attributes are what Fn::GetAtt reads of a resource: an answer's Data.
// Numbers are json.Number, as they were written.
type Attributes map[string]any

// UnmarshalJSON keeps numbers as they were written.
func (a *Attributes) UnmarshalJSON(text []byte) error {
	v, err := decode(text)
	if err != nil {
		return err
	}
	*a, _ = v.(map[string]any)
	return nil
}

// failures lists what failed, as the reasons of rows about a stack do:
// "The following resource(s) failed to create: [A, B]." [V].
func (o *Operation) failures() string {
	var sentences []string
	for _, verb := range []string{"create", "update", "delete"} {
		var names []string
		for _, f := range o.Failures {
			if f.Verb == verb {
				names = append(names, f.LogicalID)
			}
		}
		if len(names) > 0 {
			sentences = append(sentences, "The following resource(s) failed to "+verb+": ["+strings.Join(names, ", ")+"].")
		}
	}
	return strings.Join(sentences, " ")
}

// reset makes the resource's present state the one that a later rollback restores.
func (r *StackResource) reset() {
	r.New, r.Remade, r.Touched, r.LostBack, r.Before = false, false, false, false, nil
}

// remember saves the resource's stable state before an operation changes it.
func (r *StackResource) remember() {
	if r.Before == nil && !r.New {
		r.Before = new(*r)
	}
}

// Snapshot returns a copy of the stack for reading its resources, outputs and events
// while the stack changes. It has no requests and no nested stacks, and must not be
// changed. It costs no more than a copy of the resources.
func (s *Stack) Snapshot() *Stack {
	shot := *s
	shot.Requests, shot.Nested = nil, nil
	shot.Resources, shot.Leaving = copies(s.Resources), copies(s.Leaving)
	shot.Outputs, shot.Left, shot.Events = slices.Clone(s.Outputs), slices.Clip(s.Left), slices.Clip(s.Events)
	if s.Operation != nil {
		shot.Operation = new(*s.Operation)
	}
	return &shot
}

func copies(all []*StackResource) []*StackResource {
	list, values := make([]*StackResource, len(all)), make([]StackResource, len(all))
	for i, r := range all {
		values[i] = *r
		list[i] = &values[i]
	}
	return list
}

// Clone returns a copy that shares nothing with s.
func (s *Stack) Clone() (*Stack, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	clone := new(Stack)
	return clone, json.Unmarshal(text, clone)
}

// All returns the stack and its nested stacks, including deleted ones, each before
// those nested in it. The result must not be changed.
func (s *Stack) All() []*Stack {
	all := []*Stack{s}
	for _, n := range s.Nested {
		all = append(all, n.All()...)
	}
	return all
}

// Sent returns the requests of the stack and of its nested stacks, in the order in
// which they were sent.
func (s *Stack) Sent() []*Request {
	if len(s.Nested) == 0 {
		return s.Requests
	}
	var all []*Request
	for _, one := range s.All() {
		all = append(all, one.Requests...)
	}
	slices.SortStableFunc(all, func(a, b *Request) int { return a.SentAt.Compare(b.SentAt) })
	return all
}

// PathOf returns a resource's name as seen from the root stack: its logical ID,
// preceded by those of the nested stacks that it is in.
func (s *Stack) PathOf(logicalID string) string {
	if s.Path == "" {
		return logicalID
	}
	return s.Path + "." + logicalID
}
