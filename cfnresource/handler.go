package cfnresource

import (
	"context"

	"github.com/cfnresource/sdk-go/internal/track"
)

// Handler manages one type of custom resource: P holds its properties in the
// template, D the values that Fn::GetAtt reads. A Handler may be called by
// several goroutines at once.
//
// CloudFormation sends the same event twice now and then, sends a Delete while
// a Create still runs, and asks to go back to properties that were never
// applied. The methods are written for that:
//
//   - Create makes the resource. If something has its name, it returns
//     [AlreadyExists]: what bears the StableID is then finished by Update.
//   - Update brings whatever there is of it to Properties, what is missing
//     included. It does not work from the difference to OldProperties.
//   - Delete removes it. What is already gone is no failure: nil, or an error
//     with CodeNotFound.
//
// The context of each call ends early enough for the answer to be sent. An
// error becomes a FAILED answer with the error's text as its Reason; see
// [Errorf] for the codes that change what happens.
type Handler[P, D any] interface {
	// Create makes the resource. As soon as the service has said that it made
	// it, Create reports its ID with req.Track, unless that is about to be
	// returned: what is tracked is removed if the Create fails later. A handler
	// that names the resource asks for req.StableID() before anything else can
	// fail: an earlier delivery may have made it.
	Create(ctx context.Context, req *CreateRequest[P]) (CreateResult[D], error)
	// Update changes the resource req.PhysicalID in place. It is not asked to
	// replace one: where an identity property changed, Create is called and
	// CloudFormation deletes the old resource in its cleanup.
	Update(ctx context.Context, req *UpdateRequest[P]) (UpdateResult[D], error)
	// Delete removes the resource req.PhysicalID, which may never have
	// existed. It goes by that ID and not by a name in the properties, which
	// may by now be another resource's.
	Delete(ctx context.Context, req *DeleteRequest[P]) error
}

// A Finder is a Handler that can find its resource again: it implements Find
// where physical IDs are the service's own, ARNs or URLs, or names that the
// template chose. The dispatcher asks it where the answer to an earlier event
// may have been lost.
type Finder[P any] interface {
	// Find returns the physical ID of the resource that is tagged with
	// req.StableID(), or that otherwise is proved to be this one, and "" with a
	// nil error if there is none. A name alone is no proof: another stack may
	// own what bears it. Find also knows what earlier versions of the handler
	// made.
	Find(ctx context.Context, req *FindRequest[P]) (physicalID string, err error)
}

// A Validator checks properties beyond what their types and tags say. It is
// implemented by P or *P, and called for a Create and an Update before
// anything is done. Its error is the Reason of a FAILED answer.
type Validator interface{ Validate() error }

// A CreateRequest asks for a resource with Properties.
type CreateRequest[P any] struct {
	Request
	Properties P
	// Replaces is the ID of the resource that this one replaces, which still
	// exists, or "".
	Replaces string

	tracker *track.ID
}

// An UpdateRequest asks for the resource PhysicalID to become Properties. A call
// that is tried again gets the same Properties: do not change them.
type UpdateRequest[P any] struct {
	Request
	PhysicalID string
	Properties P
	// OldProperties are the properties that CloudFormation held before: a
	// hint. In a rollback they may never have been applied, and after an
	// upgrade they may have the shape of an older version.
	OldProperties P
	// OldPropertiesErr says why OldProperties are incomplete (what could be
	// read is there), or is [ErrAdopted].
	OldPropertiesErr error
	// IdentityChanged says that a property tagged createOnly changed, but that
	// the resource cannot be replaced, since nothing leads from the properties
	// to its ID. The handler may answer [CodeNotUpdatable], but not if the
	// resource is as Properties ask: that is the rollback of what it refused.
	IdentityChanged bool
}

// A DeleteRequest asks for the resource PhysicalID to be removed.
type DeleteRequest[P any] struct {
	Request
	PhysicalID string
	Properties P
	// PropertiesErr says which Properties could not be read and are zero.
	PropertiesErr error
}

// A FindRequest asks for the ID of the resource that Properties describe.
type FindRequest[P any] struct {
	Request
	Properties P
	// PropertiesErr says which Properties could not be read and are zero.
	PropertiesErr error
}

// A CreateResult is what Create made.
type CreateResult[D any] struct {
	// PhysicalID is what Ref gives in the template. If empty, it is the ID
	// that was tracked, or else the StableID. Beside an error it counts as
	// tracked.
	PhysicalID string
	// Data is what Fn::GetAtt gives: a struct or a map. CloudFormation takes
	// it from the latest answer only.
	Data D
}

// An UpdateResult is what Update made of the resource. It has no ID: an update
// in place cannot change it.
type UpdateResult[D any] struct {
	Data D
}
