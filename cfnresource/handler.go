package cfnresource

import "context"

// Handler manages one type of custom resource: P holds its properties in the template, D the values
// that Fn::GetAtt reads. A Handler may be called by several goroutines at once.
//
// # Properties and Data
//
// P and D are structs or maps, with the rules of encoding/json. The tag cfn of a
// field of P has these words; docs/design/properties.md says more:
//
//   - createOnly: another value is another resource. The dispatcher calls Create,
//     and CloudFormation deletes the old resource afterwards.
//   - required: a Create or Update without the property is refused.
//   - secret: the value is redacted in Reasons and logs; on a field of D, it sets
//     NoEcho.
//   - default=VALUE: used if the property is absent. It comes last in the tag.
//
// A property that P does not know is refused on Create. On Update it is logged
// and ignored, since a rollback may bring the properties of another version. A
// Delete is never refused: what cannot be read is zero.
//
// # Events that repeat, overtake and go back
//
// CloudFormation may send the same event twice, sends a Delete while a Create still runs, and asks
// to go back to properties that were never applied. The methods are written for that:
//
//   - Create makes the resource, or finishes what is there under its StableID.
//     Where something has its name already it may return [AlreadyExists]
//     instead: what bears the StableID is then finished by Update.
//   - Update brings whatever there is of it to Properties, what is missing
//     included. It does not work from the difference to OldProperties.
//   - Delete removes it. What is already gone is no failure: nil, or an error
//     with CodeNotFound.
//
// The context of each call ends early enough for the answer to be sent. An error becomes a FAILED
// answer with the error's text as its Reason; see [Errorf] for the codes that change what happens.
// D beside an error is not sent.
type Handler[P, D any] interface {
	// Create makes the resource. As soon as the service has said that it made
	// it, Create says so with req.Created: what was made is then deleted if the
	// Create fails. A handler that names the resource asks for req.StableID()
	// before anything else can fail: an earlier delivery may have made it.
	Create(ctx context.Context, req *CreateRequest[P]) (D, error)
	// Update changes the resource req.PhysicalID in place. It is not asked to replace one: where an
	// identity property changed, Create is called and CloudFormation deletes the old resource in
	// its cleanup. An Update with IdentityChanged leaves the tag with the StableID, or any other
	// mark that Find goes by, as it is: one that writes it anew turns its own rollback into a
	// replacement, and CloudFormation then deletes the live resource.
	Update(ctx context.Context, req *UpdateRequest[P]) (D, error)
	// Delete removes the resource req.PhysicalID, which may never have existed. It goes by that ID.
	// Where names are the template's, it also looks at the mark of the thing, since by now another
	// resource may have the name: see [Request.StableIDOf].
	Delete(ctx context.Context, req *DeleteRequest[P]) error
}

// A Finder is a Handler that can find its resource again: it implements Find where physical IDs are
// the service's own, ARNs or URLs, or names that the template chose. The dispatcher asks it where
// the answer to an earlier event may have been lost, and where an Update may be a replacement.
type Finder[P any] interface {
	// Find returns the physical ID of the resource that is tagged with req.StableID(), or that
	// otherwise is proved to be this one, and "" with a nil error if there is none. A name alone is
	// no proof: another stack may own what bears it. Find also knows the marks of earlier versions of
	// the handler. What a program without this SDK made bears none: Find does not answer it, and
	// Update and Delete are asked for it by its ID (docs/moving.md).
	//
	// If req.PhysicalID is set, Find reads that thing directly, and answers it if it bears
	// req.StableID(), before it searches: a search may lag, and a twin may bear the same tag. Where
	// names are the template's, Find looks under the name in Properties alone: in a replacement
	// PhysicalID is the old thing, and that bears the [Request.StableIDOf] of its own name.
	// PhysicalID may be an ID that CloudFormation made up: if the service refuses its form, nothing
	// is there. Find reads what a search shows before it answers it, since a search may still show
	// what was deleted.
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
	// Replaces is the ID of the resource that this one replaces, which still exists, or "". An Update
	// that finishes what a Create has begun does not get it: what it needs of the old resource, Create
	// notes on the new one.
	Replaces string

	created    createdID
	dispatched *createdID // the dispatcher's, which outlives the call
}

// Created says that physicalID exists now, and is what Ref gives in the template: call it once the
// service has said so, never before, since it is deleted if the Create fails. A Create that does
// not call it has the StableID as its ID, and nothing of it is deleted if a replacement fails. So a
// call that may have met what was there already, as a PUT does, is not followed by Created: in the
// rollback of a replacement that would be the resource in use.
//
// What was said outlives an error, a panic and the deadline. Of several calls
// the last counts; an empty ID is ignored. CloudFormation keeps IDs of up to
// 1024 bytes. Created may be called by any goroutine.
func (r *CreateRequest[P]) Created(physicalID string) { r.id().set(physicalID) }

// CreatedID returns what was passed to Created last, or "". It is for tests.
func (r *CreateRequest[P]) CreatedID() string { return r.id().get() }

func (r *CreateRequest[P]) id() *createdID {
	if r.dispatched != nil {
		return r.dispatched
	}
	return &r.created
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
	// OldPropertiesErr says why OldProperties are incomplete; what could be
	// read is there. It is set where Adopted is.
	OldPropertiesErr error
	// Adopted says that a Create found this resource to exist already: it is the
	// work of an earlier delivery, or what a rollback comes back to. What is
	// there of it is not known, and OldProperties are zero.
	Adopted bool
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
	// PhysicalID is the ID to read directly before searching, or "".
	PhysicalID string
	Properties P
	// PropertiesErr says which Properties could not be read and are zero.
	PropertiesErr error
}

// Action returns a Handler for what makes nothing that could be deleted: look-ups, and jobs that
// run once for each change of their properties. It calls run for a Create and for each Update; a
// Delete does nothing. The physical ID is the StableID. For a Create, run sees an UpdateRequest
// with Adopted set and no old properties. As CloudFormation may deliver an event twice, run may be
// called twice.
func Action[P, D any](run func(context.Context, *UpdateRequest[P]) (D, error)) Handler[P, D] {
	return action[P, D](run)
}

type action[P, D any] func(context.Context, *UpdateRequest[P]) (D, error)

// makesNothing says that a Delete need not wait for a Create that may still run.
func (action[P, D]) makesNothing() {}

func (run action[P, D]) Create(ctx context.Context, req *CreateRequest[P]) (D, error) {
	return run(ctx, &UpdateRequest[P]{
		Request: req.Request, PhysicalID: req.StableID(), Properties: req.Properties,
		Adopted: true, OldPropertiesErr: errAdopted,
	})
}

func (run action[P, D]) Update(ctx context.Context, req *UpdateRequest[P]) (D, error) {
	return run(ctx, req)
}

func (action[P, D]) Delete(context.Context, *DeleteRequest[P]) error { return nil }
