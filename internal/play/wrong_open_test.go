package play_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// openCases are wrong handlers of stalls whose failures have more than one explanation.
func openCases() map[string]play.Contract {
	named := func(mistake func(h *stallHandler[stallProps])) play.Contract {
		return stallContract(false, func(m *market) simulate.Function {
			h := namedStall(m)
			mistake(h)
			return process(h)
		})
	}
	found := func(mistake func(f *stallFinder)) play.Contract {
		return stallContract(false, func(m *market) simulate.Function {
			f := foundStall(m)
			mistake(&f)
			return process(f)
		})
	}
	busy := cfnresource.Errorf(cfnresource.CodeResourceConflict, "the market is busy")
	return map[string]play.Contract{
		"a lock outlives its process": named(func(h *stallHandler[stallProps]) {
			create := h.create
			h.create = func(ctx context.Context, req *stallCreate) (data stallData, err error) {
				const lock = "lock"
				err = cfnresource.Retry(ctx, func(ctx context.Context) error {
					return h.m.do(ctx, func() error {
						if h.m.tokens[lock] != "" {
							return busy
						}
						h.m.tokens[lock] = req.RequestID
						return nil
					})
				})
				if err != nil {
					return data, err
				}
				data, err = create(ctx, req)
				return data, errors.Join(err, h.m.do(ctx, func() error { delete(h.m.tokens, lock); return nil }))
			}
		}),
		"Delete leaves the lamps": named(func(h *stallHandler[stallProps]) {
			h.delete = func(ctx context.Context, req *stallDelete) error {
				return noStall(h.m.change(ctx, req.PhysicalID, func(*stall) error { return busy }))
			}
		}),
		"Delete waits for an unfinished stall": named(func(h *stallHandler[stallProps]) {
			remove := h.delete
			h.delete = func(ctx context.Context, req *stallDelete) error {
				isOpen := false
				err := h.m.change(ctx, req.PhysicalID, func(s *stall) error { isOpen = s.label != ""; return nil })
				if err != nil {
					return noStall(err)
				}
				err = cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) { return isOpen, nil })
				if err != nil {
					return err
				}
				return remove(ctx, req)
			}
		}),
		"Create takes a conflict as it is": named(func(h *stallHandler[stallProps]) {
			create := h.create
			h.create = func(ctx context.Context, req *stallCreate) (stallData, error) {
				data, err := create(ctx, req)
				if cfnresource.CodeOf(err) == cfnresource.CodeAlreadyExists {
					err = busy
				}
				return data, err
			}
		}),
		"Create takes each conflict for an existing stall": stallContract(false, func(m *market) simulate.Function {
			f := foundStall(m)
			create, remove := f.create, f.delete
			f.create = func(ctx context.Context, req *stallCreate) (stallData, error) {
				if m.tokens["closed"] != "" {
					return stallData{}, cfnresource.AlreadyExists("stall-of-" + req.StableID())
				}
				return create(ctx, req)
			}
			f.delete = func(ctx context.Context, req *stallDelete) error {
				m.tokens["closed"] = req.PhysicalID
				return remove(ctx, req)
			}
			return process(f)
		}),
		"a process knows which stall it made": found(func(f *stallFinder) {
			create, made := f.create, map[string]string{}
			f.create = func(ctx context.Context, req *stallCreate) (data stallData, err error) {
				if id := made[req.StableID()]; id != "" {
					req.Created(id)
					return f.finish(ctx, id, req.Properties)
				}
				data, err = create(ctx, req)
				made[req.StableID()] = req.CreatedID()
				return data, err
			}
		}),
		"versions pile up": named(func(h *stallHandler[stallProps]) {
			update := h.update
			h.update = func(ctx context.Context, req *stallUpdate) (data stallData, err error) {
				err = h.m.change(ctx, req.PhysicalID, func(s *stall) error {
					if s.writes++; s.writes > 4 {
						return cfnresource.Errorf(cfnresource.CodeInvalidRequest, "there are %d versions", s.writes)
					}
					return nil
				})
				if err != nil {
					return data, noStall(err)
				}
				return update(ctx, req)
			}
		}),
		"Update closes a stall and opens another": named(func(h *stallHandler[stallProps]) {
			h.update = func(ctx context.Context, req *stallUpdate) (data stallData, err error) {
				if err := h.m.close(ctx, req.PhysicalID); err != nil {
					return data, noStall(err)
				}
				if err := h.m.open(ctx, req.PhysicalID, stall{zone: req.Properties.Zone}); err != nil {
					return data, err
				}
				return h.finish(ctx, req.PhysicalID, req.Properties)
			}
		}),
		"Update does not set the secret": named(func(h *stallHandler[stallProps]) {
			update := h.update
			h.update = func(ctx context.Context, req *stallUpdate) (data stallData, err error) {
				err = h.m.change(ctx, req.PhysicalID, func(s *stall) error { req.Properties.Secret = s.secret; return nil })
				if err != nil {
					return data, noStall(err)
				}
				return update(ctx, req)
			}
		}),
		"Find says NotFound": found(func(f *stallFinder) {
			f.find = func(ctx context.Context, req *stallFind) (id string, err error) {
				err = f.m.change(ctx, req.PhysicalID, func(*stall) error { return nil })
				return req.PhysicalID, noStall(err) // of which the error counts
			}
		}),
		"Find does not read, and Update opens what is not there": found(func(f *stallFinder) {
			f.find = func(ctx context.Context, req *stallFind) (string, error) {
				if id := req.StableID(); req.PhysicalID != id {
					return id, nil
				}
				return f.m.find(ctx, func(id string, _ *stall) bool { return id == req.PhysicalID })
			}
			f.update = func(ctx context.Context, req *stallUpdate) (stallData, error) {
				err := f.m.open(ctx, req.PhysicalID, stall{zone: req.Properties.Zone})
				if err != nil && !errors.Is(err, errStall) {
					return stallData{}, err
				}
				return f.finish(ctx, req.PhysicalID, req.Properties)
			}
		}),
		"Update takes the mark off": found(func(f *stallFinder) {
			update := f.update
			f.update = func(ctx context.Context, req *stallUpdate) (stallData, error) {
				data, err := update(ctx, req)
				if err != nil {
					return data, err
				}
				return data, f.m.change(ctx, req.PhysicalID, func(s *stall) error { s.mark = ""; return nil })
			}
		}),
	}
}

// Where what is seen has several explanations, the advice names the one of which there are signs, or has each under its
// condition: who follows it otherwise mends what is right.
func TestAdviceLeavesOpenWhatIsOpen(t *testing.T) {
	all := openCases()
	for _, test := range []struct{ handler, line, says, not string }{
		// A code of what passes is no word on what exists.
		{"a lock outlives its process", "v0!die-at-step:2@1", "Create ended with ResourceConflict. If Create waits for what nobody else does", "for an existing thing"},
		{"Delete leaves the lamps", "v0", "have it do that: remove a thing's contents", "give an error that passes a code"},
		{"Delete waits for an unfinished stall", "v0 v2!fail-at-step:3@1", "Delete ended with NotStabilized", ""},
		{"Create takes a conflict as it is", "v0!redeliver@1", "If ResourceConflict means that there is nothing to do", ""},
		{"Create takes a conflict as it is", "v0!twice@1", "put the call into Retry", "Two processes"},
		{"Create takes each conflict for an existing stall", "v0 out v0", "If there is no such thing, give the error another code, such as ResourceConflict", ""},

		// A fault is a cause of what happens to its own request.
		{"versions pile up", "v0 v1/sibling-fails v1/sibling-fails!twice@1", "If what Updates leave adds up", "Two processes"},

		// What time has ended is one explanation among two.
		{"a process knows which stall it made", "warm v0 +v0 out 2h v0 +out", "Keep nothing of an earlier event in a process", ""},

		// What is seen of an Update is that the thing was gone, and not when it undid what.
		{"Update closes a stall and opens another", "v0 v1!fail-at-step:3@1", "remove it neither first nor when a call fails", "undo nothing"},

		// A secret that is not in place may be set beside the former one.
		{"Update does not set the secret", "v0 v1", "in place of the former one", ""},

		// Nothing was found, or the search failed.
		{"Find says NotFound", "v0!fail-at-step:3@1", "Find returned an error: have it return no ID", "mark"},
		{"Find does not read, and Update opens what is not there", "v0 v2!error-after@1", "Have Find read the thing before it returns the ID", "Call Created"},
		{"Update takes the mark off", "v0 v1 v2", "If Find found nothing though the thing is there, have Find look under the name that Create gave, or for the mark that no method takes off, and set Options.FindLag if searches lag", ""},
	} {
		text, _ := play.Replayed(t, all[test.handler], test.line)
		_, helps, _ := strings.Cut(text, "What helps: ")
		if !strings.Contains(helps, test.says) || test.not != "" && strings.Contains(helps, test.not) {
			t.Errorf("%s, by %q: it does not say %q, or says %q:\n%s", test.handler, test.line, test.says, test.not, text)
		}
	}
}

// Who refuses by OldProperties has returned the code already.
func TestWhoReturnsNotUpdatableIsNotToldTo(t *testing.T) {
	c := stallContract(false, func(m *market) simulate.Function {
		h := namedStall(m)
		update := h.update
		h.update = func(ctx context.Context, req *stallUpdate) (data stallData, err error) {
			if old := req.OldProperties.Signs; fmt.Sprint(old) != fmt.Sprint(req.Properties.Signs) {
				return data, cfnresource.Errorf(cfnresource.CodeNotUpdatable, "signs stay")
			}
			return update(ctx, req)
		}
		return process(h)
	})
	c.InPlace = stallProps{Zone: "north", Label: "Fish", Secret: "open-barley", Wares: []string{"apple"}, Signs: map[string]string{"a": "1", "b": "2", "c": "3"}}
	text, _ := play.RunCheck(t, c, "leads-where-create-does")
	if !strings.Contains(text, "only if the thing differs from the new properties, whatever OldProperties") || strings.Contains(text, "tag it createOnly") {
		t.Errorf("it says:\n%s", text)
	}
}

// asItComes keeps properties in the form of the event.
type asItComes struct{ *sync.Map }

func (h asItComes) Create(_ context.Context, req *cfnresource.CreateRequest[map[string]any]) (none struct{}, err error) {
	if _, is := h.LoadOrStore(req.StableID(), req.Properties); is {
		return none, cfnresource.AlreadyExists(req.StableID())
	}
	req.Created(req.StableID())
	return none, nil
}

func (h asItComes) Update(_ context.Context, req *cfnresource.UpdateRequest[map[string]any]) (none struct{}, err error) {
	h.Store(req.PhysicalID, req.Properties)
	return none, nil
}

func (h asItComes) Delete(_ context.Context, req *cfnresource.DeleteRequest[map[string]any]) error {
	h.Map.Delete(req.PhysicalID)
	return nil
}

// A list of numbers that are numbers in one event, and texts in another one, is in the same order.
func TestNumbersAndTextsAreNoOtherOrder(t *testing.T) {
	c := play.Contract{Properties: map[string]any{"Sizes": []any{6, 7}}, New: func(testing.TB) play.Service {
		kept := asItComes{new(sync.Map)}
		return play.Service{
			Function: func() simulate.Function { return process(kept) },
			State:    func(id string) any { props, _ := kept.Load(id); return props },
		}
	}}
	if text, _ := play.RunCheck(t, c, "stringified-properties"); !strings.Contains(text, "a type that tells a number from a text") {
		t.Error(text)
	}
}
