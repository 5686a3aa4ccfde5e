// Package before manages mailboxes with aws-lambda-go/cfn.
package before

import (
	"context"
	"errors"
	"strconv"

	"github.com/aws/aws-lambda-go/cfn"

	"github.com/cfnresource/sdk-go/internal/repo/guides/testing/mail"
)

// Mailboxes is the handler: lambda.Start(cfn.LambdaWrap(m.Handle)).
type Mailboxes struct{ API mail.API }

// Handle answers all events.
func (m *Mailboxes) Handle(ctx context.Context, event cfn.Event) (physicalResourceID string, data map[string]any, err error) {
	if event.RequestType == cfn.RequestDelete {
		return event.PhysicalResourceID, nil, m.API.Close(ctx, event.PhysicalResourceID)
	}
	owner, _ := event.ResourceProperties["Owner"].(string)
	text, _ := event.ResourceProperties["Quota"].(string)
	quota, err := strconv.Atoi(text)
	if err != nil {
		return event.PhysicalResourceID, nil, errors.New("the Quota is no number")
	}
	name := "mailbox-" + owner
	if name != event.PhysicalResourceID { // a Create, or another owner's
		if err := m.API.Open(ctx, name, owner); err != nil {
			return event.PhysicalResourceID, nil, err
		}
	}
	return name, map[string]any{"Address": name + "@example.com"}, m.API.SetQuota(ctx, name, quota)
}
