package play_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

type slowDelete struct{ found }

func (h slowDelete) Delete(ctx context.Context, req *deletion) error {
	if err := sleep(ctx, 15*time.Second); err != nil {
		return err
	}
	return h.found.Delete(ctx, req)
}

type slowFind struct{ found }

func (h slowFind) Find(ctx context.Context, req *finding) (string, error) {
	if err := sleep(ctx, 15*time.Second); err != nil {
		return "", err
	}
	return h.found.Find(ctx, req)
}

// slowCreate outlives the Delete that cancels it.
type slowCreate struct{ found }

func (h slowCreate) Create(ctx context.Context, req *creation) (boxData, error) {
	if err := sleep(ctx, 30*time.Second); err != nil {
		return boxData{}, err
	}
	return h.found.Create(ctx, req)
}

// lagging finds what was made lag ago.
type lagging struct {
	found

	lag  time.Duration
	born *sync.Map // when, by bornKey
}

type bornKey struct {
	d  *depot
	id string
}

func (h lagging) Create(ctx context.Context, req *creation) (boxData, error) {
	defer func() { h.born.LoadOrStore(bornKey{h.d, req.CreatedID()}, time.Now()) }()
	return h.found.Create(ctx, req)
}

func (h lagging) Find(ctx context.Context, req *finding) (string, error) {
	id, err := h.found.Find(ctx, req)
	born, _ := h.born.LoadOrStore(bornKey{h.d, id}, time.Now())
	if err == nil && id != req.PhysicalID && time.Since(born.(time.Time)) < h.lag {
		return "", nil
	}
	return id, err
}

// of returns the contract of a right handler of a slow service.
func of[H anyHandler](handler func(found) H, options cfnresource.Options) play.Contract {
	c := depotContract(func(d *depot) simulate.Function {
		return cfnresource.New(handler(found{d}), func(o *cfnresource.Options) {
			*o = options
			o.Logger = slog.New(slog.DiscardHandler)
		})
	})
	c.Timeout = 2 * time.Minute
	return c
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A slow service is no fault of a handler: a failure names the option that is
// not as the service is, and with it there is none.
func TestAHandlerOfASlowServiceIsShownItsOption(t *testing.T) {
	type test struct {
		name, option string
		contract     func(cfnresource.Options) play.Contract
		cure         cfnresource.Options
	}
	for _, test := range testrun.Sample(2, []test{
		{
			"Delete takes 15 s", "Options.LostGrace",
			func(o cfnresource.Options) play.Contract {
				return of(func(h found) slowDelete { return slowDelete{h} }, o)
			},
			cfnresource.Options{LostGrace: 40 * time.Second},
		}, {
			"Find takes 15 s", "Options.LostGrace",
			func(o cfnresource.Options) play.Contract { return of(func(h found) slowFind { return slowFind{h} }, o) },
			cfnresource.Options{LostGrace: 40 * time.Second},
		}, {
			"Create takes 30 s", "Options.LostGrace",
			func(o cfnresource.Options) play.Contract {
				o.LostGrace = max(o.LostGrace, time.Second) // by default it is the function's timeout
				return of(func(h found) slowCreate { return slowCreate{h} }, o)
			},
			cfnresource.Options{LostGrace: 40 * time.Second},
		}, {
			"searches lag for 20 s", "Options.FindLag",
			func(o cfnresource.Options) play.Contract {
				born := new(sync.Map)
				return of(func(h found) lagging { return lagging{h, 20 * time.Second, born} }, o)
			},
			cfnresource.Options{FindLag: 20 * time.Second},
		},
	}) {
		var failed []string
		for _, r := range play.RunChecks(t, test.contract(cfnresource.Options{})) {
			if r.Outcome != "failed" {
				continue
			}
			failed = append(failed, r.Name)
			if !strings.Contains(r.Text, test.option) || strings.Contains(r.Text, "may be right") && strings.Contains(r.Text, "What helps") {
				t.Errorf("%s: %s does not name %s: %s", test.name, r.Name, test.option, r.Text)
			}
		}
		if failed == nil {
			t.Errorf("%s: no check fails with the default", test.name)
		}
		if testrun.Thorough() {
			failed = nil // all are asked
		}
		for _, r := range play.RunChecks(t, test.contract(test.cure), failed...) {
			if r.Outcome == "failed" {
				t.Errorf("%s: with %s, %s fails: %s", test.name, test.option, r.Name, r.Text)
			}
		}
	}
}

// neverDeletes waits until a box is gone, and asks nobody to remove it.
type neverDeletes struct{ found }

func (h neverDeletes) Delete(ctx context.Context, req *deletion) error {
	err := h.d.change(ctx, req.PhysicalID, func(*box) error { return nil })
	if errors.Is(err, errNoBox) {
		return nil
	} else if err != nil {
		return err
	}
	return cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) { return false, nil })
}

// A Delete that waits in vain is told what it ended with.
func TestADeleteThatWaitsInVainIsToldSo(t *testing.T) {
	c := of(func(h found) neverDeletes { return neverDeletes{h} }, cfnresource.Options{LostGrace: 20 * time.Second})
	text, _ := play.Replayed(t, c, "v0/cancelled")
	if !strings.Contains(text, "Delete ended with NotStabilized") {
		t.Errorf("it says:\n%s", text)
	}
}

// failsOnGone has an error without a code where there is nothing to delete.
type failsOnGone struct{ named }

func (h failsOnGone) Delete(ctx context.Context, req *deletion) error {
	if err := h.d.remove(ctx, req.PhysicalID); err != nil {
		return errors.New("DELETE /boxes: status 404")
	}
	return nil
}

// sharesOne makes one box for all.
type sharesOne struct{ named }

func (h sharesOne) Create(ctx context.Context, req *creation) (boxData, error) {
	_ = h.d.build(ctx, "the-setting", box{room: req.Properties.Room})
	req.Created("the-setting")
	return req.Properties.data(), h.d.fill(ctx, "the-setting", req.Properties.filling())
}

// refusesAll makes nothing.
type refusesAll struct{ named }

func (h refusesAll) Create(context.Context, *creation) (data boxData, err error) {
	return data, errors.New("not today")
}

// retriesInPoll takes the end of its wait for the end of its work.
type retriesInPoll struct{ waiting }

func (h retriesInPoll) Create(ctx context.Context, req *creation) (data boxData, err error) {
	_, _ = h.waiting.Create(ctx, req)
	return req.Properties.data(), nil
}

// What helps is said where somebody looks for it.
func TestFailuresSayWhatHelps(t *testing.T) {
	of := depotContract
	for name, tt := range map[string]struct {
		contract play.Contract
		check    string
		says     []string
		not      string
	}{
		"a status without a code": {
			of(func(d *depot) simulate.Function { return process(failsOnGone{named{d}}) }), "delete-twice",
			[]string{"What helps: Delete fails with \"404\"", "cfnresource.HTTPStatus"}, "CodeNotFound",
		},
		"a code": {
			wrongNamed("failsIfGone").contract(), "delete-twice", nil, "HTTPStatus",
		},
		"a singleton": {
			of(func(d *depot) simulate.Function { return process(sharesOne{named{d}}) }), "sibling-is-left-alone",
			[]string{"Skip"}, "",
		},
		"a story that ended clean": {
			of(func(d *depot) simulate.Function { return process(refusesAll{named{d}}) }), "create-delete",
			[]string{"CloudFormation would have rolled back"}, "What helps",
		},
		"a story that did not": {
			wrongNamed("deletesNothing").contract(), "create-delete",
			[]string{"CloudFormation would have forgotten"}, "",
		},
		"Data that Update lacks": {
			wrongNamed("updateReturnsNoData").contract(), "create-died-half-way-is-finished",
			[]string{"Data has no ", "Have Update return all Data", "docs/recipes.md#a-secret-that-is-shown-once"}, "StableID",
		},
		"a process that remembers": {
			wrongNamed("remembersRequests").contract(), "warm-process-serves-several",
			[]string{"asked the service nothing"}, "",
		},
		"a wait that is cut short": {
			continuingContract(func(d *depot) simulate.Function { return continuing(retriesInPoll{waiting{named{d}}}) }), "continue-succeeds-when-ready",
			[]string{"Return the error of each Poll"}, "",
		},
	} {
		text, _ := play.RunCheck(t, tt.contract, tt.check)
		if text == "" || tt.not != "" && strings.Contains(text, tt.not) {
			t.Errorf("%s: %q", name, text)
		}
		for _, says := range tt.says {
			if !strings.Contains(text, says) {
				t.Errorf("%s: %q does not say %q", name, text, says)
			}
		}
	}
}

// Explore says what helps as TestHandler does.
func TestFindingsSayWhatHelps(t *testing.T) {
	for says, c := range map[string]play.Contract{
		"What helps: Delete fails with \"404\"":                               depotContract(func(d *depot) simulate.Function { return process(failsOnGone{named{d}}) }),
		"What helps: Call Created in the line after":                          depotContract(lateCreated),
		"have Create return AlreadyExists if it exists. If the service gives": wrongNamed("namedByRequest").contract(),
		"did not remove the thing":                                            wrongNamed("deletesNothing").contract(),
		"and Update finishes the thing. Have Update":                          wrongNamed("updatesNothing").contract(),
	} {
		if found := play.FirstFinding(t, c, 2000); !strings.Contains(found.Text, says) {
			t.Errorf("%s does not say %q", found.Text, says)
		}
	}
	// A handler that may be right is not told what is wrong with it.
	c := of(func(h found) slowDelete { return slowDelete{h} }, cfnresource.Options{})
	if found := play.FirstFinding(t, c, 500); !strings.Contains(found.Text, "may be right") || strings.Contains(found.Text, "What helps") {
		t.Error(found.Text)
	}
}

// cutsIDs cuts off IDs of any length.
type cutsIDs struct{ named }

func (h cutsIDs) Create(ctx context.Context, req *creation) (boxData, error) {
	return h.create(ctx, req, req.StableID()[:20])
}

// What helps follows from what the requests show, not from the harm alone.
func TestTheCauseOfAHarmIsNamed(t *testing.T) {
	const all, nameIt = "Have Update set all new", "name it by StableID and have"
	for _, test := range []struct{ handler, check, helps, not string }{
		{"tagsInAnotherCall", "create-refused-nothing-left", "Find did not see the thing that Create had made", nameIt},
		{"tagsAfterWaiting", "create-error-after-making", "set the StableID in the call that makes the thing", nameIt},
		{"leavesLid", "update-keeps-id", "have Delete remove all things", nameIt},
		{"deletesNothing", "create-delete", "did not remove the thing", ""},
		{"fillsFromMemory", "create-died-half-way-is-finished", "and Update finishes the thing. Have Update set all properties", ""},
		{"addsDifference", "update-redelivered", "failed when it was delivered again", "Have Update succeed"},
		{"keepsVersions", "updates-go-on", "what Updates leave adds up", "Have Update succeed"},
		{"failsIfExists", "replace-then-rollback-returns-to-first", "return AlreadyExists for the thing", "Have Update succeed"},
		{"existingIsComplete", "create-died-half-way-is-finished", "If that is unfinished, return AlreadyExists", all},
		{"leavesUnowned", "thing-of-before", "also if it bears no mark", ""},
		{"forgetsOld", "time-passes", "and asked the service nothing", ""},
		{"tagsAfterWaiting", "replace-redelivered-one-resource", "Find did not see the thing that Create had made", ""},
		{"retiresNames", "recreate-after-delete", "Delete left a part of the thing behind", "Have Update succeed"},
		{"createIgnoresErrors", "replace-failed-then-rollback-keeps-first", "The service failed, and Create returned no error", all},
		{"keepsLockAfterPanic", "create-panics-after-making", "No method was called for the last Delete", "the log says where"},
		{"signsInOnce", "warm-process-recovers", "the process remembers an earlier failure", "Delete left a part"},
		{"opensCircuit", "warm-process-recovers", "have a circuit close again", ""},
		{"skipsWhatItDid", "processes-take-turns", "The Update asked the service nothing", all},
		{"retiresNames", "update-replaces", "Delete left a part of the thing behind", "adds up"},
		{"timeoutIsSuccess", "create-out-of-time-nothing-left", "The service did not answer, and Create returned no error", "Retry"},
		{"findsNothing", "delete-lost-create", "that Create sets and no method takes off", nameIt},
		{"updatesFirstPage", "among-others", "If a method, or Find, goes by a list, read every page", ""},
		{"givesUp", "warm-process-recovers", "have a circuit close again", "No method"},
		{"leavesLock", "create-died-half-way-is-finished", "process that died", "StableID"},
		{"losesTheCode", "throttled-is-tried-again", "had the code Throttling", "ResourceConflict"},
		{"cutsNames", "long-names", "keep the StableID whole", ""},
		{"callsCreatedEarly", "replace-then-rollback-returns-to-first", "Create called Created with", "Delete only the thing"},
		{"updateIgnoresErrors", "update-failed-then-rollback", "The service failed, and Update returned no error", all},
		{"opensOnce", "time-passes", "renew it when it expires", "Have Update succeed"},
		{"remembersDeletes", "recreate-after-delete", "The Delete asked the service nothing", ""},
		{"findsFromMemory", "recreate-after-delete", "Keep nothing of an earlier event", ""},
		{"readsFirstPage", "among-others", "or Find, goes by a list, read every page", "FindLag"},
		{"usesBackgroundContext", "steps-around-effects", "with a context that is not its own", "Have each operation of the fake"},
		{"deletesByPrefix", "delete-leaves-neighbours", "compare the whole ID", "AlreadyExists"},
		{"updateReturnsNoData", "data-same-after-update", "Have Update return all Data", "no random value"},
		{"returnsTime", "data-same-after-update", "no time, and no random value", ""},
		{"deletesByStack", "delete-old-leaves-new", "go by nothing that both share", "Created"},
		{"randomID", "update-replaces", "name it by the whole StableID", "have Find"},
		{"knowsWhatItMade", "warm-process-serves-several", "The Create asked the service nothing", ""},
		{"recreatesIfGone", "update-of-what-is-gone", "return NotFound if the thing is missing", ""},
		{"retriesWithoutToken", "replace-failed-nothing-left", "a call that is repeated makes a second thing", "call Created"},
		{"reusesReplaced", "replace-then-rollback-returns-to-first", "under a name of its own", all},
		{"callsCreatedWithOtherID", "create-delete", "Create made box-1, and named depot:box-1", "if it makes nothing"},
		{"deletesReplaced", "delete-old-leaves-new", "Have Create leave the old thing unchanged", "Have Update"},
		{"deletesByOwner", "replace-then-rollback-returns-to-first", "also removed my-stack-resource", "Have Update"},
		{"recreatesUnderNewID", "update-keeps-id", "Have Update change the thing in place", "Delete only"},
		{"refusesReplacement", "update-replaces", "and have Create make another thing beside the old one", "Have Update succeed"},
		{"removesOnFailure", "stranger-holds-the-name", "only if it bears the resource's mark", "call Created only"},
		{"deletesByName", "stranger-holds-the-name", "Have Update and Delete touch only the thing with the physical ID", "call Created only"},
		{"deletesByOwnerPrefix", "sibling-is-left-alone", "touch only the thing with the physical ID", "call Created only"},
		{"deleteNeedsProperties", "delete-undecodable-properties", "have Find and Delete go by the physical ID", "does not exist"},
		{"adoptionNeedsOldProperties", "create-redelivered-one-resource", "Update must succeed without old properties", nameIt},
		{"failsIfNotFound", "create-delete", "Find returned an error", ""},
		{"findsNothing", "delete-lost-create", "go by nothing in memory", "FindLag"}, // an hour later
		{"remakesAnother", "update-of-what-is-gone", "If IdentityChanged is set, do not make it there", all},
		{"rebuilds", "use-outlives-updates", "neither build it anew, nor remove what users have put there", ""},
		{"leavesTheFull", "use-outlives-updates", "into which users had put something", ""},
		{"namesOncePerProcess", "warm-process-serves-several", "Keep nothing of an earlier event", "when it expires"}, // before any time has passed
		{"updatesNothing", "update-keeps-id", "is as another version of the template says. Have Update set", all},
		{"returnsTooMuchData", "update-keeps-id", "Data has 5023 bytes", "Have Update succeed"},
	} {
		text, _ := play.RunCheck(t, wrongNamed(test.handler).contract(), test.check)
		if !strings.Contains(text, test.helps) || test.not != "" && strings.Contains(text, test.not) {
			t.Errorf("%s, %s: it does not say %q, or says %q:\n%s", test.handler, test.check, test.helps, test.not, text)
		}
	}
	cut := depotContract(func(d *depot) simulate.Function { return process(cutsIDs{named{d}}) })
	if text, _ := play.RunCheck(t, cut, "create-error-after-making"); !strings.Contains(text, "is the beginning of my-stack-resource-") {
		t.Errorf("a cut ID is not named:\n%s", text)
	}
}

// recodes gives each error of its Delete a code of its own.
type recodes struct{ named }

func (h recodes) Delete(ctx context.Context, req *deletion) error {
	if err := h.named.Delete(ctx, req); err != nil {
		return cfnresource.Errorf(cfnresource.CodeInternalFailure, "delete: %v", err)
	}
	return nil
}

// A Delete that fails since the service was busy knows that the thing exists.
func TestABusyServiceIsNoMissingThing(t *testing.T) {
	c := depotContract(func(d *depot) simulate.Function { return process(recodes{named{d}}) })
	text, _ := play.RunCheck(t, c, "throttled-is-tried-again")
	if !strings.Contains(text, "Delete's has the code InternalFailure") || strings.Contains(text, "NotFound") {
		t.Error(text)
	}
}

// Nobody is told to tag what is tagged.
func TestATagIsAdvisedWhereThereIsNone(t *testing.T) {
	for _, mayTag := range []bool{true, false} {
		if cure := play.Cure("Zone", mayTag); strings.Contains(cure, "tag it createOnly") != mayTag {
			t.Errorf("may be tagged %t: %q", mayTag, cure)
		}
	}
}
