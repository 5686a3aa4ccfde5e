package cfnresource

import "context"

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
