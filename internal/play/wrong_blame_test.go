package play_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// streetLamp is nobody's stall's.
const streetLamp = "street"

// blamedStalls is a Contract of stalls in a street with a lamp, where an earlier program made stalls too. The handler is right
// but for what is changed.
func blamedStalls(change func(m *market, h *stallHandler[stallProps])) play.Contract {
	c := stallContract(false, nil)
	c.New = func(testing.TB) play.Service {
		m := &market{stalls: map[string]*stall{}, lamps: map[string]string{streetLamp: "nobody's"}, tokens: map[string]string{}}
		s := m.service(func(m *market) simulate.Function {
			h := namedStall(m)
			change(m, h)
			return process(h)
		})
		s.Before = func(properties any) string {
			const id = "an-old-stall"
			p := properties.(stallProps)
			m.stalls[id] = &stall{zone: p.Zone}
			for _, lamp := range lampsOf(id) {
				m.lamps[lamp] = id
			}
			_ = p.set(m.stalls[id])
			return id
		}
		return s
	}
	return c
}

// What is said of a failure names the method, and the error, that were seen.
func TestTheMethodThatWasSeenIsBlamed(t *testing.T) {
	noLabel := func(code cfnresource.Code) func(m *market, h *stallHandler[stallProps]) {
		return func(_ *market, h *stallHandler[stallProps]) {
			create := h.create
			h.create = func(ctx context.Context, req *stallCreate) (stallData, error) {
				if req.Properties.Label == "" {
					return stallData{}, cfnresource.Errorf(code, "there is no such label")
				}
				return create(ctx, req)
			}
		}
	}
	for name, test := range map[string]struct {
		change func(m *market, h *stallHandler[stallProps])
		line   string
		says   []string
		lacks  string // or ""
	}{
		"Create returns the Data of before its change": {
			func(_ *market, h *stallHandler[stallProps]) {
				create := h.create
				h.create = func(ctx context.Context, req *stallCreate) (stallData, error) {
					data, err := create(ctx, req)
					data.Signs = ""
					return data, err
				}
			},
			"v0!redeliver@1", []string{"Create's answer has no value for Signs. Of two deliveries of the Create, the other", "Have Create return all Data, read after the last change"}, "",
		},
		"Update cannot read what Create returned": {
			func(_ *market, h *stallHandler[stallProps]) {
				update := h.update
				h.update = func(ctx context.Context, req *stallUpdate) (stallData, error) {
					data, err := update(ctx, req)
					data.Signs = ""
					return data, err
				}
			},
			"v0!twice@1", []string{"Update's answer has no value for Signs. Of two deliveries of the Create, the other", "Have Update return all Data"}, "",
		},
		"Create answers without what it could not read": {
			func(m *market, h *stallHandler[stallProps]) {
				create := h.create
				h.create = func(ctx context.Context, req *stallCreate) (stallData, error) {
					data, err := create(ctx, req)
					if err != nil {
						return data, err
					}
					if err := m.change(ctx, req.StableID(), func(*stall) error { return nil }); err != nil {
						data.Signs = ""
					}
					return data, nil
				}
			},
			"v0!fail-at-step:9@1", []string{"The service failed, and Create returned no error"}, "Have Create return all Data",
		},
		"Create cuts what Before keeps": {
			func(_ *market, h *stallHandler[stallProps]) {
				create := h.create
				h.create = func(ctx context.Context, req *stallCreate) (stallData, error) {
					req.Properties.Label = req.Properties.Label[:2]
					return create(ctx, req)
				}
			},
			"before v0", []string{"either may be wrong", "If Before makes what the properties say, and Create does not, mend Create"}, "the handler's Create",
		},
		"Create makes room": {
			func(m *market, h *stallHandler[stallProps]) {
				create := h.create
				h.create = func(ctx context.Context, req *stallCreate) (stallData, error) {
					other, err := m.find(ctx, func(id string, s *stall) bool { return id != req.StableID() && s.zone == req.Properties.Zone })
					if err == nil && other != "" {
						err = m.close(ctx, other)
					}
					if err != nil {
						return stallData{}, err
					}
					return create(ctx, req)
				}
			},
			"v0 +v0", []string{"in delivery 1 of the first Create of ResourceTwo", "The Create of ResourceTwo also removed"}, "have Update change the thing in place",
		},
		"Update makes room": {
			func(m *market, h *stallHandler[stallProps]) {
				update := h.update
				h.update = func(ctx context.Context, req *stallUpdate) (stallData, error) {
					other, err := m.find(ctx, func(id string, s *stall) bool { return id != req.PhysicalID && s.zone == req.Properties.Zone })
					if err == nil && other != "" {
						err = m.close(ctx, other)
					}
					if err != nil {
						return stallData{}, err
					}
					return update(ctx, req)
				}
			},
			"foreign-id v0 twin v1", []string{"The Update of made-by-an-older-program removes ", "nor what another resource has"}, " changes my-stack",
		},
		"Create puts out the street lamp": {
			func(m *market, h *stallHandler[stallProps]) {
				create := h.create
				h.create = func(ctx context.Context, req *stallCreate) (stallData, error) {
					if err := m.unlight(ctx, streetLamp); err != nil && !errors.Is(err, errNoLamp) {
						return stallData{}, err
					}
					return create(ctx, req)
				}
			},
			"v0", []string{"A part has been lost since the end of Create, in delivery 1 of the first Create"}, "",
		},
		"Delete puts out the street lamp": {
			func(m *market, h *stallHandler[stallProps]) {
				del := h.delete
				h.delete = func(ctx context.Context, req *stallDelete) error {
					if err := m.unlight(ctx, streetLamp); err != nil && !errors.Is(err, errNoLamp) {
						return err
					}
					return del(ctx, req)
				}
			},
			"v0", []string{"A part has been lost since the end of Delete, in delivery 1 of the first Delete"}, "",
		},
		"Create fails without a label": {
			noLabel(cfnresource.CodeNotFound), "v0 v0[Label=left-out]", []string{"a Create of the same properties did not succeed: ", "there is no such label", "have Create succeed"}, "is refused",
		},
		"Create refuses to have no label": {
			noLabel(cfnresource.CodeInvalidRequest), "v0 v0[Label=left-out]", []string{"a Create of the same properties is refused: ", "there is no such label"}, "",
		},
		"Update leaves the wares alone": {
			func(m *market, h *stallHandler[stallProps]) {
				h.update = func(ctx context.Context, req *stallUpdate) (stallData, error) {
					p := req.Properties
					err := m.change(ctx, req.PhysicalID, func(s *stall) error {
						s.label, s.secret, s.signs = p.Label, p.Secret, p.Signs
						return nil
					})
					return p.data(req.PhysicalID), noStall(err)
				}
			},
			"v0 v1", []string{"Wares has more than the new properties: have Update write Wares as a whole each time, whatever the other properties are"}, "",
		},
	} {
		text, _ := play.Replayed(t, blamedStalls(test.change), test.line)
		for _, says := range test.says {
			if !strings.Contains(text, says) {
				t.Errorf("%s, by %q: it does not say %q:\n%s", name, test.line, says, text)
			}
		}
		if test.lacks != "" && strings.Contains(text, test.lacks) {
			t.Errorf("%s, by %q: it says %q:\n%s", name, test.line, test.lacks, text)
		}
	}
}

// tidies removes in Find what bears another mark.
type tidies struct{ found }

func (h tidies) Find(ctx context.Context, req *finding) (string, error) {
	id, err := h.found.Find(ctx, req)
	if err == nil && id != req.PhysicalID && req.PhysicalID != "" {
		err = gone(h.d.remove(ctx, req.PhysicalID))
	}
	return id, err
}

// What is removed is told of the method that has removed it, also if that should only look.
func TestAFindThatRemovesIsToldSo(t *testing.T) {
	c := of(func(h found) tidies { return tidies{h} }, cfnresource.Options{})
	text, _ := play.Replayed(t, c, "v0 v2")
	if !strings.Contains(text, "Find removes box-1") || !strings.Contains(text, "Find change nothing") {
		t.Errorf("it says:\n%s", text)
	}
}
