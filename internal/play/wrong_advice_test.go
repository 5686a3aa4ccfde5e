package play_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A market is the service of the handlers here, each of which is right but for one mistake. A stall in it has a mark, a
// label, a list of wares and a secret, and lamps, which are things of their own.
type market struct {
	mu     sync.Mutex
	stalls map[string]*stall
	lamps  map[string]string // by name, the stall that each belongs to
	tokens map[string]string // by client token, the stall that it made, though it may be gone
	made   int
}

type stall struct {
	zone, label, secret, mark string
	wares                     []string
	signs                     map[string]string
	opened                    time.Time
	writes                    int
}

type stallProps struct {
	Zone   string `cfn:"createOnly"`
	Label  string
	Secret string `cfn:"secret"`
	Wares  []string
	Signs  map[string]string
}

// stallFreeProps lack the tag.
type stallFreeProps struct {
	Zone, Label string
	Secret      string `cfn:"secret"`
	Wares       []string
	Signs       map[string]string
}

type stallData struct{ Address, Signs string }

var (
	errNoStall = errors.New("there is no such stall")
	errNoLamp  = errors.New("there is no such lamp")
	errStall   = errors.New("there is a stall of that name")
)

// do is one request to the service.
func (m *market) do(ctx context.Context, what func() error) error {
	if err := simulate.Step(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	err := what()
	m.mu.Unlock()
	if err != nil {
		return err
	}
	return simulate.Step(ctx)
}

// open makes a stall under a name.
func (m *market) open(ctx context.Context, id string, s stall) error {
	return m.do(ctx, func() error {
		if m.stalls[id] != nil {
			return errStall
		}
		s.opened = time.Now()
		m.stalls[id] = &s
		return nil
	})
}

// assign makes a stall under a number, or returns the one that the token has made before.
func (m *market) assign(ctx context.Context, token string, s stall) (id string, err error) {
	err = m.do(ctx, func() error {
		if id = m.tokens[token]; token != "" && id != "" {
			return nil
		}
		m.made++
		id = fmt.Sprintf("stall-%d", m.made)
		m.stalls[id] = &s
		if token != "" {
			m.tokens[token] = id
		}
		return nil
	})
	return id, err
}

func (m *market) change(ctx context.Context, id string, how func(s *stall) error) error {
	return m.do(ctx, func() error {
		s := m.stalls[id]
		if s == nil {
			return errNoStall
		}
		return how(s)
	})
}

func (m *market) close(ctx context.Context, id string) error {
	return m.do(ctx, func() error {
		if m.stalls[id] == nil {
			return errNoStall
		}
		delete(m.stalls, id)
		return nil
	})
}

func (m *market) find(ctx context.Context, fits func(id string, s *stall) bool) (found string, err error) {
	err = m.do(ctx, func() error {
		for _, id := range slices.Sorted(maps.Keys(m.stalls)) {
			if found == "" && fits(id, m.stalls[id]) {
				found = id
			}
		}
		return nil
	})
	return found, err
}

func (m *market) light(ctx context.Context, lamp, of string) error {
	return m.do(ctx, func() error { m.lamps[lamp] = of; return nil })
}

func (m *market) unlight(ctx context.Context, lamp string) error {
	return m.do(ctx, func() error {
		if m.lamps[lamp] == "" {
			return errNoLamp
		}
		delete(m.lamps, lamp)
		return nil
	})
}

// service is a market, as a Contract has it.
func (m *market) service(function func(*market) simulate.Function) play.Service {
	return play.Service{
		Function: func() simulate.Function { return function(m) },
		State: func(id string) any {
			m.mu.Lock()
			defer m.mu.Unlock()
			s := m.stalls[id]
			if s == nil {
				return nil
			}
			lamps := 0
			for _, of := range m.lamps {
				if of == id {
					lamps++
				}
			}
			return map[string]any{"Zone": s.zone, "Label": s.label, "Wares": s.wares, "Signs": s.signs, "Lamps": lamps}
		},
		List: func() []string {
			m.mu.Lock()
			defer m.mu.Unlock()
			return slices.Sorted(maps.Keys(m.stalls))
		},
		Around: func() any {
			m.mu.Lock()
			defer m.mu.Unlock()
			return slices.Sorted(maps.Keys(m.lamps))
		},
		Occupy: func(id string) {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.stalls[id] = &stall{zone: "a stranger's"}
		},
		Accepts: func(id, secret string) bool {
			m.mu.Lock()
			defer m.mu.Unlock()
			return m.stalls[id] != nil && m.stalls[id].secret == secret
		},
	}
}

// A stallHandler is one whose methods can be changed one by one.
type stallHandler[P any] struct {
	m      *market
	create func(context.Context, *cfnresource.CreateRequest[P]) (stallData, error)
	update func(context.Context, *cfnresource.UpdateRequest[P]) (stallData, error)
	delete func(context.Context, *cfnresource.DeleteRequest[P]) error
}

func (h *stallHandler[P]) Create(ctx context.Context, req *cfnresource.CreateRequest[P]) (stallData, error) {
	return h.create(ctx, req)
}

func (h *stallHandler[P]) Update(ctx context.Context, req *cfnresource.UpdateRequest[P]) (stallData, error) {
	return h.update(ctx, req)
}

func (h *stallHandler[P]) Delete(ctx context.Context, req *cfnresource.DeleteRequest[P]) error {
	return h.delete(ctx, req)
}

// A stallFinder has a Find.
type stallFinder struct {
	*stallHandler[stallProps]
	find func(context.Context, *cfnresource.FindRequest[stallProps]) (string, error)
}

func (h stallFinder) Find(ctx context.Context, req *cfnresource.FindRequest[stallProps]) (string, error) {
	return h.find(ctx, req)
}

type (
	stallCreate = cfnresource.CreateRequest[stallProps]
	stallUpdate = cfnresource.UpdateRequest[stallProps]
	stallDelete = cfnresource.DeleteRequest[stallProps]
	stallFind   = cfnresource.FindRequest[stallProps]
)

func (p stallProps) set(s *stall) error {
	s.label, s.secret, s.wares, s.signs = p.Label, p.Secret, slices.Clone(p.Wares), p.Signs
	return nil
}

func (p stallProps) data(id string) stallData {
	signs := []string{}
	for _, name := range slices.Sorted(maps.Keys(p.Signs)) {
		signs = append(signs, name+"="+p.Signs[name])
	}
	return stallData{"market/" + id, strings.Join(signs[:min(3, len(signs))], ",")}
}

func noStall(err error) error {
	if errors.Is(err, errNoStall) {
		return cfnresource.Errorf(cfnresource.CodeNotFound, "%w", err)
	}
	return err
}

// lampsOf are the names of a stall's lamps.
func lampsOf(id string) []string { return []string{id + "/left", id + "/right"} }

// namedStall is a right handler, whose stalls bear their StableIDs.
func namedStall(m *market) *stallHandler[stallProps] {
	h := &stallHandler[stallProps]{m: m}
	h.create = func(ctx context.Context, req *stallCreate) (data stallData, err error) {
		id := req.StableID()
		if err := m.open(ctx, id, stall{zone: req.Properties.Zone}); errors.Is(err, errStall) {
			return data, cfnresource.AlreadyExists(id)
		} else if err != nil {
			return data, err
		}
		req.Created(id)
		return h.finish(ctx, id, req.Properties)
	}
	h.update = func(ctx context.Context, req *stallUpdate) (stallData, error) {
		return h.finish(ctx, req.PhysicalID, req.Properties)
	}
	h.delete = func(ctx context.Context, req *stallDelete) error {
		for _, lamp := range lampsOf(req.PhysicalID) {
			if err := m.unlight(ctx, lamp); err != nil && !errors.Is(err, errNoLamp) {
				return err
			}
		}
		return noStall(m.close(ctx, req.PhysicalID))
	}
	return h
}

func (h *stallHandler[P]) finish(ctx context.Context, id string, p stallProps) (data stallData, err error) {
	if err := h.m.change(ctx, id, p.set); err != nil {
		return data, noStall(err)
	}
	for _, lamp := range lampsOf(id) {
		if err := h.m.light(ctx, lamp, id); err != nil {
			return data, err
		}
	}
	return p.data(id), nil
}

// foundStall is a right handler, whose stalls have numbers, and bear marks.
func foundStall(m *market) stallFinder {
	f := stallFinder{stallHandler: namedStall(m)}
	f.create = func(ctx context.Context, req *stallCreate) (data stallData, err error) {
		id, err := m.assign(ctx, req.IdempotencyToken(), stall{zone: req.Properties.Zone, mark: req.StableID()})
		if err != nil {
			return data, err
		}
		req.Created(id)
		return f.finish(ctx, id, req.Properties)
	}
	f.find = func(ctx context.Context, req *stallFind) (string, error) {
		is, err := m.find(ctx, func(id string, s *stall) bool { return id == req.PhysicalID && s.mark == req.StableID() })
		if is != "" || err != nil {
			return is, err
		}
		return m.find(ctx, func(_ string, s *stall) bool { return s.mark == req.StableID() })
	}
	return f
}

func stallContract(isMap bool, function func(m *market) simulate.Function) play.Contract {
	c := play.Contract{
		New: func(testing.TB) play.Service {
			m := &market{stalls: map[string]*stall{}, lamps: map[string]string{}, tokens: map[string]string{}}
			return m.service(function)
		},
		Properties: stallProps{Zone: "north", Label: "Fruit", Secret: "open-sesame", Wares: []string{"apple", "pear"}, Signs: map[string]string{"a": "1", "b": "2", "c": "3"}},
		InPlace:    stallProps{Zone: "north", Label: "Fish", Secret: "open-barley", Wares: []string{"apple"}, Signs: map[string]string{"a": "1", "d": "4", "b": "2"}},
		Replacing:  stallProps{Zone: "south", Label: "Fruit", Secret: "open-sesame", Wares: []string{"apple", "pear"}, Signs: map[string]string{"a": "1", "b": "2", "c": "3"}},
	}
	if isMap {
		writtenAs(asMap)(&c)
	}
	return c
}

// stallCases are wrong handlers of stalls.
func stallCases() map[string]play.Contract {
	named := func(isMap bool, mistake func(h *stallHandler[stallProps])) play.Contract {
		return stallContract(isMap, func(m *market) simulate.Function {
			h := namedStall(m)
			mistake(h)
			return process(h)
		})
	}
	found := func(isMap bool, mistake func(h *stallFinder)) play.Contract {
		return stallContract(isMap, func(m *market) simulate.Function {
			f := foundStall(m)
			mistake(&f)
			return process(f)
		})
	}
	kept := map[string]string{} // survives in the package
	all := map[string]play.Contract{
		"right named": named(true, func(*stallHandler[stallProps]) {}),
		"right found": found(true, func(*stallFinder) {}),
		"a part's NotFound ends Delete": named(true, func(h *stallHandler[stallProps]) {
			h.delete = func(ctx context.Context, req *stallDelete) error {
				for _, lamp := range lampsOf(req.PhysicalID) {
					if err := h.m.unlight(ctx, lamp); errors.Is(err, errNoLamp) {
						return cfnresource.Errorf(cfnresource.CodeNotFound, "%w", err)
					} else if err != nil {
						return err
					}
				}
				return noStall(h.m.close(ctx, req.PhysicalID))
			}
		}),
		"Update opens what is gone with new wares alone": named(true, func(h *stallHandler[stallProps]) {
			finish := h.update
			h.update = func(ctx context.Context, req *stallUpdate) (stallData, error) {
				id, p := req.PhysicalID, req.Properties
				s := stall{zone: p.Zone, label: p.Label, secret: p.Secret, signs: p.Signs}
				if err := h.m.open(ctx, id, s); err == nil && slices.Equal(p.Wares, req.OldProperties.Wares) {
					return p.data(id), nil
				} else if err != nil && !errors.Is(err, errStall) {
					return stallData{}, err
				}
				return finish(ctx, req)
			}
		}),
		"Update looks at no stall if nothing differs": named(true, func(h *stallHandler[stallProps]) {
			finish := h.update
			h.update = func(ctx context.Context, req *stallUpdate) (stallData, error) {
				if reflect.DeepEqual(req.Properties, req.OldProperties) {
					return req.Properties.data(req.PhysicalID), nil
				}
				return finish(ctx, req)
			}
		}),
		"Delete refuses a new stall without a code": named(true, func(h *stallHandler[stallProps]) {
			const built = 50 * time.Second
			create, remove := h.create, h.delete
			h.create = func(ctx context.Context, req *stallCreate) (stallData, error) {
				data, err := create(ctx, req)
				if err != nil {
					return data, err
				}
				began := time.Now()
				return data, cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) { return time.Since(began) >= built, nil })
			}
			h.delete = func(ctx context.Context, req *stallDelete) error {
				err := h.m.change(ctx, req.PhysicalID, func(s *stall) error {
					if time.Since(s.opened) < built {
						return errors.New("the stall is being built")
					}
					return nil
				})
				if err != nil {
					return noStall(err)
				}
				return remove(ctx, req)
			}
		}),
		"Update reads once, and tries to write again": named(true, func(h *stallHandler[stallProps]) {
			finish := h.update
			h.update = func(ctx context.Context, req *stallUpdate) (data stallData, err error) {
				read := 0
				if err := h.m.change(ctx, req.PhysicalID, func(s *stall) error { read = s.writes; return nil }); err != nil {
					return data, noStall(err)
				}
				err = cfnresource.Retry(ctx, func(ctx context.Context) error {
					return h.m.change(ctx, req.PhysicalID, func(s *stall) error {
						if s.writes != read {
							return cfnresource.Errorf(cfnresource.CodeResourceConflict, "the stall has changed")
						}
						s.writes++
						return nil
					})
				})
				if err != nil {
					return data, err
				}
				return finish(ctx, req)
			}
		}),
		"Update cannot turn from fish": named(true, func(h *stallHandler[stallProps]) {
			finish := h.update
			h.update = func(ctx context.Context, req *stallUpdate) (data stallData, err error) {
				err = h.m.change(ctx, req.PhysicalID, func(s *stall) error {
					if s.label == "Fish" && req.Properties.Label != "Fish" {
						return cfnresource.Errorf(cfnresource.CodeInvalidRequest, "a stall of fish stays one")
					}
					return nil
				})
				if err != nil {
					return data, noStall(err)
				}
				return finish(ctx, req)
			}
		}),
		"secret trimmed always": named(false, func(h *stallHandler[stallProps]) {
			create, update := h.create, h.update
			h.create = func(ctx context.Context, req *stallCreate) (stallData, error) {
				req.Properties.Secret = strings.TrimSpace(req.Properties.Secret)
				return create(ctx, req)
			}
			h.update = func(ctx context.Context, req *stallUpdate) (stallData, error) {
				req.Properties.Secret = strings.TrimSpace(req.Properties.Secret)
				return update(ctx, req)
			}
		}),
		"secret cut in Update": named(true, func(h *stallHandler[stallProps]) {
			update := h.update
			h.update = func(ctx context.Context, req *stallUpdate) (stallData, error) {
				req.Properties.Secret = req.Properties.Secret[:min(64, len(req.Properties.Secret))]
				return update(ctx, req)
			}
		}),
		"label lower in Update": named(true, func(h *stallHandler[stallProps]) {
			update := h.update
			h.update = func(ctx context.Context, req *stallUpdate) (stallData, error) {
				req.Properties.Label = strings.ToLower(req.Properties.Label)
				return update(ctx, req)
			}
		}),
		"adds wares, retried": named(true, func(h *stallHandler[stallProps]) {
			h.update = func(ctx context.Context, req *stallUpdate) (data stallData, err error) {
				p := req.Properties
				if err := h.m.change(ctx, req.PhysicalID, func(s *stall) error {
					s.label, s.secret, s.signs, s.wares = p.Label, p.Secret, p.Signs, nil
					return nil
				}); err != nil {
					return data, noStall(err)
				}
				for _, ware := range p.Wares {
					err := cfnresource.Retry(ctx, func(ctx context.Context) error {
						return h.m.change(ctx, req.PhysicalID, func(s *stall) error { s.wares = append(s.wares, ware); return nil })
					})
					if err != nil {
						return data, err
					}
				}
				for _, lamp := range lampsOf(req.PhysicalID) {
					if err := h.m.light(ctx, lamp, req.PhysicalID); err != nil {
						return data, err
					}
				}
				return p.data(req.PhysicalID), nil
			}
		}),
		"adds new wares": named(false, func(h *stallHandler[stallProps]) {
			update := h.update
			h.update = func(ctx context.Context, req *stallUpdate) (data stallData, err error) {
				p := req.Properties
				err = h.m.change(ctx, req.PhysicalID, func(s *stall) error {
					p.Wares = slices.DeleteFunc(slices.Clone(s.wares), func(w string) bool {
						return slices.Contains(req.OldProperties.Wares, w) && !slices.Contains(req.Properties.Wares, w)
					})
					for _, w := range req.Properties.Wares {
						if !slices.Contains(req.OldProperties.Wares, w) {
							p.Wares = append(p.Wares, w)
						}
					}
					return nil
				})
				if err != nil {
					return data, noStall(err)
				}
				req.Properties = p
				return update(ctx, req)
			}
		}),
		"Create adds to what exists": named(true, func(h *stallHandler[stallProps]) {
			h.create = func(ctx context.Context, req *stallCreate) (data stallData, err error) {
				id, p := req.StableID(), req.Properties
				if err := h.m.open(ctx, id, stall{zone: p.Zone}); err != nil && !errors.Is(err, errStall) {
					return data, err
				} else if err == nil {
					req.Created(id)
				}
				for _, ware := range p.Wares {
					if err := h.m.change(ctx, id, func(s *stall) error { s.wares = append(s.wares, ware); return nil }); err != nil {
						return data, err
					}
				}
				if err := h.m.change(ctx, id, func(s *stall) error { s.label, s.secret, s.signs = p.Label, p.Secret, p.Signs; return nil }); err != nil {
					return data, err
				}
				for _, lamp := range lampsOf(id) {
					if err := h.m.light(ctx, lamp, id); err != nil {
						return data, err
					}
				}
				return p.data(id), nil
			}
		}),
		"Create removes on any error": named(true, func(h *stallHandler[stallProps]) {
			create := h.create
			h.create = func(ctx context.Context, req *stallCreate) (data stallData, err error) {
				if data, err = create(ctx, req); err != nil {
					_ = h.m.close(ctx, req.StableID())
				}
				return data, err
			}
		}),
		"Create by Zone removes on any error": named(false, func(h *stallHandler[stallProps]) {
			h.create = func(ctx context.Context, req *stallCreate) (data stallData, err error) {
				id := "stall-" + req.Properties.Zone
				if err := h.m.open(ctx, id, stall{zone: req.Properties.Zone}); err != nil {
					_ = h.m.close(ctx, id)
					return data, err
				}
				req.Created(id)
				return h.finish(ctx, id, req.Properties)
			}
		}),
		"a map by LogicalID names what Delete removes": found(true, func(f *stallFinder) {
			create, del := f.create, f.delete
			f.create = func(ctx context.Context, req *stallCreate) (stallData, error) {
				data, err := create(ctx, req)
				if err == nil {
					kept[req.LogicalID] = req.CreatedID()
				}
				return data, err
			}
			f.delete = func(ctx context.Context, req *stallDelete) error {
				if id := kept[req.LogicalID]; id != "" {
					req.PhysicalID = id
				}
				return del(ctx, req)
			}
		}),
		"Data in the order of a map": named(true, func(h *stallHandler[stallProps]) {
			random := func(p stallProps, data stallData) stallData {
				signs := []string{}
				for name, sign := range p.Signs {
					signs = append(signs, name+"="+sign)
				}
				data.Signs = strings.Join(signs[:min(3, len(signs))], ",")
				return data
			}
			create, update := h.create, h.update
			h.create = func(ctx context.Context, req *stallCreate) (stallData, error) {
				data, err := create(ctx, req)
				return random(req.Properties, data), err
			}
			h.update = func(ctx context.Context, req *stallUpdate) (stallData, error) {
				data, err := update(ctx, req)
				return random(req.Properties, data), err
			}
		}),
		"the token is the StableID": found(true, func(f *stallFinder) {
			f.create = func(ctx context.Context, req *stallCreate) (data stallData, err error) {
				id, err := f.m.assign(ctx, req.StableID(), stall{zone: req.Properties.Zone, mark: req.StableID()})
				if err != nil {
					return data, err
				}
				req.Created(id)
				return f.finish(ctx, id, req.Properties)
			}
		}),
		"the token is the LogicalID": found(false, func(f *stallFinder) {
			f.create = func(ctx context.Context, req *stallCreate) (data stallData, err error) {
				id, err := f.m.assign(ctx, req.LogicalID, stall{zone: req.Properties.Zone, mark: req.StableID()})
				if err != nil {
					return data, err
				}
				req.Created(id)
				return f.finish(ctx, id, req.Properties)
			}
		}),
		"the token is the RequestID": found(false, func(f *stallFinder) {
			f.create = func(ctx context.Context, req *stallCreate) (data stallData, err error) {
				id, err := f.m.assign(ctx, req.RequestID, stall{zone: req.Properties.Zone, mark: req.StableID()})
				if err != nil {
					return data, err
				}
				req.Created(id)
				return f.finish(ctx, id, req.Properties)
			}
		}),
		"Update compares labels with OldProperties": named(false, func(h *stallHandler[stallProps]) {
			finish := h.update
			h.update = func(ctx context.Context, req *stallUpdate) (data stallData, err error) {
				if old := req.OldProperties.Label; old != "" && old != req.Properties.Label {
					return data, cfnresource.Errorf(cfnresource.CodeNotUpdatable, "a label stays")
				}
				return finish(ctx, req)
			}
		}),
		"Update takes the mark off": found(false, func(f *stallFinder) {
			finish := f.update
			f.update = func(ctx context.Context, req *stallUpdate) (stallData, error) {
				data, err := finish(ctx, req)
				if err != nil {
					return data, err
				}
				return data, f.m.change(ctx, req.PhysicalID, func(s *stall) error { s.mark = ""; return nil })
			}
		}),
		"the token is the StableID, in one call": found(true, func(f *stallFinder) {
			f.create = func(ctx context.Context, req *stallCreate) (data stallData, err error) {
				s := stall{zone: req.Properties.Zone, mark: req.StableID()}
				if err := req.Properties.set(&s); err != nil {
					return data, err
				}
				id, err := f.m.assign(ctx, req.StableID(), s)
				if err != nil {
					return data, err
				}
				req.Created(id)
				return req.Properties.data(id), nil
			}
		}),
		"Find returns what it is given": found(true, func(f *stallFinder) {
			find := f.find
			f.find = func(ctx context.Context, req *stallFind) (string, error) {
				if strings.HasPrefix(req.PhysicalID, "stall-") {
					return req.PhysicalID, nil
				}
				return find(ctx, req)
			}
			update := f.update
			f.update = func(ctx context.Context, req *stallUpdate) (stallData, error) {
				if req.IdentityChanged {
					return stallData{}, cfnresource.Errorf(cfnresource.CodeNotUpdatable, "a stall stays where it is")
				}
				return update(ctx, req)
			}
		}),
		"Find also compares the label": found(true, func(f *stallFinder) {
			f.find = func(ctx context.Context, req *stallFind) (string, error) {
				return f.m.find(ctx, func(_ string, s *stall) bool { return s.mark == req.StableID() && s.label == req.Properties.Label })
			}
		}),
		"Find hides errors": found(true, func(f *stallFinder) {
			find := f.find
			f.find = func(ctx context.Context, req *stallFind) (string, error) {
				id, _ := find(ctx, req)
				return id, nil
			}
		}),
		"Update goes on after the answer": named(true, func(h *stallHandler[stallProps]) {
			update := h.update
			h.update = func(ctx context.Context, req *stallUpdate) (data stallData, err error) {
				time.AfterFunc(time.Millisecond, func() { _, _ = update(context.WithoutCancel(ctx), req) })
				return data, nil
			}
		}),
		"Update turns the wares around": named(false, func(h *stallHandler[stallProps]) {
			update := h.update
			h.update = func(ctx context.Context, req *stallUpdate) (stallData, error) {
				slices.Reverse(req.Properties.Wares)
				return update(ctx, req)
			}
		}),
		"Update removes what it cannot change": named(true, func(h *stallHandler[stallProps]) {
			update := h.update
			h.update = func(ctx context.Context, req *stallUpdate) (stallData, error) {
				data, err := update(ctx, req)
				if err != nil {
					_ = h.m.close(ctx, req.PhysicalID)
				}
				return data, err
			}
		}),
		"Create names a stall by LogicalID": named(false, func(h *stallHandler[stallProps]) {
			h.create = func(ctx context.Context, req *stallCreate) (data stallData, err error) {
				id := req.StackID.StackName() + "-" + req.LogicalID
				if err := h.m.open(ctx, id, stall{zone: req.Properties.Zone}); errors.Is(err, errStall) {
					return data, cfnresource.AlreadyExists(id)
				} else if err != nil {
					return data, err
				}
				req.Created(id)
				return h.finish(ctx, id, req.Properties)
			}
			h.update = func(ctx context.Context, req *stallUpdate) (data stallData, err error) {
				move := func(s *stall) error { s.zone = req.Properties.Zone; return nil }
				if err := h.m.change(ctx, req.PhysicalID, move); err != nil {
					return data, noStall(err)
				}
				return h.finish(ctx, req.PhysicalID, req.Properties)
			}
		}),
		"Find does not read": found(false, func(f *stallFinder) {
			f.find = func(ctx context.Context, req *stallFind) (string, error) { return req.StableID(), nil }
		}),
		"Delete closes all by prefix": named(false, func(h *stallHandler[stallProps]) {
			h.delete = func(ctx context.Context, req *stallDelete) error {
				return h.m.do(ctx, func() error {
					base, _, _ := strings.Cut(req.PhysicalID, "-")
					maps.DeleteFunc(h.m.lamps, func(lamp, _ string) bool { return strings.HasPrefix(lamp, base) })
					maps.DeleteFunc(h.m.stalls, func(id string, _ *stall) bool { return strings.HasPrefix(id, base) })
					return nil
				})
			}
		}),
		"Delete puts out every lamp": named(true, func(h *stallHandler[stallProps]) {
			h.delete = func(ctx context.Context, req *stallDelete) error {
				if err := h.m.do(ctx, func() error { clear(h.m.lamps); return nil }); err != nil {
					return err
				}
				return noStall(h.m.close(ctx, req.PhysicalID))
			}
		}),
		"Delete ignores lamps' errors": named(false, func(h *stallHandler[stallProps]) {
			h.delete = func(ctx context.Context, req *stallDelete) error {
				for _, lamp := range lampsOf(req.PhysicalID) {
					_ = h.m.unlight(ctx, lamp)
				}
				return noStall(h.m.close(ctx, req.PhysicalID))
			}
		}),
		"Delete: stall first, then lamps, NotFound ends": named(true, func(h *stallHandler[stallProps]) {
			h.delete = func(ctx context.Context, req *stallDelete) error {
				if err := h.m.close(ctx, req.PhysicalID); err != nil {
					return noStall(err)
				}
				for _, lamp := range lampsOf(req.PhysicalID) {
					if err := h.m.unlight(ctx, lamp); err != nil && !errors.Is(err, errNoLamp) {
						return err
					}
				}
				return nil
			}
		}),
		"Update says NotFound of lamps": named(false, func(h *stallHandler[stallProps]) {
			update := h.update
			h.update = func(ctx context.Context, req *stallUpdate) (data stallData, err error) {
				for _, lamp := range lampsOf(req.PhysicalID) {
					err := h.m.do(ctx, func() error {
						if h.m.lamps[lamp] == "" {
							return cfnresource.Errorf(cfnresource.CodeNotFound, "no lamp")
						}
						return nil
					})
					if err != nil {
						return data, err
					}
				}
				return update(ctx, req)
			}
		}),
		"Update refuses fewer wares": named(true, func(h *stallHandler[stallProps]) {
			update := h.update
			h.update = func(ctx context.Context, req *stallUpdate) (data stallData, err error) {
				err = h.m.change(ctx, req.PhysicalID, func(s *stall) error {
					if len(req.Properties.Wares) < len(s.wares) {
						return errors.New("wares cannot be removed")
					}
					return nil
				})
				if err != nil {
					return data, noStall(err)
				}
				return update(ctx, req)
			}
		}),
		"Update merges signs": named(false, func(h *stallHandler[stallProps]) {
			update := h.update
			h.update = func(ctx context.Context, req *stallUpdate) (stallData, error) {
				p := req.Properties
				_ = h.m.change(ctx, req.PhysicalID, func(s *stall) error {
					all := maps.Clone(s.signs)
					if all == nil {
						all = map[string]string{}
					}
					maps.Copy(all, p.Signs)
					req.Properties.Signs = all
					return nil
				})
				_, err := update(ctx, req)
				return p.data(req.PhysicalID), err
			}
		}),
		"entries as a set": named(true, func(h *stallHandler[stallProps]) {
			update := h.update
			h.update = func(ctx context.Context, req *stallUpdate) (stallData, error) {
				wares := []string{}
				for _, w := range req.Properties.Wares {
					if !slices.Contains(wares, w) {
						wares = append(wares, w)
					}
				}
				req.Properties.Wares = wares
				return update(ctx, req)
			}
		}),
	}
	for name, refuse := range map[string]error{
		"zone refused as invalid": cfnresource.Errorf(cfnresource.CodeInvalidRequest, "a stall stays in its zone"),
		"zone refused":            errors.New("the zone of a stall is immutable"),
	} {
		all[name] = stallContract(name == "zone refused", func(m *market) simulate.Function {
			right, h := namedStall(m), &stallHandler[stallFreeProps]{m: m}
			h.create = func(ctx context.Context, req *cfnresource.CreateRequest[stallFreeProps]) (stallData, error) {
				id, p := req.StableID(), stallProps(req.Properties)
				if err := m.open(ctx, id, stall{zone: p.Zone}); errors.Is(err, errStall) {
					return stallData{}, cfnresource.AlreadyExists(id)
				} else if err != nil {
					return stallData{}, err
				}
				req.Created(id)
				return right.finish(ctx, id, p)
			}
			h.update = func(ctx context.Context, req *cfnresource.UpdateRequest[stallFreeProps]) (stallData, error) {
				err := m.change(ctx, req.PhysicalID, func(s *stall) error {
					if s.zone != req.Properties.Zone {
						return refuse
					}
					return nil
				})
				if err != nil {
					return stallData{}, noStall(err)
				}
				return right.finish(ctx, req.PhysicalID, stallProps(req.Properties))
			}
			h.delete = func(ctx context.Context, req *cfnresource.DeleteRequest[stallFreeProps]) error {
				return right.delete(ctx, &stallDelete{PhysicalID: req.PhysicalID})
			}
			return process(h)
		})
	}
	return all
}

// The advice follows from what the judge knows, so one row is for all handlers of which that is so.
func TestAdviceFollowsFromWhatIsKnown(t *testing.T) {
	all := stallCases()
	for _, test := range []struct{ handler, line, shows string }{
		{"a part's NotFound ends Delete", "v0!fail-at-step:2@1", "denied-to-exist"},
		{"a part's NotFound ends Delete", "v0 v2!fail-at-step:3@1", "denied-to-exist"},
		{"a map by LogicalID names what Delete removes", "v0 v2/sibling-fails", "denied-to-exist"},
		{"a map by LogicalID names what Delete removes", "v0 v2", "by-along"},
		{"secret trimmed always", "v0[Secret=spaces]", "secret-altered"},
		{"secret cut in Update", "v0[Secret=from:most] v0[Secret=most]", "secret-altered"},
		{"label lower in Update", "v0 again", "altered"},
		{"label lower in Update", "v0!redeliver@1", "altered"},
		{"Update opens what is gone with new wares alone", "v0 gone again", ""},
		{"Update looks at no stall if nothing differs", "v0 gone again", "gone"},
		{"Delete refuses a new stall without a code", "v0/cancelled", "there"},
		{"Update reads once, and tries to write again", "v0 v1!throttle-at-step:4@1", ""},
		{"adds wares, retried", "v0 v1!throttle-at-step:4@1", "doubled"},
		{"adds new wares", "v0!redeliver@1", "doubled"},
		{"Create adds to what exists", "v0!redeliver@1", "doubled"},
		{"entries as a set", "v0 v0[Wares=doubled]", "merged"},
		{"Create removes on any error", "v0!redeliver@1", "by-Create"},
		{"Create removes on any error", "v0 v2!die-after@1", "by-Create"},
		{"Delete ignores lamps' errors", "v0 delete!fail-at-step:1@1", "untold"},
		{"Delete: stall first, then lamps, NotFound ends", "v0 delete!fail-at-step:2@1", "NotFound"},
		{"Update says NotFound of lamps", "v0!die-at-step:2@1", "denied-to-exist"},
		{"Update refuses fewer wares", "v0 v1", "undisturbed Update erred"},
		{"Update merges signs", "v0 v1", "left-in"},
		{"zone refused", "v0 v2", "untagged Update erred"},
		{"zone refused as invalid", "v0 v2", "untagged Update erred"},
		{"the token is the StableID", "v0 out v0", "phantom-Create"},
		{"the token is the LogicalID", "v0 out v0", "phantom-Create"},
		{"Update takes the mark off", "v0!die-for-good@1", "searches undeleted"},
		{"the token is the StableID, in one call", "v0 out v0", "phantom-Create"},
		{"the token is the RequestID", "same-ids v0 out 2h v0", "phantom-Create"},
		{"Find does not read", "v0", "phantom-Find"},
		{"Find returns what it is given", "v0 v2", "unapart Update erred"},
		{"Update goes on after the answer", "v0 v1/sibling-fails!die-at-step:1@1", "outlived"},
		{"Find hides errors", "v0 v2/sibling-fails!throttle-at-step:1@2", "untold-Find"},
		{"Find hides errors", "v0 v2/sibling-fails!fail-at-step:3@2", "untold-Find"},
		{"Update turns the wares around", "v0 again", "reordered"},
		{"Update removes what it cannot change", "v0 v1!fail-at-step:1@1", "by-Update"},
		{"Create names a stall by LogicalID", "v0!redeliver@1", "Create AlreadyExists"},
		{"Create names a stall by LogicalID", "v0 v2", "unsearched"},
		{"Delete closes all by prefix", "v0 v2", "by-along"},
		{"Delete puts out every lamp", "v0 v2", "by-along"},
		{"Find also compares the label", "v0 v2!lose-answer@1 v2[Label=value:v1]", "searches undeleted"},
	} {
		if shows := play.Shown(t, all[test.handler], test.line); shows != test.shows {
			t.Errorf("%s, by %q: the advice is by %q, want %q", test.handler, test.line, shows, test.shows)
		}
	}

	// What an Update to InPlace changes need not be tagged.
	text, _ := play.RunCheck(t, all["Update cannot turn from fish"], "leads-where-create-does")
	if !strings.Contains(text, "in an order that it accepts") || strings.Contains(text, "tag it createOnly") {
		t.Errorf("an Update that the service refuses is told to:\n%s", text)
	}

	// What is done to somebody else's thing is told by the method that was seen to do it.
	if text, _ := play.Replayed(t, all["Create by Zone removes on any error"], "occupied v0"); !strings.Contains(text, "Create did it") {
		t.Errorf("Create is not named:\n%s", text)
	}

	// A map has another order now and then.
	for range 20 {
		if shows := play.Shown(t, all["Data in the order of a map"], "v0 again again again again"); shows == "reordered" {
			return
		}
	}
	t.Error("the advice on Data in the order of a map is not by that")
}

// A method that panics has not refused a value: it is told where, and of which property, and not the value.
func TestAPanicIsNoRefusal(t *testing.T) {
	for _, mistake := range []func(p stallProps){
		func(p stallProps) { _ = p.Wares[0] },
		func(p stallProps) { p.Signs["made by"] = "a handler" },
		func(p stallProps) { _ = p.Wares[0]; p.Signs["made by"] = "a handler" },
	} {
		c := stallContract(true, func(m *market) simulate.Function {
			h := namedStall(m)
			create, update := h.create, h.update
			h.create = func(ctx context.Context, req *stallCreate) (stallData, error) {
				mistake(req.Properties)
				return create(ctx, req)
			}
			h.update = func(ctx context.Context, req *stallUpdate) (stallData, error) {
				mistake(req.Properties)
				return update(ctx, req)
			}
			return process(h)
		})
		text, _ := play.RunCheck(t, c, "leads-where-create-does")
		for _, says := range []string{"s alone is changed (left-out): a method that panics.", "The handler's Create panicked", "Allow for lists and maps of any length"} {
			if !strings.Contains(text, says) {
				t.Errorf("it does not say %q:\n%s", says, text)
			}
		}
	}
}

// checkedProps have a Validate that panics where they lack wares, or, in the west, have many.
type checkedProps struct {
	Zone  string `cfn:"createOnly"`
	Wares []string
}

func (p *checkedProps) Validate() error {
	var named [500]bool
	for i, ware := range p.Wares {
		named[i] = ware != ""
	}
	if p.Zone != "west" && !named[len(p.Wares)-1] {
		return errors.New("a ware has a name")
	}
	return nil
}

// Nor has Validate refused it if it panics, though no method is called then.
func TestAPanicOfValidateIsNoRefusal(t *testing.T) {
	c := stallContract(true, func(m *market) simulate.Function {
		right, h := namedStall(m), &stallHandler[checkedProps]{m: m}
		h.create = func(ctx context.Context, req *cfnresource.CreateRequest[checkedProps]) (stallData, error) {
			id := req.StableID()
			if err := m.open(ctx, id, stall{zone: req.Properties.Zone}); errors.Is(err, errStall) {
				return stallData{}, cfnresource.AlreadyExists(id)
			} else if err != nil {
				return stallData{}, err
			}
			req.Created(id)
			return right.finish(ctx, id, stallProps{Wares: req.Properties.Wares})
		}
		h.update = func(ctx context.Context, req *cfnresource.UpdateRequest[checkedProps]) (stallData, error) {
			return right.finish(ctx, req.PhysicalID, stallProps{Wares: req.Properties.Wares})
		}
		h.delete = func(ctx context.Context, req *cfnresource.DeleteRequest[checkedProps]) error {
			return right.delete(ctx, &stallDelete{PhysicalID: req.PhysicalID})
		}
		return process(h)
	})
	for zone, kind := range map[string]string{"north": "left-out", "west": "entries"} {
		c.Properties = checkedProps{Zone: zone, Wares: []string{"apple", "pear"}}
		c.InPlace, c.Replacing = checkedProps{Zone: zone, Wares: []string{"apple"}}, checkedProps{Zone: "south", Wares: []string{"apple", "pear"}}
		text, _ := play.RunCheck(t, c, "leads-where-create-does")
		if !strings.Contains(text, "Wares alone is changed ("+kind+"): a method that panics.") || !strings.Contains(text, "Validate panicked") {
			t.Errorf("in the %s: %s", zone, text)
		}
	}
}

// CloudFormation may give the RequestId of an earlier request again, of which a service may remember the token.
func TestATokenThatIsTheRequestIDIsFound(t *testing.T) {
	text, _ := play.RunCheck(t, stallCases()["the token is the RequestID"], "time-passes")
	if !strings.Contains(text, "same-ids v0 out 2h v0") || !strings.Contains(text, "pass IdempotencyToken") {
		t.Errorf("it says %q", text)
	}
}

// In the rollback of an Update that was refused, OldProperties are what was refused.
func TestARollbackThatGoesByOldPropertiesIsToldSo(t *testing.T) {
	text, _ := play.Replayed(t, stallCases()["Update compares labels with OldProperties"], "v0 v0[Label=other]")
	if !strings.Contains(text, "if Update compares Properties with OldProperties, compare them with the thing") {
		t.Errorf("it says %q", text)
	}
}

// The stalls are no reason for a failure: the handlers from which the wrong ones are made are right.
func TestARightHandlerOfStallsPasses(t *testing.T) {
	for _, name := range []string{"right named", "right found"} {
		for _, r := range play.RunChecks(t, stallCases()[name]) {
			if r.Outcome == "failed" || r.Outcome == "unjudged" {
				t.Errorf("%s, %s: %s", name, r.Name, r.Text)
			}
		}
	}
}
