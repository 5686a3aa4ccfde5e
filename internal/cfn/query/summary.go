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
