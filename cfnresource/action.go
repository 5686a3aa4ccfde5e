package cfnresource

import "context"

// Action returns a Handler for what makes nothing that could be deleted:
// look-ups, and jobs that run once for each change of their properties. It
// calls run for a Create and for each Update; a Delete does nothing. The
// physical ID is the StableID. For a Create, run sees an UpdateRequest without
// old properties, whose OldPropertiesErr is [ErrAdopted]. As CloudFormation may
// deliver an event twice, run may be called twice.
func Action[P, D any](run func(context.Context, *UpdateRequest[P]) (UpdateResult[D], error)) Handler[P, D] {
	return action[P, D](run)
}

// makesNothing says that a Delete need not wait for a Create that may still run.
func (action[P, D]) makesNothing() {}

type action[P, D any] func(context.Context, *UpdateRequest[P]) (UpdateResult[D], error)

func (a action[P, D]) Create(ctx context.Context, req *CreateRequest[P]) (CreateResult[D], error) {
	id := req.StableID()
	res, err := a(ctx, &UpdateRequest[P]{Request: req.Request, PhysicalID: id, Properties: req.Properties, OldPropertiesErr: ErrAdopted})
	return CreateResult[D]{PhysicalID: id, Data: res.Data}, err
}

func (a action[P, D]) Update(ctx context.Context, req *UpdateRequest[P]) (UpdateResult[D], error) {
	return a(ctx, req)
}

func (a action[P, D]) Delete(context.Context, *DeleteRequest[P]) error { return nil }
