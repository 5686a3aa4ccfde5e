package api

import (
	"slices"
	"strconv"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// maxResources is how many DescribeStackResources returns, without a next page [D].
const maxResources = 100

type describeStackResourceResult struct{ StackResourceDetail stackResourceDetail }

type stackResourceDetail struct {
	StackId, StackName string
	row
	Metadata         string // an empty object, as without any in the template [V]
	DriftInformation resourceDrift
}

type describeStackResourcesResult struct{ StackResources members[stackResource] }

type stackResource struct {
	StackId, StackName, LogicalResourceId string
	PhysicalResourceId                    string `xml:",omitempty"`
	ResourceType                          string
	Timestamp                             timestamp
	ResourceStatus                        string
	ResourceStatusReason                  string `xml:",omitempty"`
	DriftInformation                      resourceDrift
}

type resourceDrift struct{ StackResourceDriftStatus string }

// A row is a resource of a stack, with the API's names.
type row struct {
	LogicalResourceId    string
	PhysicalResourceId   string `xml:",omitempty"`
	ResourceType         string
	LastUpdatedTimestamp timestamp
	ResourceStatus       string
	ResourceStatusReason string `xml:",omitempty"`
}

type listStackResourcesResult struct {
	StackResourceSummaries members[stackResourceSummary]
	NextToken              string `xml:",omitempty"`
}

type stackResourceSummary struct {
	row
	DriftInformation resourceDrift
}

func (c *call) describeStackResource() (any, error) {
	s, err := c.stack("Stack '%s' does not exist") // [V]
	if err != nil {
		return nil, err
	}
	id, err := c.required("LogicalResourceId")
	if err != nil {
		return nil, err
	}
	rows := s.rows()
	i := slices.IndexFunc(rows, func(r row) bool { return r.LogicalResourceId == id })
	if i < 0 {
		return nil, invalid("Resource %s does not exist for stack %s", shorten(id), shorten(c.text("StackName"))) // [V]
	}
	return describeStackResourceResult{stackResourceDetail{
		StackId: s.ID, StackName: s.Name, row: rows[i], Metadata: "{}", DriftInformation: noResourceDrift,
	}}, nil
}

var noResourceDrift = resourceDrift{"NOT_CHECKED"} // [V]

// describeStackResources is DescribeStackResources: of the stack that is named,
// or of that which has a physical resource.
func (c *call) describeStackResources() (any, error) {
	s, err := c.stackOfResource()
	if err != nil {
		return nil, err
	}
	rows := s.rows()
	if id := c.text("LogicalResourceId"); id != "" {
		rows = slices.DeleteFunc(rows, func(r row) bool { return r.LogicalResourceId != id })
		if len(rows) == 0 {
			return nil, invalid("Resource %s does not exist for stack %s", shorten(id), s.Name) // [I]
		}
	}
	var all describeStackResourcesResult
	for _, r := range rows[:min(len(rows), maxResources)] {
		all.StackResources.Members = append(all.StackResources.Members, stackResource{
			StackId: s.ID, StackName: s.Name, LogicalResourceId: r.LogicalResourceId, PhysicalResourceId: r.PhysicalResourceId, ResourceType: r.ResourceType,
			Timestamp: r.LastUpdatedTimestamp, ResourceStatus: r.ResourceStatus, ResourceStatusReason: r.ResourceStatusReason, DriftInformation: noResourceDrift,
		})
	}
	return all, nil
}

// listStackResources is ListStackResources: all resources of a stack, a page at a time.
func (c *call) listStackResources() (any, error) {
	s, err := c.stack("Stack with id %s does not exist") // [O]
	if err != nil {
		return nil, err
	}
	rows := s.rows()
	first, err := c.index(s.ID, 0, len(rows)-1)
	if err != nil {
		return nil, err
	}
	end := min(first+pageSize, len(rows))
	var all listStackResourcesResult
	for _, r := range rows[first:end] {
		all.StackResourceSummaries.Members = append(all.StackResourceSummaries.Members, stackResourceSummary{r, noResourceDrift})
	}
	if end < len(rows) {
		all.NextToken = c.token(s.ID, strconv.Itoa(end))
	}
	return all, nil
}

// stackOfResource returns the stack that DescribeStackResources is about. That one of the two
// parameters must be given, and not both, is documented; what is said otherwise is not known [?].
func (c *call) stackOfResource() (*Stack, error) {
	name, id := c.text("StackName"), c.text("PhysicalResourceId")
	switch {
	case name != "" && id != "":
		return nil, invalid("StackName and PhysicalResourceId cannot be specified together")
	case name != "":
		return c.stack("Stack with id %s does not exist") // [O]
	case id == "":
		return nil, invalid("Either StackName or PhysicalResourceId must be specified")
	}
	names, err := c.reader.Names()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		s, err := c.reader.Stack(name)
		if err != nil {
			return nil, err
		}
		exists := s != nil && !s.deleted()
		if exists && slices.ContainsFunc(s.rows(), func(r row) bool { return r.PhysicalResourceId == id }) {
			return s, nil
		}
	}
	return nil, invalid("Stack for %s does not exist", shorten(id)) // [?]
}

// rows are the stack's resources, each logical ID once.
//
// A replaced resource shows what replaced it, also while the former one is deleted in the cleanup;
// a removed one shows the Delete of what was removed until the cleanup ends [?]: what AWS shows at
// that time was not recorded. After that it is not there [V]. A deleted stack shows what its rows
// say last, since its resources can be described for some time [D].
func (s *Stack) rows() (all []row) {
	seen := map[string]bool{}
	add := func(r row) {
		if !seen[r.LogicalResourceId] && r.ResourceStatus != "" {
			seen[r.LogicalResourceId] = true
			all = append(all, r)
		}
	}
	for _, list := range [][]*engine.StackResource{s.Resources, s.Leaving} {
		for _, r := range list {
			if r != nil {
				add(row{LogicalResourceId: r.LogicalID, PhysicalResourceId: r.PhysicalID, ResourceType: r.Type,
					LastUpdatedTimestamp: s.since(r), ResourceStatus: r.Status, ResourceStatusReason: r.StatusReason})
			}
		}
	}
	if s.deleted() {
		for _, e := range slices.Backward(s.Events) {
			if !e.OfStack() {
				add(row{LogicalResourceId: e.LogicalResourceId, PhysicalResourceId: e.PhysicalResourceId, ResourceType: e.ResourceType,
					LastUpdatedTimestamp: timestamp(e.Timestamp), ResourceStatus: e.ResourceStatus, ResourceStatusReason: e.ResourceStatusReason})
			}
		}
	}
	return all
}

// since is when a resource came to its status: its latest row of that status, or of any.
func (s *Stack) since(r *engine.StackResource) timestamp {
	latest := timestamp{}
	for _, e := range slices.Backward(s.Events) {
		if e.LogicalResourceId != r.LogicalID || e.OfStack() {
			continue
		}
		if e.ResourceStatus == r.Status && e.PhysicalResourceId == r.PhysicalID {
			return timestamp(e.Timestamp)
		}
		if latest == (timestamp{}) {
			latest = timestamp(e.Timestamp)
		}
	}
	return latest
}

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
