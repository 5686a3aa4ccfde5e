package main

import (
	"context"
	"errors"

	"github.com/cfnresource/sdk-go/cfnresource"
)

type Props struct {
	Topic  string `cfn:"createOnly,required" doc:"The topic. Another topic makes another subscription."`
	Active bool   `doc:"Whether it delivers messages."`                                    // arrives as "true"
	Days   int    `cfn:"default=14" doc:"How many days messages are kept, from 1 to 365."` // arrives as "30"
}

type Data struct {
	Secret string `cfn:"secret" doc:"The key that signs the deliveries."` // !GetAtt Subscription.Secret reads it
}

type Subscription struct{ hub Hub }

func (s *Subscription) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
	id := req.StableID()
	secret, err := s.hub.Create(ctx, id, Settings(req.Properties))
	if errors.Is(err, ErrExists) {
		err = cfnresource.AlreadyExists(id) // made by an earlier delivery: Update finishes it
	} else if err == nil {
		req.Created(id) // if the Create fails from here on, it is deleted
	}
	return Data{secret}, err
}

func (s *Subscription) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	secret, err := s.hub.Put(ctx, req.PhysicalID, Settings(req.Properties))
	return Data{secret}, err
}

func (s *Subscription) Delete(ctx context.Context, req *cfnresource.DeleteRequest[Props]) error {
	return s.hub.Delete(ctx, req.PhysicalID) // what is gone already is NotFound, which is success
}
