package api

import (
	"regexp"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Reader provides the stacks. Its methods are safe for concurrent use.
type Reader interface {
	// Names returns the names of all stacks, also of deleted ones, sorted.
	Names() ([]string, error)
	// Stack returns the latest stack of a name, or nil if there has been none.
	Stack(name string) (*Stack, error)
}

// A Stack is a stack as it is at one moment. It does not change while it is read.
type Stack struct {
	*engine.Stack
	// Description, Parameters, Declared and Template, which is its text, are those of the template
	// that the stack is being brought to, or back to. Secrets are masked in all of them.
	Description string
	Parameters  []Parameter
	Declared    []Declared
	Template    string
	// Capabilities and Tags are those that an order gave.
	Capabilities []string
	Tags         []Tag
}

// A Parameter is a parameter's value, with the API's names.
type Parameter struct {
	ParameterKey, ParameterValue string
	ResolvedValue                string `xml:",omitempty"`
}

func (s *Stack) deleted() bool { return s.Status == "" || s.Status == "DELETE_COMPLETE" }

// nameOrARN is the form of a StackName, which errors quote [O].
var nameOrARN = regexp.MustCompile(`^(?:[a-zA-Z][-a-zA-Z0-9]*|arn:[-a-zA-Z0-9:/._+]*)$`)

// maxName is how long a stack's name can be (CreateStack).
const maxName = 128

// stack returns the stack that StackName names. A deleted stack is found by its
// ARN alone [D]. missing is the error's text if there is none: each action has its own.
func (c *call) stack(missing string) (*Stack, error) {
	id, err := c.required("StackName")
	if err != nil {
		return nil, err
	}
	if !nameOrARN.MatchString(id) {
		return nil, invalidValue(id, "StackName", "Member must satisfy regular expression pattern: [a-zA-Z][-a-zA-Z0-9]*|arn:[-a-zA-Z0-9:/._+]*")
	}
	s, err := c.find(id)
	if err == nil && s == nil {
		err = invalid(missing, shorten(id))
	}
	return s, err
}

// find returns the stack of a name or an ARN, or nil.
func (c *call) find(id string) (*Stack, error) {
	name, byARN := id, false
	if strings.HasPrefix(id, "arn:") {
		byARN = true
		if parts := strings.SplitN(id, "/", 3); len(parts) == 3 {
			name = parts[1]
		}
	}
	if len(name) > maxName {
		return nil, nil
	}
	s, err := c.reader.Stack(name)
	switch {
	case err != nil, s == nil:
		return nil, err
	case s.Status == "", byARN && s.ID != id:
		return nil, nil
	case !byARN && s.deleted(): // only an ARN finds a deleted stack
		return nil, nil
	}
	return s, nil
}

type describeStacksResult struct {
	Stacks    members[stackDescription]
	NextToken string `xml:",omitempty"`
}

type stackDescription struct {
	StackId, StackName                          string
	Description                                 string `xml:",omitempty"`
	Parameters                                  members[Parameter]
	CreationTime, DeletionTime, LastUpdatedTime timestamp
	RollbackConfiguration                       struct{}
	StackStatus                                 string
	StackStatusReason                           string `xml:",omitempty"`
	DisableRollback                             bool
	NotificationARNs                            struct{}
	Capabilities                                members[string]
	Outputs                                     members[output]
	Tags                                        members[Tag]
	EnableTerminationProtection                 bool
	ParentId, RootId                            string `xml:",omitempty"` // of a nested stack
	DriftInformation                            stackDrift
}

type output struct {
	OutputKey, OutputValue  string
	Description, ExportName string `xml:",omitempty"`
}

// A stackDrift says that nobody has looked for drift.
type stackDrift struct{ StackDriftStatus string }

var noDrift = stackDrift{"NOT_CHECKED"}

type listStacksResult struct {
	StackSummaries members[stackSummary]
	NextToken      string `xml:",omitempty"`
}

type stackSummary struct {
	StackId, StackName                          string
	TemplateDescription                         string `xml:",omitempty"`
	CreationTime, LastUpdatedTime, DeletionTime timestamp
	StackStatus                                 string
	StackStatusReason                           string `xml:",omitempty"`
	ParentId, RootId                            string `xml:",omitempty"`
	DriftInformation                            stackDrift
}

// describeStacks is DescribeStacks: one stack, or all that are not deleted.
func (c *call) describeStacks() (any, error) {
	var r describeStacksResult
	if c.values.Has("StackName") {
		s, err := c.stack("Stack with id %s does not exist") // [V]
		if err != nil {
			return nil, err
		}
		r.Stacks.Members = []stackDescription{s.describe()}
		return r, nil
	}
	all, next, err := c.page(func(s *Stack) bool { return !s.deleted() })
	for _, s := range all {
		r.Stacks.Members = append(r.Stacks.Members, s.describe())
	}
	r.NextToken = next
	return r, err
}

// listStacks is ListStacks: all stacks, also deleted ones, or those of some statuses.
func (c *call) listStacks() (any, error) {
	wanted := c.list("StackStatusFilter")
	for _, status := range wanted {
		if !slices.Contains(engine.StackStatuses, status) { // [O] the form of other services' errors
			return nil, invalidValue("["+strings.Join(wanted, ", ")+"]", "StackStatusFilter",
				"Member must satisfy constraint: [Member must satisfy enum value set: ["+strings.Join(engine.StackStatuses, ", ")+"]]")
		}
	}
	all, next, err := c.page(func(s *Stack) bool {
		return s.Status != "" && (len(wanted) == 0 || slices.Contains(wanted, s.Status))
	})
	var r listStacksResult
	for _, s := range all {
		r.StackSummaries.Members = append(r.StackSummaries.Members, s.summarise())
	}
	r.NextToken = next
	return r, err
}

// page returns a page of the stacks that are wanted, by name [?], and the NextToken of those that
// follow. A stack that comes or goes meanwhile moves no other to another page.
func (c *call) page(wanted func(*Stack) bool) (all []*Stack, next string, err error) {
	after, err := c.place("")
	if err != nil {
		return nil, "", err
	}
	names, err := c.reader.Names()
	if err != nil {
		return nil, "", err
	}
	for _, name := range names {
		if name <= after {
			continue
		}
		s, err := c.reader.Stack(name)
		switch {
		case err != nil:
			return nil, "", err
		case s == nil || !wanted(s): // gone since
			continue
		case len(all) == pageSize:
			return all, c.token("", all[pageSize-1].Name), nil
		}
		all = append(all, s)
	}
	return all, "", nil
}

func (s *Stack) describe() stackDescription {
	d := stackDescription{
		StackId: s.ID, StackName: s.Name, Description: s.Description,
		StackStatus: s.Status, StackStatusReason: s.StatusReason,
		DisableRollback:             s.Operation != nil && s.Operation.DisableRollback,
		EnableTerminationProtection: s.TerminationProtection, ParentId: s.Parent, RootId: s.Root, DriftInformation: noDrift,
	}
	d.Parameters.Members, d.Capabilities.Members, d.Tags.Members = s.Parameters, s.Capabilities, s.Tags
	d.CreationTime, d.LastUpdatedTime, d.DeletionTime = s.times()
	for _, o := range s.Outputs {
		d.Outputs.Members = append(d.Outputs.Members, output{o.Name, o.Value, o.Description, o.ExportName})
	}
	return d
}

func (s *Stack) summarise() stackSummary {
	summary := stackSummary{
		StackId: s.ID, StackName: s.Name, TemplateDescription: s.Description,
		StackStatus: s.Status, StackStatusReason: s.StatusReason,
		ParentId: s.Parent, RootId: s.Root, DriftInformation: noDrift,
	}
	summary.CreationTime, summary.LastUpdatedTime, summary.DeletionTime = s.times()
	return summary
}

// times are when the stack's creation, its latest update and its latest deletion began, as its rows
// have it. That an update's or a deletion's time is its beginning is inferred [I].
func (s *Stack) times() (created, updated, deleted timestamp) {
	for i := range s.Events {
		e := &s.Events[i]
		switch {
		case i == 0:
			created = timestamp(e.Timestamp)
		case !e.OfStack():
		case e.ResourceStatus == "DELETE_IN_PROGRESS":
			deleted = timestamp(e.Timestamp)
		}
	}
	return created, timestamp(s.Updated), deleted
}

// A Declared is a parameter as a template declares it, with the API's names.
type Declared struct {
	ParameterKey  string
	DefaultValue  *string `xml:",omitempty"`
	ParameterType string
	NoEcho        bool
	Description   string `xml:",omitempty"`
}

type getTemplateSummaryResult struct {
	Parameters    members[Declared]
	Description   string `xml:",omitempty"`
	ResourceTypes members[string]
}

// getTemplateSummary is GetTemplateSummary of the template of a stack: the one
// that GetTemplate returns. Templates that are sent along are not read here.
func (c *call) getTemplateSummary() (any, error) {
	for _, other := range []string{"TemplateBody", "TemplateURL", "StackSetName"} {
		if c.text(other) != "" {
			return nil, invalid("%s is not read here: give StackName", other)
		}
	}
	s, err := c.stack("Stack with id %s does not exist") // [O]
	if err != nil {
		return nil, err
	}
	r := getTemplateSummaryResult{Description: s.Description}
	r.Parameters.Members = s.Declared
	for _, row := range s.rows() {
		r.ResourceTypes.Members = append(r.ResourceTypes.Members, row.ResourceType)
	}
	slices.Sort(r.ResourceTypes.Members)
	r.ResourceTypes.Members = slices.Compact(r.ResourceTypes.Members)
	return r, nil
}

type getTemplateResult struct {
	TemplateBody    string
	StagesAvailable members[string]
}

// stages are both, for every stack [D].
var stages = []string{"Original", "Processed"}

// getTemplate is GetTemplate. Which template it is while an update is under way
// is not known; here it is the one that the stack is brought to, or back to [?].
func (c *call) getTemplate() (any, error) {
	if c.text("ChangeSetName") != "" {
		return nil, &RefusalError{404, "ChangeSetNotFound", "ChangeSet [" + shorten(c.text("ChangeSetName")) + "] does not exist"} // [D] the code, [O] the words
	}
	if stage := c.text("TemplateStage"); stage != "" && !slices.Contains(stages, stage) {
		return nil, invalidValue(stage, "TemplateStage", "Member must satisfy enum value set: [Original, Processed]") // [O]
	}
	s, err := c.stack("Stack with id %s does not exist") // [O]
	if err != nil {
		return nil, err
	}
	return getTemplateResult{s.Template, members[string]{stages}}, nil
}
