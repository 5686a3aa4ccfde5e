package local

import (
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/page"
)

// Story returns what a page of a stack is made of, with its secrets hidden.
func (h *Home) Story(name string) (*page.Story, error) {
	kept, err := h.Stack(name)
	if err != nil {
		return nil, err
	}
	return h.story(kept)
}

// story is the Story of a record. Its rows and reasons are hidden already; Hide is for the rest.
func (h *Home) story(kept *record.Record) (*page.Story, error) {
	beside, err := h.traced(kept.Stack.Name, kept.Stack.ID)
	if err != nil {
		return nil, err
	}
	secrets := kept.Secrets()
	lines := mask.ByLine(secrets)
	s := &page.Story{
		Stacks: []*engine.Stack{mask.Stack(kept.Stack, secrets)}, Beside: beside,
		Hide:  func(text []byte) []byte { return mask.JSON(text, lines) },
		Clock: func(t time.Time) string { return t.Local().Format(time.TimeOnly) },
		Log:   h.Log(kept.Stack.Name),
	}
	s.Left = left(s.Stacks[0])
	return s, nil
}

// left is what a stack has left behind, and what is in doubt.
func left(s *engine.Stack) (all []page.Left) {
	from := len(s.Sent()) // requests of which nothing is known were told when they ended so
	if s.Deleted() {
		from = 0
	}
	for _, r := range Leftovers(s, from) {
		all = append(all, page.Left{Name: r.LogicalID, Text: r.String()})
	}
	return append(all, UnfinishedResources(s)...)
}
