package local

import (
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// CodeOf returns the stack whose functions answer for the failed resources of a stack, or for all if none has failed: the stack
// itself, or another one in the directory. It is "" if no stack has a function for any of them, such as where a command is
// given for an ARN.
func (h *Home) CodeOf(r *record.Record) string {
	var all, failed []*engine.StackResource
	for _, s := range r.Stack.All() {
		for _, res := range slices.Concat(s.Resources, s.Leaving) {
			if res.Gone || !handled(s, res.Type) {
				continue
			}
			all = append(all, res)
			if strings.HasSuffix(res.Status, "_FAILED") {
				failed = append(failed, res)
			}
		}
	}
	if len(failed) == 0 {
		failed = all
	}
	o := newOperation(h, r, nil, Settings{})
	for _, res := range failed {
		if owner := o.owner(res); owner != "" {
			return owner
		}
	}
	return ""
}

// owner returns the stack that has a resource's function, or "".
func (o *operation) owner(res *engine.StackResource) (stack string) {
	token, rev := textProperty(res.Properties.Map(), "ServiceToken"), o.record.Revisions[o.record.Stack.Target]
	switch {
	case !engine.IsCustomResource(res.Type), newSearch(o.record, token).declared(token):
		return o.name()
	case rev != nil && rev.CommandOf(token) != "":
		return ""
	}
	o.eachOther(func(r *record.Record) {
		if stack == "" && newSearch(r, token).declared(token) {
			stack = r.Stack.Name
		}
	})
	return stack
}
