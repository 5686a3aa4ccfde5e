package play_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// Each type here is right, in a way that a kit may take for wrong.

// slowByItself waits for boxes that take more than two invocations to be ready.
type slowByItself struct{ waiting }

func (h slowByItself) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if err != nil {
		return data, err
	}
	return data, h.awaitOld(ctx, req.CreatedID())
}

func (h slowByItself) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.named.Update(ctx, req)
	if err != nil {
		return data, err
	}
	return data, h.awaitOld(ctx, req.PhysicalID)
}

func (h slowByItself) awaitOld(ctx context.Context, id string) error {
	h.d.mu.Lock()
	if b := h.d.boxes[id]; b != nil && b.ready.IsZero() {
		b.ready = time.Now().Add(12 * time.Minute)
	}
	h.d.mu.Unlock()
	return h.d.await(ctx, func() bool { return h.d.boxes[id] != nil && time.Now().After(h.d.boxes[id].ready) })
}

// returnsIfGone waits in Delete for what it has removed, and not for what is gone.
type returnsIfGone struct{ waiting }

func (h returnsIfGone) Delete(ctx context.Context, req *deletion) error {
	err := h.d.remove(ctx, req.PhysicalID)
	if err != nil {
		return gone(err)
	}
	return h.d.await(ctx, func() bool { return h.d.boxes[req.PhysicalID] == nil })
}

// asksOnce has a Poll that must not be asked again when it was ready.
type asksOnce struct{ waiting }

func (h asksOnce) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if err != nil {
		return data, err
	}
	return data, awaitOnce(ctx)
}

func (h asksOnce) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.named.Update(ctx, req)
	if err != nil {
		return data, err
	}
	return data, awaitOnce(ctx)
}

func awaitOnce(ctx context.Context) error {
	ready := false
	return cfnresource.Poll(ctx, 5*time.Second, func(context.Context) (bool, error) {
		if ready {
			return false, errors.New("it was ready already")
		}
		ready = true
		return true, nil
	})
}

// withService returns a contract whose services are changed.
func withService(c play.Contract, change func(s *play.Service)) play.Contract {
	made := c.New
	c.New = func(t testing.TB) play.Service {
		s := made(t)
		change(&s)
		return s
	}
	return c
}

// settles has what Occupy makes change its status by itself.
func settles(s *play.Service) {
	made := map[string]time.Time{}
	state, occupy := s.State, s.Occupy
	s.Occupy = func(name string) { made[name] = time.Now(); occupy(name) }
	s.State = func(id string) any {
		look, at := state(id), made[id]
		if look == nil || at.IsZero() {
			return look
		}
		return []any{look, time.Since(at) < time.Second}
	}
}

func TestAStatusThatChangesByItselfIsNobodysWork(t *testing.T) {
	for check, handlers := range map[string]map[string]play.Contract{
		"delete-leaves-neighbours": {"right": depotContract(rightHandlers["chosen"]), "wrong": wrongNamed("deletesByPrefix").contract()},
		"stranger-holds-the-name":  {"right": depotContract(rightHandlers["chosen"]), "wrong": wrongNamed("takesOverStranger").contract()},
	} {
		for name, c := range handlers {
			if text, _ := play.RunCheck(t, withService(c, settles), check); (text == "") != (name == "right") {
				t.Errorf("%s says of a %s handler: %q", check, name, text)
			}
		}
	}
}

// What an older program made may be as InPlace says: then no Update to that can be seen.
func TestAnUpgradeToWhatIsThereIsNoFailure(t *testing.T) {
	for name, c := range map[string]play.Contract{"right": depotContract(rightHandlers["chosen"]), "wrong": wrongNamed("updateByStableIDIgnoresGone").contract()} {
		c.InPlace = boxProps{Room: "hall", Size: 1, Password: "open-sesame"} // as the depot's Occupy
		if text, _ := play.RunCheck(t, c, "provider-upgrade-keeps-id"); (text == "") != (name == "right") {
			t.Errorf("it says of a %s handler: %q", name, text)
		}
	}
}

// No handler has deleted what was never there.
func TestAnOccupyThatMakesNothingIsSaidAtOnce(t *testing.T) {
	c := withService(depotContract(rightHandlers["chosen"]), func(s *play.Service) { s.Occupy = func(string) {} })
	for _, check := range []string{"delete-leaves-neighbours", "stranger-holds-the-name", "provider-upgrade-keeps-id"} {
		r := play.RunChecks(t, c, check)[0]
		text := r.Text + strings.Join(r.Warnings, "")
		if !strings.Contains(text, "he Service's Occupy makes nothing that State shows") || strings.Contains(text, "deleted") {
			t.Errorf("%s says %q", check, text)
		}
	}
}

// losesErrors is a function whose Invoke returns no error, so that Lambda does not try
// again what could not be delivered.
type losesErrors struct{ simulate.Function }

func (f losesErrors) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	out, _ := f.Function.Invoke(ctx, payload)
	return out, nil
}

// An answer that cannot be delivered is nothing to the invocations of a chain before it.
func TestAnInvocationThatIsNotTheLastHasNothingToDeliver(t *testing.T) {
	right := rightContinuing["slowByItself"]
	for name, process := range map[string]func(d *depot) simulate.Function{
		"right": right,
		"wrong": func(d *depot) simulate.Function { return losesErrors{right(d)} },
	} {
		found, _ := play.Replayed(t, continuingContract(process), "v0!undelivered@1")
		if (found == "") != (name == "right") {
			t.Errorf("of a %s function: %s", name, found)
		}
	}
}

// triesWhatIsRefused tries again, as long as it has time, what its depot refuses.
type triesWhatIsRefused struct{ named }

func (h triesWhatIsRefused) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	for errors.Is(err, errTooBig) && ctx.Err() == nil {
		<-time.After(time.Second)
		err = h.d.fill(ctx, req.StableID(), req.Properties.filling())
	}
	return data, err
}

func TestARefusalThatCostsAllTheTimeIsTold(t *testing.T) {
	for want, process := range map[int]func(d *depot) simulate.Function{
		0: rightHandlers["named"],
		1: func(d *depot) simulate.Function { return process(triesWhatIsRefused{named{d}}) },
	} {
		if got := play.Warnings(t, depotContract(process), "create-failed-nothing-left"); len(got) != want {
			t.Errorf("it warns of %q, want %d warnings", got, want)
		}
	}
}

// goesSlowly waits in Delete until its box is gone, which in the cellar takes longer than an
// invocation. What undoes a replacement cannot wait for that.
type goesSlowly struct{ waitingFound }

func (h goesSlowly) Delete(ctx context.Context, req *deletion) error {
	err := h.d.change(ctx, req.PhysicalID, func(b *box) error {
		if b.room != "cellar" {
			delete(h.d.boxes, req.PhysicalID)
		} else if b.ready.IsZero() {
			b.ready = time.Now().Add(6 * time.Minute)
			time.AfterFunc(6*time.Minute, func() { _ = h.d.remove(context.Background(), req.PhysicalID) })
		}
		return nil
	})
	if err != nil {
		return gone(err)
	}
	return h.d.await(ctx, func() bool { return h.d.boxes[req.PhysicalID] == nil })
}

func TestWhatIsBeingDeletedIsNotLeft(t *testing.T) {
	c := continuingContract(func(d *depot) simulate.Function { return continuing(goesSlowly{waitingFound{found{d}}}) })
	for _, check := range []string{"replace-failed-nothing-left", "replace-refused-nothing-left", "update-failed-then-rollback", "create-error-after-making", "recreate-after-delete"} {
		if text, _ := play.RunCheck(t, c, check); text != "" {
			t.Errorf("%s: %s", check, text)
		}
	}
	if found := play.FirstFinding(t, c, testrun.Share(400, 2000)); found.History != "" {
		t.Error(found.Text)
	}
}

// A service may have things before the first request: they are not the stack's, so the stack leaves none of them behind.
func TestWhatTheServiceHasAtFirstIsOtherPeoples(t *testing.T) {
	for name, function := range map[string]func(m *market) simulate.Function{
		"named": func(m *market) simulate.Function { return process(namedStall(m)) },
		"found": func(m *market) simulate.Function { return process(foundStall(m)) },
	} {
		c := stallContract(true, function)
		c.New = func(testing.TB) play.Service {
			m := &market{stalls: map[string]*stall{"by-hand": {zone: "north"}}, lamps: map[string]string{}, tokens: map[string]string{}}
			return m.service(function)
		}
		for _, r := range play.RunChecks(t, c) {
			if r.Outcome == "failed" || r.Outcome == "unjudged" {
				t.Errorf("%s, %s: %s", name, r.Name, r.Text)
			}
		}
		if found := play.FirstFinding(t, c, testrun.Share(400, 2000)); found.History != "" {
			t.Errorf("%s: %s", name, found.Text)
		}
	}
}
