package cfnresource

import "context"

// Handler manages one type of custom resource: P holds its properties in the template, D the values
// that Fn::GetAtt reads. A Handler may be called by several goroutines at once.
//
// # Properties and Data
//
// P and D are structs or maps, with the rules of encoding/json. The tag cfn of a
// field of P, at any depth, has these words; docs/design/properties.md says more:
//
//   - createOnly: another value is another resource. The dispatcher calls Create,
//     and CloudFormation deletes the old resource afterwards.
//   - required: a Create or Update without the property is refused.
//   - secret: the value is redacted in Reasons and logs; on a field of D, it sets
//     NoEcho.
//   - reference: a dynamic reference such as {{resolve:secretsmanager:NAME}} is
//     handed over as its text. In any other property it is refused on Create.
//   - default=VALUE: used if the property is absent. It comes last in the tag. An empty value is not absent:
//     a test that writes P needs omitempty. Give a new createOnly property no default:
//     with one, existing resources get another StableID.
//
// A property that P does not know is refused on Create. On Update it is logged
// and ignored, since a rollback may bring the properties of another version. A
// Delete is never refused: properties that cannot be read are zero.
//
// # Events that repeat, overtake and go back
//
// CloudFormation may send an event twice, send a Delete while a Create still runs, and ask to go
// back to properties that were never applied. So write the methods in this way:
//
//   - Create makes the resource, or finishes the one that has its StableID. If
//     its name is taken, it may return [AlreadyExists] instead: if that is the
//     StableID, or what Find returns, Update then finishes the resource.
//   - Update brings the resource to Properties, and makes what is missing. It
//     does not work from the difference to OldProperties.
//   - Delete removes it. If it does not exist, Delete returns nil, or an error
//     with CodeNotFound.
//
// The context of each call ends early enough for the answer to be sent. An error becomes a FAILED
// answer with the error's text as its Reason; see [Errorf] for the codes that change what happens.
// Beside an error, D is not sent.
type Handler[P, D any] interface {
	// Create makes the resource. As soon as the service confirms that, Create
	// calls req.Created: the dispatcher then deletes it if the Create fails. A
	// handler that names the resource calls req.StableID() before anything can
	// fail: an earlier delivery may have made it.
	Create(ctx context.Context, req *CreateRequest[P]) (D, error)
	// Update changes the resource req.PhysicalID in place. It never replaces one: if a createOnly
	// property changed, Create is called and CloudFormation deletes the old resource in its
	// cleanup. An Update with IdentityChanged must not change the tag with the StableID, or any
	// other mark that Find uses: rewriting it turns the Update's rollback into a replacement, in
	// which CloudFormation deletes the live resource.
	Update(ctx context.Context, req *UpdateRequest[P]) (D, error)
	// Delete removes the resource req.PhysicalID, which may never have existed. It goes by that ID.
	// If the template chooses names, another resource may have the name by now: Delete leaves a
	// thing that bears the mark of another one (see [Request.StableIDOf]). A thing that bears none
	// may be one that a program without this SDK made.
	Delete(ctx context.Context, req *DeleteRequest[P]) error
}

// A Finder is a Handler that can find its resource again. Implement Find if the service assigns the
// physical IDs, such as ARNs or URLs, or the template chooses them. The dispatcher calls it if an
// earlier answer may have been lost, and if an Update may be a replacement.
type Finder[P any] interface {
	// Find returns the physical ID of the resource that is tagged with req.StableID(), or that
	// otherwise is proved to be this one, and "" with a nil error if there is none. A name alone is
	// no proof: another stack may own the thing of that name. Find also knows the marks of the
	// handler's earlier versions. A thing that a program without this SDK made has none: Find does
	// not return it, and Update and Delete get its ID (docs/moving.md).
	//
	// If req.PhysicalID is set, Find reads that thing before it searches, and returns its ID if it
	// bears req.StableID(): a search may lag, and a twin may bear the same tag. If the template
	// chooses names, Find looks only under the name in Properties: in a replacement PhysicalID is
	// the old thing, which bears the [Request.StableIDOf] of its own name. PhysicalID may be an ID
	// that CloudFormation made up: if the service refuses its form, no such thing exists. Find
	// reads each thing that a search shows before it returns its ID, since the thing may be
	// deleted.
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
	// Replaces is the ID of the resource that this one replaces, which still exists, or "". An
	// Update that finishes a Create does not get it: Create writes what that Update needs of the
	// old resource to the new one.
	Replaces string

	created    createdID
	dispatched *createdID // the dispatcher's, which outlives the call
}

// Created says that physicalID exists now, and is the value of Ref. Call it once the service has
// confirmed that, never before: if the Create fails, the dispatcher deletes physicalID. Without the
// call the ID is the StableID, and if a replacement fails, the dispatcher deletes nothing. So do
// not call Created after a call that may have met an existing thing, such as a PUT: in the rollback
// of a replacement that would be the resource in use.
//
// The ID survives an error, a panic and the deadline. Of several calls the last counts, and an empty
// ID is ignored. CloudFormation never learns of the other IDs: the Reason of a failure and a warning
// in the log name the first four. CloudFormation keeps IDs of up to 1024 bytes. Created may be
// called by any goroutine.
func (r *CreateRequest[P]) Created(physicalID string) { r.id().set(physicalID) }

// CreatedID returns the ID passed to Created last, or "". It is for tests.
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
	// Adopted says that a Create found this resource to exist already: an
	// earlier delivery made it, or a rollback returns to it. How much of it
	// exists is not known, and OldProperties are zero.
	Adopted bool
	// IdentityChanged says that a property tagged createOnly changed, but that
	// the resource cannot be replaced, since nothing leads from the properties
	// to its ID. The handler may return [CodeNotUpdatable], but not if the
	// resource already has Properties: that is the rollback of the Update that
	// it refused.
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

// Action returns a Handler that makes nothing to delete: for look-ups, and jobs that run once for
// each change of their properties. It calls run for a Create and for each Update; a Delete does
// nothing. The physical ID is the StableID. For a Create, run sees an UpdateRequest with Adopted
// set and no old properties. As CloudFormation may deliver an event twice, run may be called twice.
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
