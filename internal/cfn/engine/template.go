package engine

import (
	"errors"
	"fmt"
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
// outputs in the order in which they were written. It has no resources if the
// conditions of none hold, which is accepted [O]. It was checked before: each
// logical ID is declared once, and dependencies lead to resources, without circles.
type Template struct {
	Resources []Resource
	Outputs   []Output
}

// IsCustomResource reports whether a type is that of a custom resource, whose handler
// its ServiceToken names [D]. A registered type is not one, although it has a handler too.
func IsCustomResource(resourceType string) bool {
	return resourceType == "AWS::CloudFormation::CustomResource" || strings.HasPrefix(resourceType, "Custom::")
}

// A ValidationError is an operation that CloudFormation refuses: nothing has
// started, and the stack is what it was.
type ValidationError struct {
	Message string
	Kind    error // ErrNoUpdate, ErrNotDeleteFailed, or nil for all others
}

// The kinds of refusals that callers tell from others.
var (
	// ErrNoUpdate: the update would change nothing.
	ErrNoUpdate = errors.New("no updates are to be performed")
	// ErrNotDeleteFailed: resources to retain, or a forced deletion, of a stack that is
	// not in DELETE_FAILED.
	ErrNotDeleteFailed = errors.New("the stack is not in DELETE_FAILED")
)

func (e *ValidationError) Error() string { return e.Message }

// Unwrap returns the Kind.
func (e *ValidationError) Unwrap() error { return e.Kind }

func refuse(format string, args ...any) error {
	return &ValidationError{Message: fmt.Sprintf(format, args...)}
}
