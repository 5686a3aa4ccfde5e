// Package ours is the function that is measured, as it is written with this SDK.
package ours

import (
	"context"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// Props are the properties of a topic's subscription.
type Props struct {
	Topic    string `cfn:"createOnly"`
	Endpoint string `cfn:"required"`
	Active   bool
	Days     int
	Tags     map[string]string
}

// Data is what Fn::GetAtt reads.
type Data struct{ URL string }

// Subscription does nothing, for as long as Work.
type Subscription struct {
	Work     time.Duration
	Returned func() // is called as a method returns
}

// Create returns after the work.
func (s *Subscription) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (data Data, err error) {
	data.URL = "https://example.com/" + req.Properties.Topic
	s.work(ctx)
	return data, nil
}

// Update returns after the work.
func (s *Subscription) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (data Data, err error) {
	data.URL = "https://example.com/" + req.Properties.Topic
	s.work(ctx)
	return data, nil
}

// Delete returns after the work.
func (s *Subscription) Delete(ctx context.Context, _ *cfnresource.DeleteRequest[Props]) error {
	s.work(ctx)
	return nil
}

func (s *Subscription) work(ctx context.Context) {
	if s.Work > 0 {
		select {
		case <-time.After(s.Work):
		case <-ctx.Done():
		}
	}
	if s.Returned != nil {
		s.Returned()
	}
}
