package main

type storyCmd struct {
	stackArg
	HTML string `name:"html" help:"The file to write. An existing file is replaced." placeholder:"FILE" required:""`
}

// Help is shown by cfnlocal story --help.
func (storyCmd) Help() string {
	return `The page needs no network and no script. For each operation it has a lane for each resource, with its statuses, requests, answers and faults, and what was left behind. Each request opens to its event, its answers and its handler's log.

Secrets are hidden as in the command's other output: values of NoEcho parameters and what the template makes of them, Data of answers with NoEcho, and signatures of URLs. Everything else that a handler logs is shown.

cfnlocal serve shows the same pages, and follows running operations.`
}

// Run writes the page.
func (c *storyCmd) Run(a *app) error {
	h, name, err := c.find(a)
	if err != nil {
		return err
	}
	story, err := h.Story(name)
	if err != nil {
		return a.explain(name, nil, err)
	}
	story.Next = next(story.Stacks[0])
	if err := story.View().WriteFile(c.HTML); err != nil {
		return &failure{err, "choose another file", exitRefused}
	}
	a.tell(c.HTML+" shows the stack "+name+": open it in a browser.", map[string]any{"Written": c.HTML})
	return nil
}
