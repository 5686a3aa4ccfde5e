package mask

import (
	"slices"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// Event hides secrets in the properties and the reason of a row.
func Event(e engine.Event, secrets []string) engine.Event {
	if e.ResourceProperties != "" {
		e.ResourceProperties = engine.Properties(JSON([]byte(e.ResourceProperties), secrets))
	}
	e.ResourceStatusReason = Text(e.ResourceStatusReason, secrets)
	return e
}

// Stack returns a copy of a stack in which secrets and signatures are hidden in rows
// and reasons. Requests are as they were: [JSON] is for them.
func Stack(of *engine.Stack, secrets []string) *engine.Stack {
	s := *of
	s.StatusReason = Text(s.StatusReason, secrets)
	s.Events = slices.Clone(s.Events)
	for i, e := range s.Events {
		s.Events[i] = Event(e, secrets)
	}
	for _, list := range []*[]*engine.StackResource{&s.Resources, &s.Leaving} {
		*list = slices.Clone(*list)
		for i, res := range *list {
			shown := *res
			shown.StatusReason = Text(shown.StatusReason, secrets)
			(*list)[i] = &shown
		}
	}
	s.Left = slices.Clone(s.Left)
	for i := range s.Left {
		s.Left[i].Why = Text(s.Left[i].Why, secrets)
	}
	s.Nested = slices.Clone(s.Nested)
	for i, nested := range s.Nested {
		s.Nested[i] = Stack(nested, secrets)
	}
	return &s
}
