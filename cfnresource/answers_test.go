package cfnresource_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
)

type (
	create = cfnresource.CreateRequest[props]

	update = cfnresource.UpdateRequest[props]
	del    = cfnresource.DeleteRequest[props]
)

func creates(fn func(ctx context.Context, req *create) (data, error)) *fake {
	return &fake{onCreate: fn}
}

func createsAndFinds(fn func(ctx context.Context, req *create) (data, error)) *finder {
	return &finder{fake: fake{onCreate: fn}}
}

// What is answered to a Create, row by row. The physical ID of a FAILED answer decides whether the
// rollback's Delete finds what there is, or hits what there was before.
func TestCreateIsAnswered(t *testing.T) {
	big := data{"Big": strings.Repeat("x", 5000)}
	tests := []struct {
		name    string
		reason  string
		handler any // *fake or *finder
		event   payload
		status  string
		id      string
	}{
		{"ok after Created", "the handler knows the ID",
			creates(func(_ context.Context, req *create) (data, error) { req.Created("svc-1"); return nil, nil }),
			created(nil), "SUCCESS", "svc-1"},
		{"ok", "a named handler has nothing more to say", &fake{}, created(nil), "SUCCESS", stable("a")},
		{"ok after Created twice", "the last call counts",
			creates(func(_ context.Context, req *create) (data, error) {
				req.Created("svc-1")
				req.Created("svc-2")
				return nil, nil
			}),
			created(nil), "SUCCESS", "svc-2"},

		{"properties refused", "nothing was made", &fake{}, created(object{"ResourceProperties": object{"Size": "big"}}), "FAILED", marker},
		{"too old", "an earlier delivery may have made it",
			&fake{}, created(object{"age": time.Hour + time.Minute}), "FAILED", stable("a")},
		{"a stranger holds the name", "its Delete must not reach the stranger",
			creates(func(context.Context, *create) (data, error) { return nil, cfnresource.AlreadyExists("prod-data") }),
			created(nil), "FAILED", marker},
		{"a stranger holds the name, which was named too early", "what was named may be the stranger's",
			creates(func(_ context.Context, req *create) (data, error) {
				req.Created("prod-data")
				return nil, cfnresource.AlreadyExists("prod-data")
			}),
			created(nil), "FAILED", marker},
		{"a stranger beside what was made", "the rollback's Delete removes what was made",
			creates(func(_ context.Context, req *create) (data, error) {
				req.Created("svc-1")
				return nil, cfnresource.AlreadyExists("label-1")
			}),
			created(nil), "FAILED", "svc-1"},
		{"a stranger, and a handler that can Find", "its Delete goes to what Find finds, which is no stranger's",
			createsAndFinds(func(context.Context, *create) (data, error) { return nil, cfnresource.AlreadyExists("prod-data") }),
			created(nil), "FAILED", stable("a")},

		{"error after Created", "the rollback's Delete removes it",
			creates(func(_ context.Context, req *create) (data, error) { req.Created("svc-1"); return nil, errSome }),
			created(nil), "FAILED", "svc-1"},
		{"panic after Created", "what was named outlives it",
			creates(func(_ context.Context, req *create) (data, error) { req.Created("svc-1"); panic("no") }),
			created(nil), "FAILED", "svc-1"},
		{"Goexit after Created", "what was named outlives it",
			creates(func(_ context.Context, req *create) (data, error) {
				req.Created("svc-1")
				runtime.Goexit()
				return nil, nil
			}),
			created(nil), "FAILED", "svc-1"},
		{"out of time after Created", "what was named outlives it",
			creates(func(_ context.Context, req *create) (data, error) { req.Created("svc-1"); return ignoreContext() }),
			created(nil), "FAILED", "svc-1"},
		{"answer too large after Created", "the resource exists",
			creates(func(_ context.Context, req *create) (data, error) { req.Created("svc-1"); return big, nil }),
			created(nil), "FAILED", "svc-1"},
		{"answer too large, named", "the resource exists under its StableID",
			creates(func(context.Context, *create) (data, error) { return big, nil }),
			created(nil), "FAILED", stable("a")},
		{"Data that cannot be marshalled", "the resource exists",
			creates(func(_ context.Context, req *create) (data, error) {
				req.Created("svc-1")
				return data{"Ch": make(chan int)}, nil
			}),
			created(nil), "FAILED", "svc-1"},

		{"error after StableID was asked for", "the thing may bear it",
			creates(func(_ context.Context, req *create) (data, error) { req.StableID(); return nil, errSome }),
			created(nil), "FAILED", stable("a")},
		{"error in a handler with Find", "Find knows better",
			createsAndFinds(func(context.Context, *create) (data, error) { return nil, errSome }),
			created(nil), "FAILED", stable("a")},
		{"Find fails", "an earlier delivery may have made it, which the Delete of this ID looks for",
			&finder{onFind: func(context.Context, *cfnresource.FindRequest[props]) (string, error) { return "", errSome }}, created(nil), "FAILED", stable("a")},
		{"panic", "what it did is not known",
			creates(func(context.Context, *create) (data, error) { panic("no") }), created(nil), "FAILED", stable("a")},
		{"Goexit", "what it did is not known",
			creates(func(context.Context, *create) (data, error) { runtime.Goexit(); return nil, nil }), created(nil), "FAILED", stable("a")},
		{"out of time", "what it did is not known",
			creates(func(context.Context, *create) (data, error) { return ignoreContext() }), created(nil), "FAILED", stable("a")},
		{"its own context's error", "what it did is not known",
			creates(func(ctx context.Context, _ *create) (data, error) { <-ctx.Done(); return nil, ctx.Err() }),
			created(nil), "FAILED", stable("a")},
		{"the cause of its context", "what it did is not known",
			creates(func(ctx context.Context, _ *create) (data, error) { <-ctx.Done(); return nil, context.Cause(ctx) }),
			created(nil), "FAILED", stable("a")},
		{"an error and nothing else", "the handler said that nothing was made",
			creates(func(context.Context, *create) (data, error) { return nil, errSome }), created(nil), "FAILED", marker},
	}
	for _, tt := range tests {
		subtest(t, tt.name, func(t *testing.T) {
			got := invoke(t, dispatcher(tt.handler), tt.event)
			if got.Status != tt.status || got.PhysicalResourceId != tt.id {
				t.Errorf("%s %s (%s), want %s %s, since %s", got.Status, got.PhysicalResourceId, got.Reason, tt.status, tt.id, tt.reason)
			}
		})
	}
}

// What is answered to an Update in place, a Delete and a replacement.
func TestUpdateAndDeleteAreAnswered(t *testing.T) {
	updates := func(err error) *fake {
		return &fake{onUpdate: func(context.Context, *update) (data, error) { return nil, err }}
	}
	deletes := func(err error) *fake { return &fake{onDelete: func(context.Context, *del) error { return err }} }
	replaces := func(create func(ctx context.Context, req *create) (data, error), del func(context.Context, *del) error) *fake {
		return &fake{onCreate: create, onDelete: del}
	}
	names := func(err error) func(context.Context, *create) (data, error) {
		return func(_ context.Context, req *create) (data, error) { req.Created(req.StableID()); return nil, err }
	}
	a, b := stable("a"), stable("b")
	tests := []struct {
		name    string
		reason  string
		handler any
		event   payload
		status  string
		id      string
		calls   []string
	}{
		{"in place, ok", "an update never changes the ID", updates(nil), updated("svc-1", "a", "a"), "SUCCESS", "svc-1", []string{"Update svc-1"}},
		{"in place, failed", "another ID would delete a live resource", updates(errSome), updated("svc-1", "a", "a"), "FAILED", "svc-1", []string{"Update svc-1"}},
		{"in place, properties refused", "the same", &fake{},
			event("Update", object{"PhysicalResourceId": "svc-1", "ResourceProperties": object{"Size": "x"}}), "FAILED", "svc-1", nil},
		{"in place, out of time", "the same",
			&fake{onUpdate: func(context.Context, *update) (res data, err error) {
				return ignoreContext()
			}},
			updated("svc-1", "a", "a"), "FAILED", "svc-1", []string{"Update svc-1"}},
		{"in place, the resource is not there", "recreating an empty one is the user's decision",
			updates(cfnresource.Errorf(cfnresource.CodeNotFound, "gone")), updated("svc-1", "a", "a"), "FAILED", "svc-1", []string{"Update svc-1"}},
		{"Update of the marker", "as a Create", &fake{}, updated(marker, "a", "b"), "SUCCESS", b, []string{"Create b"}},
		{"Update of the marker, failed", "as a Create",
			replaces(func(context.Context, *create) (data, error) { return nil, errSome }, nil), updated(marker, "a", "b"), "FAILED", marker, []string{"Create b"}},

		{"replacement, ok", "a new ID makes CloudFormation delete the old resource",
			&fake{}, updated(a, "a", "b"), "SUCCESS", b, []string{"Create b replaces " + a}},
		{"replacement that names the event's ID", "that replaces nothing",
			replaces(func(_ context.Context, req *create) (data, error) { req.Created(a); return nil, nil }, nil),
			updated(a, "a", "b"), "FAILED", a, []string{"Create b replaces " + a}},
		{"replacement failed, something made and undone", "S40 is documented, S41 is not",
			replaces(names(errSome), nil), updated(a, "a", "b"), "FAILED", a, []string{"Create b replaces " + a, "Delete " + b}},
		{"replacement failed, something made, gone when it was to be undone", "the same",
			replaces(names(errSome), func(context.Context, *del) error { return cfnresource.Errorf(cfnresource.CodeNotFound, "gone") }),
			updated(a, "a", "b"), "FAILED", a, []string{"Create b replaces " + a, "Delete " + b}},
		{"replacement failed, something made and not undone", "CloudFormation deletes it",
			replaces(names(errSome), func(context.Context, *del) error { return errSome }),
			updated(a, "a", "b"), "FAILED", b, []string{"Create b replaces " + a, "Delete " + b}},
		{"replacement failed, nothing made", "the way back is the event's ID",
			replaces(func(context.Context, *create) (data, error) { return nil, errSome }, nil),
			updated(a, "a", "b"), "FAILED", a, []string{"Create b replaces " + a}},
		{"replacement failed, StableID asked for", "only what is known to be made is undone",
			replaces(func(_ context.Context, req *create) (data, error) { req.StableID(); return nil, errSome }, nil),
			updated(a, "a", "b"), "FAILED", a, []string{"Create b replaces " + a}},
		{"replacement panicked", "not known is not made",
			replaces(func(context.Context, *create) (data, error) { panic("no") }, nil),
			updated(a, "a", "b"), "FAILED", a, []string{"Create b replaces " + a}},
		{"replacement panicked after Created", "it is undone",
			replaces(func(_ context.Context, req *create) (data, error) { req.Created("svc-2"); panic("no") }, nil),
			updated(a, "a", "b"), "FAILED", a, []string{"Create b replaces " + a, "Delete svc-2"}},
		{"replacement exited its goroutine after Created", "it is undone",
			replaces(func(_ context.Context, req *create) (data, error) {
				req.Created("svc-2")
				runtime.Goexit()
				return nil, nil
			}, nil),
			updated(a, "a", "b"), "FAILED", a, []string{"Create b replaces " + a, "Delete svc-2"}},
		{"replacement out of time after Created", "there is no time to undo it: CloudFormation deletes it",
			replaces(func(_ context.Context, req *create) (data, error) { req.Created("svc-2"); return ignoreContext() }, nil),
			updated(a, "a", "b"), "FAILED", "svc-2", []string{"Create b replaces " + a}},
		{"replacement whose answer is too large", "it is undone",
			replaces(func(_ context.Context, req *create) (data, error) {
				req.Created("svc-2")
				return data{"Big": strings.Repeat("x", 5000)}, nil
			}, nil),
			updated(a, "a", "b"), "FAILED", a, []string{"Create b replaces " + a, "Delete svc-2"}},
		{"replacement meets a stranger", "nothing is touched",
			replaces(func(_ context.Context, req *create) (data, error) {
				req.Created("prod-data")
				return nil, cfnresource.AlreadyExists("prod-data")
			}, nil),
			updated(a, "a", "b"), "FAILED", a, []string{"Create b replaces " + a}},
		{"replacement that named the event's ID and failed", "that one is live",
			replaces(func(_ context.Context, req *create) (data, error) { req.Created(req.Replaces); return nil, errSome }, nil),
			updated(a, "a", "b"), "FAILED", a, []string{"Create b replaces " + a}},

		{"Delete, ok", "a Delete never changes the ID", deletes(nil), deleted("svc-1"), "SUCCESS", "svc-1", []string{"Delete svc-1"}},
		{"Delete, NotFound", "gone is what was asked for",
			deletes(cfnresource.Errorf(cfnresource.CodeNotFound, "gone")), deleted("svc-1"), "SUCCESS", "svc-1", []string{"Delete svc-1"}},
		{"Delete, failed", "it is still there", deletes(errSome), deleted("svc-1"), "FAILED", "svc-1", []string{"Delete svc-1"}},
		{"Delete, panic", "it may be there still",
			&fake{onDelete: func(context.Context, *del) error { panic("no") }}, deleted("svc-1"), "FAILED", "svc-1", []string{"Delete svc-1"}},
		{"Delete of the marker", "nothing was made, so the handler has nothing to do", deletes(errSome), deleted(marker), "SUCCESS", marker, nil},
	}
	for _, tt := range tests {
		subtest(t, tt.name, func(t *testing.T) {
			got := invoke(t, dispatcher(tt.handler), tt.event)
			if got.Status != tt.status || got.PhysicalResourceId != tt.id {
				t.Errorf("%s %s (%s), want %s %s, since %s", got.Status, got.PhysicalResourceId, got.Reason, tt.status, tt.id, tt.reason)
			}
			if diff := cmp.Diff(tt.calls, calls(tt.handler)); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
		})
	}
}

// CloudFormation deletes only the last of the things that a Create has made. So a failure names the
// others as well, and the log names them even after a success.
func TestIDsThatCloudFormationDoesNotLearn(t *testing.T) {
	long := strings.Repeat("l", 1000)
	for _, tt := range []struct {
		name   string
		ids    []string
		others []string // that are named
	}{
		{"one", []string{"svc-1"}, nil},
		{"one, twice", []string{"svc-1", "svc-1", ""}, nil},
		{"two", []string{"svc-1", "svc-2"}, []string{"svc-1"}},
		{"two in turn", []string{"svc-1", "svc-2", "svc-1"}, []string{"svc-2"}},
		{"many", []string{"svc-1", "svc-2", "svc-3", "svc-4", "svc-5", "svc-6", "svc-7"}, []string{"svc-1", "svc-2", "svc-3", "svc-4"}},
		{"a long one", []string{long, "svc-1"}, []string{long[:200]}},
		{"one that CloudFormation cannot keep", []string{"svc-1", "svc-2" + long + long}, []string{"svc-1"}},
	} {
		for _, err := range []error{nil, errSome} {
			subtest(t, fmt.Sprintf("%s, %v", tt.name, err), func(t *testing.T) {
				h := &fake{onCreate: func(_ context.Context, req *create) (data, error) {
					for _, id := range tt.ids {
						req.Created(id)
					}
					return nil, err
				}}
				option, log := logged()
				got := invoke(t, dispatcher(h, option), created(nil))
				for _, id := range tt.others {
					if got.Status == "FAILED" && !strings.Contains(got.Reason, id) || !strings.Contains(log.String(), id) {
						t.Errorf("%.20s is not named by the Reason, %s, or the log: %s", id, got.Reason, log)
					}
				}
				if warned := strings.Contains(log.String(), "others="); warned != (tt.others != nil) {
					t.Errorf("a record names others: %t: %s", warned, log)
				}
			})
		}
	}
}
