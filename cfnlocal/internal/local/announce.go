package local

import (
	"context"
	"path"
	"slices"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
)

// announce tells what is about to be run, each program once: first what the command has
// said, then what only the state says, and the list.
func (o *operation) announce(context.Context, *unwinding) error {
	if o.settings.Runs == nil {
		return nil
	}
	var all []record.Run
	of := o.record.Current()
	if o.record.Next != nil {
		of = o.record.Next
		plan, err := of.Plan(o.record.Stack)
		if err != nil {
			return err
		}
		all = of.Runs(of.Functions(plan))
	}
	for _, r := range o.kept() {
		if !slices.ContainsFunc(all, r.Same) {
			all = append(all, r)
		}
	}
	if list := o.settings.List; list != nil {
		all = append(all, of.List(list.Command))
	}
	o.settings.Runs(all)
	return nil
}

// kept are what the deployments have run that the stack can be led to, or back to.
func (o *operation) kept() (all []record.Run) {
	secrets := o.record.Secrets()
	for _, stack := range o.record.Stack.All() {
		for _, rev := range o.record.RevisionsOf(stack) {
			plan, err := rev.Plan(stack)
			if err != nil {
				continue // it imported what is gone, and cannot be run
			}
			for _, r := range rev.Runs(rev.Functions(plan)) {
				if r.Source != "" {
					_, err := o.home.dir.Stat(path.Join(programsOf(o.name(), rev.Number), programOf(r.Source)))
					r.Built = err == nil
				}
				r.Command = mask.Text(r.Command, secrets)
				all = append(all, r)
			}
		}
	}
	return all
}
