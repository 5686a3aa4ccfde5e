package play

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cfnresource/sdk-go/lifecycle"
)

// state returns the state of the thing with an ID, or nil.
func (r *run) state(id string) any {
	if r.service.State == nil || id == "" {
		return nil
	}
	if state := r.service.State(id); !isNothing(state) {
		return state
	}
	return nil
}

// remaining returns the IDs of all things that can be seen, except those that existed
// before the run.
func (r *run) remaining() []string {
	ids := r.seenIDs()
	maps.DeleteFunc(ids, func(id string, _ bool) bool { return r.state(id) == nil })
	if r.service.List != nil {
		for _, id := range r.service.List() {
			ids.add(id)
		}
	}
	for _, id := range r.before {
		delete(ids, id)
	}
	return slices.Sorted(maps.Keys(ids))
}

// mustDeploy deploys properties, without which there is nothing to judge.
func (r *run) mustDeploy(props any) {
	status := r.deploy(props)
	if r.err == nil && status != lifecycle.StackCreateComplete {
		r.err = unjudgedError(fmt.Sprintf("the stack that was to be created for it is in %s", status))
	}
}

func (r *run) mustBeIn(want lifecycle.StackStatus) {
	if status := r.status(); status != want {
		r.err = r.failf("the stack is in %s, want %s", status, want)
	}
}

// checkOnly checks that a thing exists, and nothing else.
func (r *run) checkOnly(id string) {
	if r.service.State != nil && r.state(id) == nil || r.service.List != nil && !slices.Contains(r.service.List(), id) {
		r.err = r.failf("there is nothing under the physical ID %s", id)
	}
	r.checkNothingBeside(id)
}

func (r *run) checkNothingLeft() { r.checkNothingBeside("") }

// checkNothingBeside checks that nothing exists except, possibly, one thing.
func (r *run) checkNothingBeside(id string) {
	if r.err != nil {
		return
	}
	beside := func() []string {
		return slices.DeleteFunc(r.remaining(), func(other string) bool { return other == id })
	}
	left := beside()
	if len(left) > 0 {
		r.wait(deletionTime)
		left = beside()
	}
	if len(left) > 0 {
		r.err = r.failf("there is still %v%s", left, lagHint(r.stack.Requests()))
	}
}

// checkState checks that a thing has the state of one just created with properties.
func (r *run) checkState(id string, props any) {
	if r.err != nil || r.service.State == nil {
		return
	}
	want, err := r.reference(props)
	got := r.state(id)
	switch {
	case err != nil:
		r.err = err
	case got == nil:
		r.err = r.failf("there is nothing under the physical ID %s", id)
	case !sameState(got, want):
		r.err = r.failf("%s is not as one just made:\n%s", id, differences(got, want))
	}
}
