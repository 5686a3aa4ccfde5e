package play

// What one request shows: which methods it called, and how it ended.

import (
	"cmp"
	"slices"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// did says which method was called, and whether it failed.
func did(c simulate.Call) string {
	if c.Error != "" {
		return c.Method + " failed"
	}
	return c.Method
}

// hitBy returns the kind of the fault that has happened to a request, or "".
func hitBy(q simulate.Request) fault.Kind {
	if q.FaultHit {
		return q.Fault.Kind
	}
	return ""
}

// methodOf names the method that a request called last, besides a Find that found something, and the Delete that undoes a
// Create, or the request. Where two processes handle an event at once, it names the one that failed.
func methodOf(q simulate.Request) string {
	name, failed := q.Type, ""
	for _, c := range q.Calls() {
		isUndoing := c.Method == "Delete" && q.Type != "Delete"
		if did(c) == "Find" || isUndoing {
			continue
		}
		name = c.Method
		if c.Error != "" {
			failed = c.Method
		}
	}
	if simultaneous(q) { // the last call need not be the last in time
		return cmp.Or(failed, name)
	}
	return name
}

// simultaneous reports whether two processes handled a request at once, so that its calls are not in the order of time.
func simultaneous(q simulate.Request) bool {
	return slices.Contains([]fault.Kind{fault.Twice, fault.LinkTwice}, q.Fault.Kind)
}

// failsInVain reports whether a request, or a delivery of one, failed though no fault kept it from its work.
func failsInVain(q simulate.Request) bool {
	if isMadeToFail(q) {
		return false
	}
	return q.Outcome == string(engine.Failed) || isErred(q)
}

// isErred reports whether a delivery of a request was answered FAILED.
func isErred(q simulate.Request) bool {
	for _, d := range q.Deliveries {
		if a := d.Response; a != nil && a.Status == "FAILED" {
			return true
		}
	}
	return false
}

// findErred reports whether the last Find of a request returned an error that failed the request, or that there is nothing.
func findErred(q simulate.Request) bool {
	for _, c := range slices.Backward(q.Calls()) {
		if c.Method == "Find" {
			endsIt := did(c) == "Find failed" && methodOf(q) == "Find"
			return c.Code == string(cfnresource.CodeNotFound) || endsIt && isErred(q)
		}
	}
	return false
}

// outlives reports whether a process died in work that went on after its answer.
func outlives(q simulate.Request) bool {
	return slices.ContainsFunc(q.Deliveries, func(d simulate.Delivery) bool { return d.Aside && d.Response != nil })
}

// lastWork returns the last call, besides a Find that comes after a call that failed.
func lastWork(calls []simulate.Call) (last simulate.Call) {
	for _, c := range calls {
		if did(c) != "Find" || last.Error == "" {
			last = c
		}
	}
	return last
}
