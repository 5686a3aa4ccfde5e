package play_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// A wall is the service in which the handlers here manage gates. What it knows of a gate is set as a whole, or by the
// parts that a handler asks for.
type wall struct {
	mu    sync.Mutex
	gates map[string]gate
	made  int

	ignoresCase bool // of names
}

type gate struct {
	Rules    []string // in this order
	Owners   []string // a set
	Mode     string
	Height   int
	More     gateMore
	password string
	name     string // as it was made
	serial   int
	since    time.Time
}

type gateProps struct {
	Zone     string `cfn:"createOnly"`
	Rules    []string
	Owners   []string
	Mode     string `cfn:"default=strict"`
	Password string `cfn:"secret"`
	Label    string
	Keep     bool
	Height   int
	More     gateMore
}

// gateMore is what few gates have.
type gateMore struct {
	Opens string // a time
	Notes map[string]string
	Doors []door
	Every time.Duration
	Slope float64
	Steps int `cfn:"default=3"`

	Low, High int
}

type door struct {
	Name string
	Bars []string
	Bolt bool
}

// gateData have Serial and Since, which tell one making of a gate from another.
type gateData struct{ Mode, Serial, Since string }

func (p gateProps) gate() gate {
	owners := slices.Compact(slices.Sorted(slices.Values(p.Owners)))
	return gate{Rules: p.Rules, Owners: owners, Mode: p.Mode, Height: p.Height, More: p.More, password: p.Password}
}

// set sets a gate, and reports whether it is new.
func (w *wall) set(ctx context.Context, id string, g gate) (isNew bool, err error) {
	if err := simulate.Step(ctx); err != nil {
		return false, err
	}
	w.mu.Lock()
	was, there := w.gates[w.key(id)]
	if g.name, g.serial, g.since = was.name, was.serial, was.since; !there {
		w.made++
		g.name, g.serial, g.since = id, w.made, time.Now()
	}
	w.gates[w.key(id)] = g
	w.mu.Unlock()
	return !there, simulate.Step(ctx)
}

func (w *wall) key(id string) string {
	if w.ignoresCase {
		return strings.ToLower(id)
	}
	return id
}

// data returns what can be read of a gate.
func (w *wall) data(id string) gateData {
	g, _ := w.get(id)
	return gateData{g.Mode, fmt.Sprint("serial ", g.serial), g.since.Format(time.RFC3339)}
}

func (w *wall) get(id string) (gate, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	g, ok := w.gates[w.key(id)]
	return g, ok
}

func (w *wall) remove(ctx context.Context, id string) error {
	if err := simulate.Step(ctx); err != nil {
		return err
	}
	w.mu.Lock()
	delete(w.gates, w.key(id))
	w.mu.Unlock()
	return simulate.Step(ctx)
}

// keeper is a right handler: the gates bear their StableIDs.
type keeper struct{ w *wall }

func (h keeper) Create(ctx context.Context, req *cfnresource.CreateRequest[gateProps]) (gateData, error) {
	return h.create(ctx, req, req.StableID())
}

func (h keeper) create(ctx context.Context, req *cfnresource.CreateRequest[gateProps], id string) (data gateData, err error) {
	if _, there := h.w.get(id); there {
		return data, cfnresource.AlreadyExists(id)
	}
	isNew, err := h.w.set(ctx, id, req.Properties.gate())
	if isNew {
		req.Created(id)
	}
	return h.w.data(id), err
}

func (h keeper) Update(ctx context.Context, req *cfnresource.UpdateRequest[gateProps]) (gateData, error) {
	_, err := h.w.set(ctx, req.PhysicalID, req.Properties.gate())
	return h.w.data(req.PhysicalID), err
}

func (h keeper) Delete(ctx context.Context, req *cfnresource.DeleteRequest[gateProps]) error {
	return h.w.remove(ctx, req.PhysicalID)
}

// updateGate has the handlers' Updates change what is there.
func (h keeper) updateGate(ctx context.Context, req *cfnresource.UpdateRequest[gateProps], change func(was gate, to *gate)) (gateData, error) {
	to := req.Properties.gate()
	if was, ok := h.w.get(req.PhysicalID); ok {
		change(was, &to)
	}
	_, err := h.w.set(ctx, req.PhysicalID, to)
	return h.w.data(req.PhysicalID), err
}

// comparesAsSet leaves the rules as they are if the new ones are the same in another order.
type comparesAsSet struct{ keeper }

func (h comparesAsSet) Update(ctx context.Context, req *cfnresource.UpdateRequest[gateProps]) (gateData, error) {
	return h.updateGate(ctx, req, func(was gate, to *gate) {
		if slices.Equal(slices.Sorted(slices.Values(was.Rules)), slices.Sorted(slices.Values(to.Rules))) {
			to.Rules = was.Rules
		}
	})
}

// countsOwners takes as many owners as there should be for the right ones.
type countsOwners struct{ keeper }

func (h countsOwners) Update(ctx context.Context, req *cfnresource.UpdateRequest[gateProps]) (gateData, error) {
	return h.updateGate(ctx, req, func(was gate, to *gate) {
		if len(was.Owners) == len(to.Owners) {
			to.Owners = was.Owners
		}
	})
}

// removesAPage looks for owners to remove among the first hundred.
type removesAPage struct{ keeper }

func (h removesAPage) Update(ctx context.Context, req *cfnresource.UpdateRequest[gateProps]) (gateData, error) {
	return h.updateGate(ctx, req, func(was gate, to *gate) {
		if len(was.Owners) > 100 {
			to.Owners = slices.Compact(slices.Sorted(slices.Values(slices.Concat(to.Owners, was.Owners[100:]))))
		}
	})
}

// setsTenRules sets as many as fit into one request of an Update.
type setsTenRules struct{ keeper }

func (h setsTenRules) Update(ctx context.Context, req *cfnresource.UpdateRequest[gateProps]) (gateData, error) {
	return h.updateGate(ctx, req, func(_ gate, to *gate) { to.Rules = to.Rules[:min(10, len(to.Rules))] })
}

// asksForRules does nothing where neither the one nor the other is set.
type asksForRules struct{ keeper }

func (h asksForRules) Update(ctx context.Context, req *cfnresource.UpdateRequest[gateProps]) (gateData, error) {
	return h.updateGate(ctx, req, func(was gate, to *gate) {
		if len(to.Rules) == 0 && len(to.Owners) == 0 {
			*to = was
		}
	})
}

// grows does not make a gate lower again.
type grows struct{ keeper }

func (h grows) Update(ctx context.Context, req *cfnresource.UpdateRequest[gateProps]) (gateData, error) {
	if was, ok := h.w.get(req.PhysicalID); ok && req.Properties.Height < was.Height {
		return gateData{}, cfnresource.Errorf(cfnresource.CodeInvalidRequest, "a gate gets no lower")
	}
	return h.keeper.Update(ctx, req)
}

// cutsAll does the same in each method, with all that it is given.
type cutsAll struct {
	keeper
	cut func(*gateProps)
}

func (h cutsAll) Create(ctx context.Context, req *cfnresource.CreateRequest[gateProps]) (gateData, error) {
	h.cut(&req.Properties)
	return h.keeper.Create(ctx, req)
}

func (h cutsAll) Update(ctx context.Context, req *cfnresource.UpdateRequest[gateProps]) (gateData, error) {
	h.cut(&req.Properties)
	return h.keeper.Update(ctx, req)
}

// startsAtSeven makes a gate of the height 7 where it is given none, and leaves that of one that there is.
type startsAtSeven struct{ keeper }

func (h startsAtSeven) Create(ctx context.Context, req *cfnresource.CreateRequest[gateProps]) (gateData, error) {
	if req.Properties.Height == 0 {
		req.Properties.Height = 7
	}
	return h.keeper.Create(ctx, req)
}

func (h startsAtSeven) Update(ctx context.Context, req *cfnresource.UpdateRequest[gateProps]) (gateData, error) {
	return h.updateGate(ctx, req, func(was gate, to *gate) {
		if to.Height == 0 {
			to.Height = was.Height
		}
	})
}

// refusesTwice sets no rule that it has set.
type refusesTwice struct{ keeper }

func (h refusesTwice) Create(ctx context.Context, req *cfnresource.CreateRequest[gateProps]) (data gateData, err error) {
	for i, rule := range req.Properties.Rules {
		if slices.Contains(req.Properties.Rules[:i], rule) {
			return data, errors.New("there is that rule")
		}
	}
	return h.keeper.Create(ctx, req)
}

// takesAsItIs leaves what bears the name already as it is.
type takesAsItIs struct{ keeper }

func (h takesAsItIs) Create(ctx context.Context, req *cfnresource.CreateRequest[gateProps]) (gateData, error) {
	if _, there := h.w.get(req.StableID()); there {
		return h.w.data(req.StableID()), nil
	}
	return h.keeper.Create(ctx, req)
}

// updatesOneByOne takes a second for each rule in Update, and none in Create.
type updatesOneByOne struct{ keeper }

func (h updatesOneByOne) Update(ctx context.Context, req *cfnresource.UpdateRequest[gateProps]) (data gateData, err error) {
	select {
	case <-time.After(time.Duration(len(req.Properties.Rules)) * time.Second):
		return h.keeper.Update(ctx, req)
	case <-ctx.Done():
		return data, ctx.Err()
	}
}

// listsAll returns an attribute for each of the rules.
type listsAll struct{ keeper }

func (h listsAll) Create(ctx context.Context, req *cfnresource.CreateRequest[gateProps]) (data gateData, err error) {
	data, err = h.keeper.Create(ctx, req)
	for i := range req.Properties.Rules {
		data.Serial += fmt.Sprintf(" rule %d of the gate %s in the zone %s", i, req.StableID(), req.Properties.Zone)
	}
	return data, err
}

func TestAnAnswerThatGrowsWithAListIsSaid(t *testing.T) {
	c := gateContract(func(h keeper) listsAll { return listsAll{h} }, false)
	if text, _ := play.RunCheck(t, c, "answer-fits"); !strings.Contains(text, "with Rules (entries) the answer is larger") {
		t.Errorf("it says %q", text)
	}
	if text, _ := play.RunCheck(t, gateContract(func(h keeper) keeper { return h }, false), "answer-fits"); text != "" {
		t.Error(text)
	}
}

// readsBefore returns what the service shows before the change.
type readsBefore struct{ keeper }

func (h readsBefore) Update(ctx context.Context, req *cfnresource.UpdateRequest[gateProps]) (data gateData, err error) {
	before, there := h.w.get(req.PhysicalID)
	if data, err = h.keeper.Update(ctx, req); there {
		data.Mode = before.Mode
	}
	return data, err
}

// skipsEmpty takes what is empty for what is to stay.
type skipsEmpty struct{ keeper }

func (h skipsEmpty) Update(ctx context.Context, req *cfnresource.UpdateRequest[gateProps]) (gateData, error) {
	return h.updateGate(ctx, req, func(was gate, to *gate) {
		if len(to.Owners) == 0 {
			to.Owners = was.Owners
		}
	})
}

// keepsPassword sets the password in Create only.
type keepsPassword struct{ keeper }

func (h keepsPassword) Update(ctx context.Context, req *cfnresource.UpdateRequest[gateProps]) (gateData, error) {
	return h.updateGate(ctx, req, func(was gate, to *gate) { to.password = was.password })
}

// leavesPassword leaves the password that there is where the properties have none any more.
type leavesPassword struct{ keeper }

func (h leavesPassword) Update(ctx context.Context, req *cfnresource.UpdateRequest[gateProps]) (gateData, error) {
	return h.updateGate(ctx, req, func(was gate, to *gate) {
		if to.password == "" {
			to.password = was.password
		}
	})
}

// comparesPassword sets the password if it is another than that of before.
type comparesPassword struct{ keeper }

func (h comparesPassword) Update(ctx context.Context, req *cfnresource.UpdateRequest[gateProps]) (gateData, error) {
	return h.updateGate(ctx, req, func(was gate, to *gate) {
		if req.OldPropertiesErr == nil && !req.Adopted && req.OldProperties.Password == to.password {
			to.password = was.password
		}
	})
}

// namesByLabel has the label in the ID, and no tag that says so.
type namesByLabel struct{ keeper }

func (h namesByLabel) Create(ctx context.Context, req *cfnresource.CreateRequest[gateProps]) (gateData, error) {
	return h.create(ctx, req, req.StableID()+"."+req.Properties.Label)
}

func (h namesByLabel) Find(_ context.Context, req *cfnresource.FindRequest[gateProps]) (string, error) {
	for _, id := range []string{req.PhysicalID, req.StableID() + "." + req.Properties.Label} {
		if _, there := h.w.get(id); there && strings.HasPrefix(id, req.StableID()) {
			return id, nil
		}
	}
	return "", nil
}

func (h namesByLabel) Update(ctx context.Context, req *cfnresource.UpdateRequest[gateProps]) (gateData, error) {
	if id := req.StableID() + "." + req.Properties.Label; strings.HasPrefix(req.PhysicalID, req.StableID()) && id != req.PhysicalID {
		if err := h.w.remove(ctx, req.PhysicalID); err != nil {
			return gateData{}, err
		}
		req.PhysicalID = id
	}
	return h.keeper.Update(ctx, req)
}

// namesByZone names a gate by its zone, whose case the wall does not see.
type namesByZone struct{ keeper }

func (h namesByZone) Create(ctx context.Context, req *cfnresource.CreateRequest[gateProps]) (gateData, error) {
	return h.create(ctx, req, owner(req.Request)+"."+req.Properties.Zone)
}

func (h namesByZone) Find(_ context.Context, req *cfnresource.FindRequest[gateProps]) (string, error) {
	id := owner(req.Request) + "." + req.Properties.Zone
	if _, there := h.w.get(id); there {
		return id, nil
	}
	return "", nil
}

// copiesByLabel makes another gate where the label has changed, and leaves the old one.
type copiesByLabel struct{ keeper }

func (h copiesByLabel) Update(ctx context.Context, req *cfnresource.UpdateRequest[gateProps]) (gateData, error) {
	if req.OldPropertiesErr == nil && !req.Adopted && req.OldProperties.Label != req.Properties.Label {
		if _, err := h.w.set(ctx, req.PhysicalID+"-"+req.Properties.Label, req.Properties.gate()); err != nil {
			return gateData{}, err
		}
	}
	return h.keeper.Update(ctx, req)
}

func (h copiesByLabel) Delete(ctx context.Context, req *cfnresource.DeleteRequest[gateProps]) error {
	if err := h.w.remove(ctx, req.PhysicalID+"-"+req.Properties.Label); err != nil {
		return err
	}
	return h.keeper.Delete(ctx, req)
}

// gateContract has properties with which no other check finds what is wrong.
func gateContract[H cfnresource.Handler[gateProps, gateData]](of func(keeper) H, ignoresCase bool) play.Contract {
	return play.Contract{
		New: func(testing.TB) play.Service {
			w := &wall{gates: map[string]gate{}, ignoresCase: ignoresCase}
			return play.Service{
				Function: func() simulate.Function { return process(of(keeper{w})) },
				State: func(id string) any {
					if g, ok := w.get(id); ok {
						return gate{Rules: g.Rules, Owners: g.Owners, Mode: g.Mode, Height: g.Height, More: g.More}
					}
					return nil
				},
				List: func() (ids []string) {
					w.mu.Lock()
					defer w.mu.Unlock()
					for _, g := range w.gates {
						ids = append(ids, g.name)
					}
					return ids
				},
				Accepts: func(id, secret string) bool {
					g, ok := w.get(id)
					return ok && g.password == secret
				},
			}
		},
		Properties: gateProps{Zone: "north", Rules: []string{"deny a", "allow b"}, Owners: []string{"ann"}, Password: "open-sesame", Label: "one"},
		InPlace:    gateProps{Zone: "north", Rules: []string{"deny a"}, Owners: []string{"ann", "bob"}, Password: "open-sesame", Label: "one"},
		Replacing:  gateProps{Zone: "south", Rules: []string{"deny a", "allow b"}, Owners: []string{"ann"}, Password: "open-sesame", Label: "one"},
	}
}

// pointsAt sets in Update what a JSON pointer means.
type pointsAt struct{ keeper }

func (h pointsAt) Update(ctx context.Context, req *cfnresource.UpdateRequest[gateProps]) (gateData, error) {
	pointed := *req
	pointed.Properties.Mode = strings.ReplaceAll(req.Properties.Mode, "~1", "/")
	return h.keeper.Update(ctx, &pointed)
}

// namesAsItIs has the query of a zone in the gate's name, which the wall leaves out.
type namesAsItIs struct{ keeper }

func (h namesAsItIs) Create(ctx context.Context, req *cfnresource.CreateRequest[gateProps]) (gateData, error) {
	path := req.StableID()
	_, query, isCut := strings.Cut(req.Properties.Zone, "?")
	if !isCut {
		return h.keeper.Create(ctx, req)
	}
	if _, err := h.w.set(ctx, path, req.Properties.gate()); err != nil {
		return gateData{}, err
	}
	req.Created(path + "?" + query)
	return h.w.data(path), nil
}

// allBut returns the names of a gate's properties but one.
func allBut(name string) (others []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[gateProps]()) {
		if f.Name != name {
			others = append(others, f.Name)
		}
	}
	return others
}

// trimsMode is of a service that trims a mode, which can be set once only: Update compares it with what was asked for.
type trimsMode struct{ keeper }

func (h trimsMode) Create(ctx context.Context, req *cfnresource.CreateRequest[gateProps]) (gateData, error) {
	req.Properties.Mode = strings.TrimSpace(req.Properties.Mode)
	return h.keeper.Create(ctx, req)
}

func (h trimsMode) Update(ctx context.Context, req *cfnresource.UpdateRequest[gateProps]) (data gateData, err error) {
	if was, there := h.w.get(req.PhysicalID); there && was.Mode != req.Properties.Mode {
		return data, cfnresource.Errorf(cfnresource.CodeNotUpdatable, "a gate keeps its mode")
	}
	return h.keeper.Update(ctx, req)
}

// ignoresNoLabel makes no gate without a label, and says nothing.
type ignoresNoLabel struct{ keeper }

func (h ignoresNoLabel) Create(ctx context.Context, req *cfnresource.CreateRequest[gateProps]) (data gateData, err error) {
	if req.Properties.Label == "" {
		return data, nil
	}
	return h.keeper.Create(ctx, req)
}

// comparesNotes leaves the notes as they are if they say the same, whatever about.
type comparesNotes struct{ keeper }

func (h comparesNotes) Update(ctx context.Context, req *cfnresource.UpdateRequest[gateProps]) (gateData, error) {
	said := func(notes map[string]string) []string { return slices.Sorted(maps.Values(notes)) }
	return h.updateGate(ctx, req, func(was gate, to *gate) {
		if slices.Equal(said(was.More.Notes), said(to.More.Notes)) {
			to.More.Notes = was.More.Notes
		}
	})
}

// comparesSpan leaves how far a gate opens as it is if that is between the same two.
type comparesSpan struct{ keeper }

func (h comparesSpan) Update(ctx context.Context, req *cfnresource.UpdateRequest[gateProps]) (gateData, error) {
	span := func(m gateMore) []int { return slices.Sorted(slices.Values([]int{m.Low, m.High})) }
	return h.updateGate(ctx, req, func(was gate, to *gate) {
		if slices.Equal(span(was.More), span(to.More)) {
			to.More.Low, to.More.High = was.More.Low, was.More.High
		}
	})
}

// A gateCase is a handler of gates, and what the check of changes says of it: nil if it is right, or if no change shows
// what is wrong, which the row then says.
type gateCase struct {
	c    play.Contract
	says []string
}

// gateCases are handlers that do something wrong with a value that the Contract does not have.
func gateCases() map[string]gateCase {
	ofOneRule := gateContract(func(h keeper) comparesAsSet { return comparesAsSet{h} }, false)
	ofOneRule.Properties, ofOneRule.InPlace, ofOneRule.Replacing = ofOneRule.InPlace, ofOneRule.Properties, nil
	ofHeight := gateContract(func(h keeper) startsAtSeven { return startsAtSeven{h} }, false)
	for i, props := range []*any{&ofHeight.Properties, &ofHeight.InPlace} {
		p := (*props).(gateProps)
		p.Height = 7 + i
		*props = p
	}
	// of has one property vary alone, since the rows take longest that no other one decides.
	of := func(name string, c play.Contract) play.Contract {
		c.Fixed = allBut(name)
		return c
	}
	ofNotes := of("More", gateContract(func(h keeper) comparesNotes { return comparesNotes{h} }, false))
	ofNotes.Properties, ofNotes.InPlace = gateProps{Zone: "north", More: gateMore{Notes: map[string]string{"colour": "red", "size": "large"}}}, nil
	ofSpan := of("More", gateContract(func(h keeper) comparesSpan { return comparesSpan{h} }, false))
	ofSpan.Properties, ofSpan.InPlace = gateProps{Zone: "north", More: gateMore{Low: 1, High: 9}}, nil
	cut := func(cut func(*gateProps)) play.Contract {
		return gateContract(func(h keeper) cutsAll { return cutsAll{h, cut} }, false)
	}
	entirely := func(c play.Contract) play.Contract { c.All = true; return c }
	// more is of gates that have more, of which the handler loses something.
	more := func(lose func(*gateMore)) play.Contract {
		c := of("More", cut(func(p *gateProps) {
			p.More.Doors = slices.Clone(p.More.Doors)
			lose(&p.More)
		}))
		c.InPlace = nil
		c.Properties = gateProps{Zone: "north", More: gateMore{
			Opens: "2027-03-01T02:00:00Z",
			Notes: map[string]string{"Colour": "red"},
			Doors: []door{{"left", []string{"iron"}, false}, {"right", []string{"oak"}, false}},
			Every: 5 * time.Minute,
			Slope: 1,
			Steps: 4,
		}}
		return c
	}
	cases := map[string]gateCase{
		"nothing of more": {more(func(*gateMore) {}), nil},
		"the end of a batch, always": {more(func(m *gateMore) {
			if len(m.Doors) > 100 {
				m.Doors = append(m.Doors[:99], m.Doors[100:]...)
			}
		}), []string{`"v0[More.Doors=from:entries:101] v0[More.Doors=entries:101]"`}},
		"a member, always": {more(func(m *gateMore) {
			for i := range m.Doors {
				m.Doors[i].Bars = nil
			}
		}), []string{"More.Doors.0.Bars"}},
		"the offset, always": {more(func(m *gateMore) {
			if _, err := time.Parse(time.RFC3339, m.Opens); err == nil {
				m.Opens = m.Opens[:19] + "Z"
			}
		}), []string{`"v0 v0[More.Opens=least:offset]"`}},
		"names of a case, always": {more(func(m *gateMore) {
			notes := map[string]string{}
			for _, name := range slices.Sorted(maps.Keys(m.Notes)) {
				notes[strings.ToLower(name)] = m.Notes[name]
			}
			m.Notes = notes
		}), []string{`v0[More.Notes=case]"`}},
		"a door of a name, always": {more(func(m *gateMore) {
			byName := map[string]door{}
			for _, d := range m.Doors {
				byName[d.Name] = d
			}
			m.Doors = nil
			for _, name := range slices.Sorted(maps.Keys(byName)) {
				m.Doors = append(m.Doors, byName[name])
			}
		}), []string{`"v0[More.Doors=from:alike:Bars] v0[More.Doors=alike:Bars]"`}},
		"whole seconds, always":       {more(func(m *gateMore) { m.Every = m.Every.Truncate(time.Second) }), []string{`"v0[More.Every=from:least] v0[More.Every=least]"`}},
		"minutes of the hour, always": {more(func(m *gateMore) { m.Every %= time.Hour }), []string{`"v0 v0[More.Every=most:days]"`}},
		"narrow milliseconds, always": {more(func(m *gateMore) { m.Every = time.Duration(int32(m.Every.Milliseconds())) * time.Millisecond }), []string{`"v0 v0[More.Every=most]"`}},
		"two decimals, always":        {more(func(m *gateMore) { m.Slope = math.Round(m.Slope*100) / 100 }), []string{`"v0 v0[More.Slope=least]"`}},
		"a zero for none, always": {more(func(m *gateMore) {
			if m.Steps == 0 {
				m.Steps = 3
			}
		}), []string{`"v0[More.Steps=from:zero] v0[More.Steps=zero]"`}},
		"a mode that is trimmed": {of("Mode", gateContract(func(h keeper) trimsMode { return trimsMode{h} }, false)), []string{`"v0[Mode=spaces] again"`, "though the properties are those that the resource has"}},
		"no gate, no label":      {of("Label", gateContract(func(h keeper) ignoresNoLabel { return ignoresNoLabel{h} }, false)), []string{"all properties are changed (left-out): a Create that makes nothing", "have State show an empty thing"}},
		"notes exchanged":        {ofNotes, []string{`"v0 v0[More.Notes=exchanged]"`}},
		"numbers exchanged":      {ofSpan, []string{`"v0 v0[More=exchanged:High,Low]"`}},
		"a default of Create":    {of("Height", ofHeight), []string{`"v0[Height=from:left-out:v1] v0[Height=left-out:v1]"`}},
		"a right handler":        {gateContract(func(h keeper) keeper { return h }, false), nil},
		"a list as a set":        {of("Rules", gateContract(func(h keeper) comparesAsSet { return comparesAsSet{h} }, false)), []string{`Rules[0] is "deny a", want "allow b"`, `"v0 v0[Rules=exchanged]"`, "If Update compares Rules with what is there, compare what stands at each place"}},
		"a list of one":          {of("Rules", ofOneRule), []string{`"v0[Rules=from:exchanged] v0[Rules=exchanged]"`}},
		"a number for the parts": {of("Owners", gateContract(func(h keeper) countsOwners { return countsOwners{h} }, false)), []string{"Owners.0 alone is changed (other)", `Owners[0] is "ann", want "annx"`}},
		"a page of many, back":   {of("Owners", gateContract(func(h keeper) removesAPage { return removesAPage{h} }, false)), []string{`"v0[Owners=entries:101] v0"`}},
		"the first ten":          {of("Rules", gateContract(func(h keeper) setsTenRules { return setsTenRules{h} }, false)), []string{`"v0[Rules=from:entries:11] v0[Rules=entries:11]"`}},
		"a rule twice":           {of("Rules", gateContract(func(h keeper) refusesTwice { return refusesTwice{h} }, false)), []string{"Rules alone is changed (doubled)", "hold nothing beside those of a Create that succeeds"}},
		"two left out":           {gateContract(func(h keeper) asksForRules { return asksForRules{h} }, false), []string{"all properties are changed (left-out)", `"v0 v0[*=left-out]"`}},
		"a way back refused":     {gateContract(func(h keeper) grows { return grows{h} }, false), []string{"an operation that fails without a cause", "/sibling-fails"}},
		"a long text cut": {entirely(of("Rules", cut(func(p *gateProps) {
			for i, rule := range p.Rules {
				p.Rules[i] = rule[:min(4096, len(rule))]
			}
		}))), []string{`"v0[Rules.0=from:most:huge] v0[Rules.0=most:huge]"`}},
		"minutes, always":    {of("Height", cut(func(p *gateProps) { p.Height = p.Height / 60 * 60 })), []string{`"v0[Height=from:least] v0[Height=least]"`}},
		"ten, always":        {of("Rules", cut(func(p *gateProps) { p.Rules = p.Rules[:min(10, len(p.Rules))] })), []string{`"v0[Rules=from:entries:11] v0[Rules=entries:11]"`, "a part of Rules is lost"}},
		"a text cut, always": {cut(func(p *gateProps) { p.Label, p.Mode = "", p.Mode[:min(64, len(p.Mode))] }), []string{`"v0[Mode=from:most] v0[Mode=most]"`}},
		"one line, always":   {of("Mode", cut(func(p *gateProps) { p.Mode, _, _ = strings.Cut(p.Mode, "\n") })), []string{`"v0[Mode=from:endings:line] v0[Mode=endings:line]"`}},
		"a number of a text, always": {of("Mode", cut(func(p *gateProps) {
			if n, err := strconv.Atoi(p.Mode); err == nil {
				p.Mode = strconv.Itoa(n)
			}
		})), []string{`"v0[Mode=from:least] v0[Mode=least]"`}},
		"a query, always": {of("Mode", cut(func(p *gateProps) { p.Mode, _, _ = strings.Cut(p.Mode, "?") })), []string{`"v0[Mode=from:endings] v0[Mode=endings]"`}},
		"an ID as it is":  {of("Zone", gateContract(func(h keeper) namesAsItIs { return namesAsItIs{h} }, false)), []string{"a Create that makes nothing", "where it becomes a part of something else, such as an ID"}},
		"true for one, always": {of("Mode", cut(func(p *gateProps) {
			if p.Mode == "1" {
				p.Mode = "true"
			}
		})), nil}, // missed: that a text is true, and another one is 1, is of no other handler
		"a pointer":              {of("Mode", gateContract(func(h keeper) pointsAt { return pointsAt{h} }, false)), []string{`"v0[Mode=from:endings] v0[Mode=endings]"`}},
		"split again, always":    {of("Rules", cut(func(p *gateProps) { p.Rules = strings.Split(strings.Join(p.Rules, ","), ",") })), []string{`"v0[Rules=from:joined] v0[Rules=joined]"`}},
		"an update by the piece": {of("Rules", gateContract(func(h keeper) updatesOneByOne { return updatesOneByOne{h} }, false)), []string{`"v0[Rules=from:entries:101] v0[Rules=entries:101]"`, "a Create of the same properties succeeds", "work on several at once"}},
		"a narrow number":        {of("Height", cut(func(p *gateProps) { p.Height = int(int32(p.Height)) })), []string{`"v0[Height=from:most] v0[Height=most]"`, "have Validate refuse what it would round"}},
		"Data of before":         {of("Mode", gateContract(func(h keeper) readsBefore { return readsBefore{h} }, false)), []string{"Mode in Data", "v0[Mode=", "Otherwise read what Data needs after the change"}},
		"what is empty stays":    {of("Owners", gateContract(func(h keeper) skipsEmpty { return skipsEmpty{h} }, false)), []string{"Owners", "Have Update set a property that is left out"}},
		"a password of Create":   {of("Password", gateContract(func(h keeper) keepsPassword { return keepsPassword{h} }, false)), []string{"still accepts the Password of v0", "v0[Password="}},
		"a password that stays":  {of("Password", gateContract(func(h keeper) leavesPassword { return leavesPassword{h} }, false)), []string{"still accepts the Password of v0", "v0[Password=left-out]"}},
		"a password by the old":  {gateContract(func(h keeper) comparesPassword { return comparesPassword{h} }, false), []string{"does not accept the Password", "/kept!lose-answer@1"}},
		"a name without its tag": {of("Label", gateContract(func(h keeper) namesByLabel { return namesByLabel{h} }, false)), []string{"a live resource deleted", "If Label belongs in the thing's name, tag it createOnly"}},
		"a case of no meaning":   {of("Zone", gateContract(func(h keeper) namesByZone { return namesByZone{h} }, true)), []string{"There is nothing under", "v0[Zone=case]", "have Validate refuse upper case"}},
		"a case of a meaning":    {of("Zone", gateContract(func(h keeper) namesByZone { return namesByZone{h} }, false)), nil},
		"what was left behind":   {of("Mode", gateContract(func(h keeper) takesAsItIs { return takesAsItIs{h} }, false)), []string{"v0 v2!lose-answer@1 v2["}},
		"a second thing":         {of("Label", gateContract(func(h keeper) copiesByLabel { return copiesByLabel{h} }, false)), []string{"Besides", "tag it createOnly"}},
	}
	maps.Copy(cases, valueCases())
	return cases
}

// What these handlers do wrong, they do with a value that the Contract does not have: one check finds it, says which
// property it is, and gives a line that plays it. The others are asked in a thorough run.
func TestAChangeOfOnePropertyFindsWhatNoOtherCheckDoes(t *testing.T) {
	const check = "leads-where-create-does"
	only := []string{check}
	if testrun.Thorough() {
		only = nil
	}
	for name, test := range gateCases() {
		if name == "nothing of more" && !testrun.Thorough() {
			continue // a right handler of gates with less is played
		}
		if line := lineIn(test.says); line != "" && !testrun.Thorough() {
			if found, _ := play.Replayed(t, test.c, line); found == "" {
				t.Errorf("%s: %s does no harm", name, line)
			}
			continue
		}
		results := play.RunChecks(t, test.c, only...)
		var want []string
		if test.says != nil {
			want = []string{check}
		}
		if diff := cmp.Diff(want, outcomes(results, "failed")); diff != "" {
			t.Errorf("%s: failing checks (-want +got):\n%s", name, diff)
		}
		for _, says := range test.says {
			if text := textOf(results, check); !strings.Contains(text, says) {
				t.Errorf("%s does not say %q:\n%s", name, says, text)
			}
		}
	}
}

// A kind of value is in the table for a handler that it finds, or for a reason.
func TestEachKindOfValueFindsAHandler(t *testing.T) {
	asserted := map[string]string{
		"value":    "State that shows too little, a name without its tag, and a value that the schema lists",
		"zero":     "a boolean or a number that Update takes for none",
		"empty":    "what Update takes for none: what is empty stays",
		"spaces":   "a name that the service trims is not found by Delete",
		"alike":    "a list that is compared by a name",
		"left-out": "two left out",
		"other":    "a number for the parts",
		"doubled":  "a rule twice",
	}
	for _, test := range gateCases() {
		for _, says := range test.says {
			for _, found := range regexp.MustCompile(`=(?:from:)?([a-z0-9-]+)[]:]`).FindAllStringSubmatch(says, -1) {
				asserted[found[1]] = "a handler"
			}
		}
	}
	names := play.KindNames()
	for _, name := range names {
		if asserted[name] == "" {
			t.Errorf("no handler is found by %s, and there is no reason for it", name)
		}
	}
	for name := range asserted {
		if !slices.Contains(names, name) {
			t.Errorf("there is no kind %s", name)
		}
	}
}

// lineIn returns the whole line that a failure has to quote, or "".
func lineIn(says []string) string {
	for _, text := range says {
		if line, is := strings.CutPrefix(text, `"`); is && strings.HasSuffix(line, `"`) {
			return strings.TrimSuffix(line, `"`)
		}
	}
	return ""
}

// What Draw draws is told by the one property of it that does it, and by a line.
func TestWhatIsDrawnIsMadeSmaller(t *testing.T) {
	c := gateContract(func(h keeper) setsTenRules { return setsTenRules{h} }, false)
	c.Fixed = []string{"Rules", "Owners"}
	c.Draw = func(r *rand.Rand) any {
		p := gateProps{Zone: "north", Mode: "lax", Password: "open-sesame", Label: strings.Repeat("l", 1+r.IntN(5))}
		for range 11 + r.IntN(9) {
			p.Rules = append(p.Rules, "allow")
		}
		return p
	}
	text, _ := play.RunCheck(t, c, "leads-where-create-does")
	if !strings.Contains(text, "v0[Rules=draw:1]") {
		t.Errorf("it says %q", text)
	}
}

// refusesLabels refuses what it does not like, with and without a code; unless it updates, it does so in Create only.
type refusesLabels struct {
	keeper
	as      func(error) error
	updates bool
}

func (h refusesLabels) Create(ctx context.Context, req *cfnresource.CreateRequest[gateProps]) (data gateData, err error) {
	if strings.ContainsAny(req.Properties.Label, ":/|") {
		return data, h.as(errors.New("has letters only"))
	}
	return h.keeper.Create(ctx, req)
}

func (h refusesLabels) Update(ctx context.Context, req *cfnresource.UpdateRequest[gateProps]) (data gateData, err error) {
	if !h.updates && strings.ContainsAny(req.Properties.Label, ":/|") {
		return data, h.as(errors.New("has letters only"))
	}
	return h.keeper.Update(ctx, req)
}

// What is invalid is not judged, and it is told: a handler that refuses what it should take looks like a right one.
func TestWhatIsRefusedIsNotJudged(t *testing.T) {
	for coded, as := range map[string]func(error) error{
		"":                  func(err error) error { return err },
		"with a code":       func(err error) error { return &cfnresource.Error{Code: cfnresource.CodeInvalidRequest, Err: err} },
		"with the property": func(err error) error { return &cfnresource.PropertyError{Path: "Label", Err: err} },
	} {
		want := "such a code as InvalidRequest are not judged (1): v0[Label=endings]"
		if coded == "" {
			want = "without the code InvalidRequest, or though Draw made them, such as v0[Label=endings]"
		}
		c := gateContract(func(h keeper) refusesLabels { return refusesLabels{h, as, false} }, false)
		c.Fixed = allBut("Label")
		c.Draw = func(*rand.Rand) any { return gateProps{Label: ":"} } // which is said to be valid
		r := play.RunChecks(t, c, "leads-where-create-does")[0]
		warnings := strings.Join(r.Warnings, "\n")
		if !strings.Contains(warnings, "v0[*=draw:1]") {
			t.Errorf("%s: it does not warn of what Draw has made: %q", coded, warnings)
		}
		c.Draw = nil
		r = play.RunChecks(t, c, "leads-where-create-does")[0]
		if told := strings.Join(r.Warnings, "\n"); r.Outcome != "passed" || !strings.Contains(told, want) || strings.Count(told, "not judged") != 1 {
			t.Errorf("%q: it %s, and warns of %q: %s", coded, r.Outcome, r.Warnings, r.Text)
		}

		// What Create refuses, Update refuses.
		c = gateContract(func(h keeper) refusesLabels { return refusesLabels{h, as, true} }, false)
		c.Fixed = allBut("Label")
		if text, _ := play.RunCheck(t, c, "leads-where-create-does"); !strings.Contains(text, "an Update to properties with which Create fails") {
			t.Errorf("%q: it says %q", coded, text)
		}
	}
}

// A Create whose answer is too large for a long value is not refused for that value, and its Update need not be.
func TestALargeAnswerRefusesNoProperty(t *testing.T) {
	if text, _ := play.RunCheck(t, wrongNamed("updateReturnsNoData").contract(), "leads-where-create-does"); text != "" {
		t.Error(text)
	}
}

// Two values are told apart from a third: a finding that compares a value with itself says nothing.
func TestAFindingComparesThreeValues(t *testing.T) {
	for _, name := range []string{"a zero for none, always", "zero for none", "ten, always"} {
		text, _ := play.RunCheck(t, gateCases()[name].c, "leads-where-create-does")
		compared := regexp.MustCompile(`same with (\S+) and with (\S+), but differs with (\S+):`).FindStringSubmatch(text)
		if len(compared) != 4 || slices.Contains(compared[1:3], compared[3]) {
			t.Errorf("%s: it compares %q: %s", name, compared, text)
		}
	}
}

// Another struct than the handler's does not say which properties are createOnly, so that nobody knows whether two
// replacements are of one identity.
func TestAStructWithoutTagsTellsNoIdentity(t *testing.T) {
	c := depotContract(func(d *depot) simulate.Function { return process(found{d}) })
	type untagged struct {
		Room string
		Size int
	}
	c.Properties, c.InPlace, c.Replacing, c.Refused = untagged{"hall", 1}, untagged{"hall", 2}, untagged{"attic", 1}, nil
	if found, _ := play.Replayed(t, c, "v0 v2!lose-answer@1 v2[Room=other]"); found != "" {
		t.Error(found)
	}
}

// keepsGates leaves a gate when it is deleted, if its properties say so.
type keepsGates struct{ keeper }

func (h keepsGates) Delete(ctx context.Context, req *cfnresource.DeleteRequest[gateProps]) error {
	if req.Properties.Keep {
		return nil
	}
	return h.keeper.Delete(ctx, req)
}

func TestWhatIsMeantToStayIsNoHarm(t *testing.T) {
	c := gateContract(func(h keeper) keepsGates { return keepsGates{h} }, false)
	c.Fixed = allBut("Keep")
	warned := func(c play.Contract) bool {
		r := play.RunChecks(t, c, "leads-where-create-does")[0]
		if r.Outcome != "passed" {
			t.Errorf("it %s: %s", r.Outcome, r.Text)
		}
		return strings.Contains(strings.Join(r.Warnings, "\n"), "still exists when the stack is deleted")
	}
	if !warned(c) {
		t.Error("nothing is said of what stays")
	}
	if c.Fixed = append(c.Fixed, "Keep"); warned(c) {
		t.Error("it is said of a property that is fixed")
	}
}

// setsEach is a right handler with a request for each rule.
type setsEach struct{ keeper }

func (h setsEach) Update(ctx context.Context, req *cfnresource.UpdateRequest[gateProps]) (data gateData, err error) {
	for range req.Properties.Rules {
		if err := simulate.Step(ctx); err != nil {
			return data, err
		}
	}
	return h.keeper.Update(ctx, req)
}

// What takes so many requests that a fault leaves too little time for the rest is played without one.
func TestManyEntriesMayTakeAllTheTime(t *testing.T) {
	c := gateContract(func(h keeper) setsEach { return setsEach{h} }, false)
	c.All, c.Fixed = true, []string{"Zone", "Owners", "Mode", "Password", "Label", "Keep"}
	if text, _ := play.RunCheck(t, c, "leads-where-create-does"); text != "" {
		t.Error(text)
	}
}

// A name that is none, in Fixed, would let vary what must not.
func TestFixedNamesProperties(t *testing.T) {
	c := gateContract(func(h keeper) keeper { return h }, false)
	c.Fixed = []string{"Rules", "Lable"}
	if runTest(func(t *testing.T) { play.TestHandler(t, c) }) {
		t.Error("it passes")
	}
}
