package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Refs resolves what is only known while the stack runs.
type Refs interface {
	Ref(logicalID string) (string, error)
	GetAtt(logicalID, attribute string) (any, error)
}

// A Resource is a resource as a template declares it.
type Resource struct {
	LogicalID, Type string
	DependsOn       []string // explicit and by reference, sorted
	// Properties returns the properties, resolved. Scalars may be native: they
	// are made strings on the wire.
	Properties                          func(Refs) (map[string]any, error)
	DeletionPolicy, UpdateReplacePolicy string // "", Delete, Retain, RetainExceptOnCreate, Snapshot
	// Nested returns what a nested stack is deployed from, by its properties; nil
	// if the resource is none, or a stand-in for one.
	Nested func(Properties) (Source, error)
}

// An Output is an output as a template declares it.
type Output struct {
	Name, Description, ExportName string
	Value                         func(Refs) (any, error)
}

// A Template is what a stack is created from or updated to, its resources and
// outputs in the order in which they were written.
type Template struct {
	Resources []Resource
	Outputs   []Output
	// AllOff says that the template declares resources and that the conditions
	// of none hold: the stack has none, and that is accepted [O].
	AllOff bool
}

// MaxResources is how many resources a template may declare [D].
const MaxResources = 500

// IsCustomResource reports whether a type is that of a custom resource, whose handler
// its ServiceToken names [D]. A registered type is not one, although it has a handler too.
func IsCustomResource(resourceType string) bool {
	return resourceType == "AWS::CloudFormation::CustomResource" || strings.HasPrefix(resourceType, "Custom::")
}

// check refuses templates that no stack could be made from. Logical IDs are declared
// once where a template is read.
func (t *Template) check() error {
	switch n := len(t.Resources); {
	case n == 0 && !t.AllOff:
		return refuse("Template format error: At least one Resources member must be defined.")
	case n > MaxResources:
		return refuse("Template format error: Number of resources, %d, is greater than maximum allowed, %d", n, MaxResources)
	}
	declared := make(map[string]bool, len(t.Resources))
	for _, r := range t.Resources {
		declared[r.LogicalID] = true
	}
	for _, r := range t.Resources {
		for _, d := range r.DependsOn {
			if !declared[d] {
				return refuse("Template format error: Unresolved resource dependencies [%s] in the Resources block of the template", d)
			}
		}
	}
	if cycle := t.cycle(); len(cycle) > 0 {
		return refuse("Circular dependency between resources: [%s]", strings.Join(cycle, ", "))
	}
	return nil
}

// cycle returns the resources that depend on each other in a ring, and those
// that wait for them, sorted, or none.
func (t *Template) cycle() (names []string) {
	w := Walk{Tasks: t.tasks()}
	w.link()
	for len(w.ready) > 0 {
		i := w.ready[0]
		w.ready = w.ready[1:]
		w.done(i)
	}
	for _, task := range w.Tasks {
		if task.State == waiting {
			names = append(names, task.LogicalID)
		}
	}
	slices.Sort(names)
	return names
}

// A ValidationError is an operation that CloudFormation refuses: nothing has
// started, and the stack is what it was.
type ValidationError struct {
	Message string
	Kind    error // ErrNoUpdate, ErrTypeChanged, ErrNotDeleteFailed, ErrAlreadyExists, or nil for all others
}

// The kinds of refusals that callers tell from others.
var (
	// ErrNoUpdate: the update would change nothing.
	ErrNoUpdate = errors.New("no updates are to be performed")
	// ErrTypeChanged: the update would give resources another type.
	ErrTypeChanged = errors.New("the type of a resource is another one")
	// ErrNotDeleteFailed: resources to retain, or a forced deletion, of a stack that is
	// not in DELETE_FAILED.
	ErrNotDeleteFailed = errors.New("the stack is not in DELETE_FAILED")
	// ErrAlreadyExists: a stack is to be created, and there is one of that name.
	ErrAlreadyExists = errors.New("the stack already exists")
)

func (e *ValidationError) Error() string { return e.Message }

// Unwrap returns the Kind.
func (e *ValidationError) Unwrap() error { return e.Kind }

// AlreadyExists is the refusal to create a stack of a name that another one has [O].
func AlreadyExists(name string) error {
	return &ValidationError{Message: fmt.Sprintf("Stack [%s] already exists", name), Kind: ErrAlreadyExists}
}

func refuse(format string, args ...any) error {
	return &ValidationError{Message: fmt.Sprintf(format, args...)}
}
