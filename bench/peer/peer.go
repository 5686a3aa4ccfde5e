// Package peer is the function that ours is compared with, as it is written
// with aws-lambda-go's cfn package.
package peer

import (
	"context"
	"time"

	"github.com/aws/aws-lambda-go/cfn"
)

// Subscription does nothing, for as long as Work.
type Subscription struct {
	Work     time.Duration
	Returned func() // is called as Handle returns
}

// Handle returns after the work.
func (s *Subscription) Handle(ctx context.Context, event cfn.Event) (physicalID string, data map[string]any, err error) {
	topic, _ := event.ResourceProperties["Topic"].(string)
	if s.Work > 0 {
		select {
		case <-time.After(s.Work):
		case <-ctx.Done():
		}
	}
	if s.Returned != nil {
		s.Returned()
	}
	return "sub-1", map[string]any{"URL": "https://example.com/" + topic}, nil
}
