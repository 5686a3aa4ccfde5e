package query

import "slices"

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
