package query

import (
	"strconv"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

type describeStackEventsResult struct {
	StackEvents members[stackEvent]
	NextToken   string `xml:",omitempty"`
}

// A stackEvent is a row, with the API's names.
type stackEvent struct {
	StackId, EventId, StackName string
	OperationId                 string `xml:",omitempty"`
	LogicalResourceId           string
	PhysicalResourceId          string // written also if it is empty [V]
	ResourceType                string
	Timestamp                   timestamp
	ResourceStatus              string
	ResourceStatusReason        string `xml:",omitempty"`
	ResourceProperties          string `xml:",omitempty"`
}

// describeStackEvents is DescribeStackEvents: the newest rows first. Rows that
// are added while somebody turns the pages are on none of those that follow,
// since the next page is what is older than this one.
func (c *call) describeStackEvents() (any, error) {
	s, err := c.stack("Stack [%s] does not exist") // [O]
	if err != nil {
		return nil, err
	}
	end, err := c.index(s.ID, len(s.Events), len(s.Events))
	if err != nil {
		return nil, err
	}
	var r describeStackEventsResult
	first := max(0, end-pageSize)
	for i := end - 1; i >= first; i-- {
		r.StackEvents.Members = append(r.StackEvents.Members, s.event(&s.Events[i]))
	}
	if first > 0 {
		r.NextToken = c.token(s.ID, strconv.Itoa(first))
	}
	return r, nil
}

func (s *Stack) event(e *engine.Event) stackEvent {
	return stackEvent{
		StackId: e.StackId, EventId: e.EventId, StackName: e.StackName, OperationId: e.OperationId,
		LogicalResourceId: e.LogicalResourceId, PhysicalResourceId: e.PhysicalResourceId, ResourceType: e.ResourceType,
		Timestamp: timestamp(e.Timestamp), ResourceStatus: e.ResourceStatus, ResourceStatusReason: e.ResourceStatusReason,
		ResourceProperties: string(e.ResourceProperties),
	}
}
