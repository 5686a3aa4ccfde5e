package query

import "slices"

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
// is not known; here it is the one that the stack is led to, or back to [?].
func (c *call) getTemplate() (any, error) {
	if c.text("ChangeSetName") != "" {
		return nil, &apiError{404, "ChangeSetNotFound", "ChangeSet [" + shorten(c.text("ChangeSetName")) + "] does not exist"} // [D] the code, [O] the words
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
