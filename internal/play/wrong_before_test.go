package play_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// Each type here is right, or has one fault, with changes that cannot be made in place, or with
// what the program before made.

// large is the size that a box can be made with, and cannot be brought to.
const large = 77

var errNotUpdatable = cfnresource.Errorf(cfnresource.CodeNotUpdatable, "a box cannot become large")

func withLarge(c *play.Contract) {
	c.NotUpdatable = boxProps{Room: "hall", Size: large, Frozen: true, Password: "open-sesame"}
}

// staysSmall is a right handler: it asks what there is.
type staysSmall struct{ named }

func (h staysSmall) Update(ctx context.Context, req *updating) (boxData, error) {
	isSmall, err := h.d.find(ctx, func(name string, b *box) bool { return name == req.PhysicalID && b.filled && b.filling.Size != large })
	if err == nil && isSmall != "" && req.Properties.Size == large {
		err = errNotUpdatable
	}
	if err != nil {
		return boxData{}, err
	}
	return h.named.Update(ctx, req)
}

// refusesLate refuses when it has changed the rest.
type refusesLate struct{ staysSmall }

func (h refusesLate) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.staysSmall.Update(ctx, req)
	if errors.Is(err, errNotUpdatable) {
		_ = h.d.fill(ctx, req.PhysicalID, filling{Size: large - 1})
	}
	return data, err
}

var _ = wrong(func(d *depot) refusesLate { return refusesLate{staysSmall{named{d}}} },
	unexplored("no history has what is not updatable").with(withLarge), "update-not-updatable-then-rollback")

// refusesWithoutCode has a text for the refusal, and no code.
type refusesWithoutCode struct{ staysSmall }

func (h refusesWithoutCode) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.staysSmall.Update(ctx, req)
	if errors.Is(err, errNotUpdatable) {
		err = errors.New("a box cannot become large")
	}
	return data, err
}

var _ = wrong(func(d *depot) refusesWithoutCode { return refusesWithoutCode{staysSmall{named{d}}} },
	unexplored("no history has what is not updatable").with(withLarge), "update-not-updatable-then-rollback")

// knowsItsIDs refuses an Update of an ID that it would not give.
type knowsItsIDs struct{ named }

func (h knowsItsIDs) Update(ctx context.Context, req *updating) (boxData, error) {
	if !strings.HasPrefix(req.PhysicalID, "my-stack-") {
		return boxData{}, cfnresource.Errorf(cfnresource.CodeInvalidRequest, "%s is no ID of a box", req.PhysicalID)
	}
	return h.named.Update(ctx, req)
}

var _ = wrong(func(d *depot) knowsItsIDs { return knowsItsIDs{named{d}} },
	unexplored("no history begins with a thing that another program made"), "provider-upgrade-keeps-id")

// refusesTheRollback compares the properties, and not what there is.
type refusesTheRollback struct{ named }

func (h refusesTheRollback) Update(ctx context.Context, req *updating) (boxData, error) {
	if req.OldPropertiesErr == nil && (req.OldProperties.Size == large) != (req.Properties.Size == large) {
		return boxData{}, errNotUpdatable
	}
	return h.named.Update(ctx, req)
}

var _ = wrong(func(d *depot) refusesTheRollback { return refusesTheRollback{named{d}} },
	unexplored("no history has what is not updatable").with(withLarge), "update-not-updatable-then-rollback")

// keepsItSmall takes what it cannot do for done.
type keepsItSmall struct{ staysSmall }

func (h keepsItSmall) Update(ctx context.Context, req *updating) (boxData, error) {
	_, err := h.staysSmall.Update(ctx, req)
	if errors.Is(err, errNotUpdatable) {
		err = nil
	}
	return req.Properties.data(), err
}

var _ = wrong(func(d *depot) keepsItSmall { return keepsItSmall{staysSmall{named{d}}} },
	unexplored("no history has what is not updatable").with(withLarge), "update-not-updatable-then-rollback")

// movable is a right handler: what cannot be moved is said, and the rollback finds what it asks for.
type movable struct{ named }

func (h movable) Update(ctx context.Context, req *updating) (boxData, error) {
	if req.IdentityChanged {
		there, err := h.d.find(ctx, func(name string, b *box) bool { return name == req.PhysicalID && b.room == req.Properties.Room })
		if err == nil && there == "" {
			err = cfnresource.Errorf(cfnresource.CodeNotUpdatable, "a box cannot be moved")
		}
		if err != nil {
			return boxData{}, err
		}
	}
	return h.named.Update(ctx, req)
}

// findsOld is a right handler: it knows what the program before made, and so can replace it.
type findsOld struct{ found }

func (h findsOld) Find(ctx context.Context, req *finding) (string, error) {
	id, err := h.found.Find(ctx, req)
	if id == "" && err == nil {
		id, err = h.d.find(ctx, func(name string, b *box) bool { return name == "2024/"+req.Properties.Room && b.tag == "" })
	}
	return id, err
}

// withBefore has a program of before that made boxes under IDs of its own, without an owner.
func withBefore(process func(d *depot) simulate.Function) func(c *play.Contract) {
	return func(c *play.Contract) {
		c.New = func(testing.TB) play.Service {
			d := newDepot()
			s := d.service(process)
			s.Before = func(props any) string {
				p := props.(boxProps)
				id := "2024/" + p.Room
				d.boxes[id] = &box{room: p.Room, filled: true, filling: p.filling()}
				return id
			}
			return s
		}
	}
}

// wrongBefore adds a row of a handler that follows upon another program, and what Explore finds.
func wrongBefore[H anyHandler](of func(d *depot) H, line string) bool {
	function := func(d *depot) simulate.Function { return process(of(d)) }
	return wrongFunction(reflect.TypeFor[H]().Name(), function,
		explored(line).with(withBefore(function)), "thing-of-before")
}

// leavesUnowned deletes only what bears its owner, and says that the rest is gone.
type leavesUnowned struct{ movable }

func (h leavesUnowned) Delete(ctx context.Context, req *deletion) error {
	own, err := h.d.find(ctx, func(name string, b *box) bool { return name == req.PhysicalID && b.owner == owner(req.Request) })
	if err != nil || own == "" {
		return err
	}
	return h.movable.Delete(ctx, req)
}

var _ = wrongBefore(func(d *depot) leavesUnowned { return leavesUnowned{movable{named{d}}} }, "before v0")

// movesOld gives what the program before made a name of its own.
type movesOld struct{ movable }

func (h movesOld) Update(ctx context.Context, req *updating) (boxData, error) {
	today := *req
	if strings.HasPrefix(req.PhysicalID, "2024/") {
		if err := gone(h.d.remove(ctx, req.PhysicalID)); err != nil {
			return boxData{}, err
		}
		today.PhysicalID = req.StableID()
	}
	return h.movable.Update(ctx, &today)
}

var _ = wrongBefore(func(d *depot) movesOld { return movesOld{movable{named{d}}} }, "before v0 v1")

// ignoresTheMove takes a change that cannot be made for done.
type ignoresTheMove struct{ named }

func (h ignoresTheMove) Update(ctx context.Context, req *updating) (boxData, error) {
	return h.named.Update(ctx, req)
}

var _ = wrongBefore(func(d *depot) ignoresTheMove { return ignoresTheMove{named{d}} }, "before v0 v2")

// refusesWhatIsThere refuses also the Update that takes a refused one back.
type refusesWhatIsThere struct{ named }

func (h refusesWhatIsThere) Update(ctx context.Context, req *updating) (boxData, error) {
	if req.IdentityChanged {
		return boxData{}, cfnresource.Errorf(cfnresource.CodeNotUpdatable, "a box cannot be moved")
	}
	return h.named.Update(ctx, req)
}

var _ = wrongBefore(func(d *depot) refusesWhatIsThere { return refusesWhatIsThere{named{d}} }, "before v0 v2")

// Before is the author's: while no request has reached the handler, nothing is its fault.
func TestWhatBeforeDoesWrongIsNotTheHandlers(t *testing.T) {
	function := func(d *depot) simulate.Function { return process(movable{named{d}}) }
	for name, change := range map[string]func(s *play.Service){
		"There is nothing under old-": func(s *play.Service) {
			before := s.Before
			s.Before = func(props any) string { return "old-" + before(props) }
		},
		"not what a Create of v0 makes": func(s *play.Service) {
			before, state := s.Before, s.State
			var began time.Time
			s.Before = func(props any) string { began = time.Now(); return before(props) }
			s.State = func(id string) any {
				if strings.HasPrefix(id, "2024/") && time.Since(began) < 2*time.Hour {
					return "it is being made"
				}
				return state(id)
			}
		},
	} {
		c := depotContract(function)
		withBefore(function)(&c)
		c = withService(c, change)
		text, _ := play.RunCheck(t, c, "thing-of-before")
		for _, says := range []string{name, "If State does not know the ID that Before returns", "no request has reached the handler"} {
			if !strings.Contains(text, says) {
				t.Errorf("thing-of-before does not say %q:\n%s", says, text)
			}
		}
		if found := play.FirstFinding(t, c, 300); found.History != "before v0" || !strings.HasPrefix(found.Text, "a Before that") {
			t.Errorf("Explore finds %q:\n%s", found.History, found.Text)
		}
	}
}

// What the wrong handlers above are derived from passes.
func TestRightHandlersPassWithWhatIsNotUpdatableAndWithThingsOfBefore(t *testing.T) {
	small := depotContract(func(d *depot) simulate.Function { return process(staysSmall{named{d}}) })
	withLarge(&small)
	contracts := map[string]play.Contract{"staysSmall": small}
	for name, function := range map[string]func(d *depot) simulate.Function{
		"movable":  func(d *depot) simulate.Function { return process(movable{named{d}}) },
		"findsOld": func(d *depot) simulate.Function { return process(findsOld{found{d}}) },
	} {
		c := depotContract(function)
		withBefore(function)(&c)
		contracts[name] = c
	}
	for name, c := range contracts {
		if found := play.FirstFinding(t, c, testrun.Share(300, 0)); c.NotUpdatable == nil && found.History != "" {
			t.Errorf("Explore finds in %s: %s", name, found.Text)
		}
		for _, check := range []string{"update-not-updatable-then-rollback", "provider-upgrade-keeps-id", "thing-of-before"} {
			if text, _ := play.RunCheck(t, c, check); text != "" && (c.NotUpdatable != nil) == strings.Contains(check, "not-updatable") {
				t.Errorf("%s fails %s: %s", name, check, text)
			}
		}
	}
}
