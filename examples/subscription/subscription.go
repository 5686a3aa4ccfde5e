package main

import (
	"context"
	"errors"

	"github.com/cfnresource/sdk-go/cfnresource"
)

type Props struct {
	Topic  string `cfn:"createOnly,required"` // another topic is another subscription
	Active bool   // arrives as "true"
	Days   int    `cfn:"default=14"` // arrives as "30"
}

type Data struct {
	Secret string `cfn:"secret"` // what !GetAtt Subscription.Secret reads
}

type Subscription struct{ hub Hub }

func (s *Subscription) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (res cfnresource.CreateResult[Data], err error) {
	id := req.StableID()
	res.Data.Secret, err = s.hub.Create(ctx, id, Settings(req.Properties))
	if errors.Is(err, ErrExists) {
		return res, cfnresource.AlreadyExists(id) // made by an earlier delivery: Update finishes it
	} else if err == nil {
		req.Track(id) // made: if the Create fails from here on, it is deleted
	}
	return res, err
}

func (s *Subscription) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (res cfnresource.UpdateResult[Data], err error) {
	res.Data.Secret, err = s.hub.Put(ctx, req.PhysicalID, Settings(req.Properties))
	return res, err
}

func (s *Subscription) Delete(ctx context.Context, req *cfnresource.DeleteRequest[Props]) error {
	if err := s.hub.Delete(ctx, req.PhysicalID); !errors.Is(err, ErrNotFound) {
		return err
	}
	return nil // gone already, or never made
}
