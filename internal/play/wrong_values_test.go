package play_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// The handlers here keep their properties as they are, but for what one of them makes of few values. Beside each that is
// wrong there is one that is right, and does almost the same.

// A cupboard keeps properties.
type cupboard[P any] struct {
	kept *sync.Map // by physical ID

	made    func(p P) P       // what a Create and an Update keep
	updated func(was, to P) P // what an Update keeps
}

func (h cupboard[P]) Create(ctx context.Context, req *cfnresource.CreateRequest[P]) (none struct{}, err error) {
	if _, there := h.kept.Load(req.StableID()); there {
		return none, cfnresource.AlreadyExists(req.StableID())
	}
	if err := simulate.Step(ctx); err != nil {
		return none, err
	}
	h.kept.Store(req.StableID(), h.made(req.Properties))
	req.Created(req.StableID())
	return none, simulate.Step(ctx)
}

func (h cupboard[P]) Update(ctx context.Context, req *cfnresource.UpdateRequest[P]) (none struct{}, err error) {
	if err := simulate.Step(ctx); err != nil {
		return none, err
	}
	to := h.made(req.Properties)
	if was, there := h.kept.Load(req.PhysicalID); there {
		to = h.updated(was.(P), to)
	}
	h.kept.Store(req.PhysicalID, to)
	return none, simulate.Step(ctx)
}

func (h cupboard[P]) Delete(ctx context.Context, req *cfnresource.DeleteRequest[P]) error {
	if err := simulate.Step(ctx); err != nil {
		return err
	}
	h.kept.Delete(req.PhysicalID)
	return simulate.Step(ctx)
}

// keeping is the contract of a handler that keeps what made makes of its properties.
func keeping[P any](props P, made func(p P) P) play.Contract {
	return keepingOf(cupboard[P]{made: made, updated: func(_, to P) P { return to }}, props, func(p P) any { return p })
}

// updatingTo is the contract of a handler that keeps, in an Update, what updated makes of what there was.
func updatingTo[P any](props P, updated func(was, to P) P) play.Contract {
	return keepingOf(cupboard[P]{made: func(p P) P { return p }, updated: updated}, props, func(p P) any { return p })
}

// showing is the contract of a right handler of whose properties State shows something.
func showing[P any](props P, show func(p P) any) play.Contract {
	return keepingOf(cupboard[P]{made: func(p P) P { return p }, updated: func(_, to P) P { return to }}, props, show)
}

// keepingOf is the contract of a handler of whose properties State shows something.
func keepingOf[P any](h cupboard[P], props P, show func(p P) any) play.Contract {
	return play.Contract{
		Properties: props,
		New: func(testing.TB) play.Service {
			kept := new(sync.Map)
			return play.Service{
				Function: func() simulate.Function { return process(cupboard[P]{kept, h.made, h.updated}) },
				State: func(id string) any {
					if p, there := kept.Load(id); there {
						return show(p.(P))
					}
					return nil
				},
			}
		},
	}
}

type (
	guests   struct{ Names []string }
	coat     struct{ Guest, Hook string }
	coats    struct{ Coats []coat }
	drawer   struct{ Front, Rear string }
	weighed  struct{ Weight float64 }
	narrow   struct{ Weight float32 }
	limited  struct{ Most *int }
	numbered struct{ Number string }
	shelved  struct{ Number int64 }
	networks struct{ Networks []string }
	rack     struct{ Shelves []tier }
	tier     struct {
		Place, Label string
		Pegs         []string
	}
)

var (
	twoGuests = guests{[]string{"ann", "bob"}}
	twoCoats  = coats{[]coat{{"ann", "left"}, {"bob", "right"}}}
	four      = 4
	twoNets   = networks{[]string{"10.0.0.0/24", "10.0.1.0/24"}}
)

// inBatches sets names as many at a time as fit into a request, and the rest in the end: if there is no rest, the last
// batch is not set.
func inBatches(size int) func(p guests) guests {
	return func(p guests) guests {
		if n := len(p.Names); n > 0 && n%size == 0 {
			p.Names = p.Names[:n-size]
		}
		return p
	}
}

// valueCases are handlers of values, and what the check says of those that are wrong.
func valueCases() map[string]gateCase {
	digest := func(texts ...string) any { return sha256.Sum256([]byte(strings.Join(texts, ""))) }
	return map[string]gateCase{
		// Work in batches, which is wrong where one is full.
		"a batch of ten that is full":     {keeping(twoGuests, inBatches(10)), []string{`"v0[Names=from:entries:11] v0[Names=entries:11]"`}},
		"a batch of 25 that is full":      {keeping(twoGuests, inBatches(25)), []string{`"v0[Names=from:entries:101] v0[Names=entries:101]"`}},
		"a batch of a hundred, less one":  {keeping(twoGuests, func(p guests) guests { return guests{withoutLast(p.Names, 100)} }), []string{`"v0[Names=from:entries:101] v0[Names=entries:101]"`}},
		"a batch of a thousand, less one": {keeping(twoGuests, func(p guests) guests { return guests{withoutLast(p.Names, 1000)} }), []string{`"v0[Names=from:entries:1001] v0[Names=entries:1001]"`}},
		"an Update in batches":            {updatingTo(twoGuests, func(_, to guests) guests { return inBatches(100)(to) }), []string{"Names alone is changed (entries)"}},
		"a guest for each name":           {keeping(twoGuests, func(p guests) guests { return p }), nil},
		"guests in one text":              {showing(twoGuests, func(p guests) any { return strings.Join(p.Names, ", ") }), nil},
		"guests by tens, and the rest":    {showing(twoGuests, func(p guests) any { return [][][]string{slices.Collect(slices.Chunk(p.Names, 10))} }), nil},

		// Two entries change one member.
		"coats by their hooks": {keepingOf(cupboard[coats]{made: func(p coats) coats { return p }, updated: func(was, to coats) coats {
			if slices.Equal(sorted(was.Coats, hookOf), sorted(to.Coats, hookOf)) && slices.Equal(sorted(was.Coats, guestOf), sorted(to.Coats, guestOf)) {
				return was
			}
			return to
		}}, twoCoats, byGuest), []string{`"v0 v0[Coats=exchanged:Guest]"`}},
		"coats by guest": {showing(twoCoats, byGuest), nil},

		// A member that the first entry does not have, in a Contract that is a map.
		"a label that stays": {racked(keepsLabels, rack{}, map[string]any{"Place": "top"}), []string{`"v0 v0[Shelves.0.Label=other]/sibling-fails"`}},
		"labels as they are": {racked(func(_, to rack) rack { return to }, rack{}, map[string]any{"Place": "top"}, map[string]any{"Place": "low", "Label": "jars"}), nil},
		"a label that stays, of no type": {untyped(racked(keepsLabels, rack{}, map[string]any{"Place": "top"}, map[string]any{"Place": "low", "Label": "jars"})),
			[]string{`"v0 v0[Shelves.0.Label=other]/sibling-fails"`}},
		"pegs as a set": {racked(comparesPegs, rack{[]tier{{"top", "jars", []string{"a", "b"}}}}, map[string]any{"Place": "top", "Label": "jars"}),
			[]string{"Shelves.0.Pegs alone is changed (exchanged)"}},

		// Texts that are the same when they are joined.
		"split at a comma":     {keeping(twoGuests, func(p guests) guests { return guests{strings.Split(strings.Join(p.Names, ","), ",")} }), []string{`"v0[Names=from:joined] v0[Names=joined]"`}},
		"a digest of a list":   {showing(twoGuests, func(p guests) any { return digest(p.Names...) }), []string{`"v0[Names=from:joined] v0[Names=joined]"`}},
		"a digest of two":      {showing(drawer{"ab", "c"}, func(p drawer) any { return digest(p.Front, p.Rear) }), []string{`"v0[*=from:joined:Front,Rear] v0[*=joined:Front,Rear]"`}},
		"a digest of each":     {showing(drawer{"ab", "c"}, func(p drawer) any { return []any{digest(p.Front), digest(p.Rear)} }), nil},
		"joined in State":      {showing(twoGuests, func(p guests) any { return strings.Join(p.Names, ",") }), nil},
		"two joined in State":  {showing(drawer{"ab", "c"}, func(p drawer) any { return p.Front + p.Rear }), nil},
		"a digest of the JSON": {showing(twoGuests, func(p guests) any { return digest(fmt.Sprintf("%q", p.Names)) }), nil},

		// The least by which two numbers differ.
		"a number of 32 bits":     {keeping(weighed{1.5}, func(p weighed) weighed { return weighed{float64(float32(p.Weight))} }), []string{`"v0[Weight=from:least] v0[Weight=least]"`}},
		"a number of 64 bits":     {keeping(weighed{1.5}, func(p weighed) weighed { return p }), nil},
		"a property of 32 bits":   {keeping(narrow{1.5}, func(p narrow) narrow { return p }), nil},
		"two decimals in a State": {showing(weighed{1.5}, func(p weighed) any { return strconv.FormatFloat(p.Weight, 'g', -1, 64) }), nil},

		// Integers that a number with fractions does not tell apart.
		"an integer of a float": {keeping(shelved{20}, func(p shelved) shelved { return shelved{int64(float64(p.Number))} }), []string{`"v0[Number=from:most:exact] v0[Number=most:exact]"`}},
		"an integer of 64 bits": {keeping(shelved{20}, func(p shelved) shelved { return p }), nil},
		"an integer in JSON":    {showing(shelved{20}, func(p shelved) any { return map[string]any{"number": float64(p.Number)} }), nil},

		// Networks, of which the service keeps what all hosts have in common.
		"networks as they are written":     {keepingOf(cupboard[networks]{made: func(p networks) networks { return p }, updated: withoutStrays}, twoNets, masked), []string{`"v0 v0[Networks.0=case:host]"`}},
		"networks as the service has them": {showing(twoNets, masked), nil},

		// Zero, where it is not the same as none.
		"zero for none": {keeping(limited{&four}, func(p limited) limited {
			if p.Most == nil || *p.Most == 0 {
				return limited{}
			}
			return p
		}), []string{`"v0[Most=from:zero] v0[Most=zero]"`}},
		"a default for zero": {showing(limited{&four}, func(p limited) any {
			if p.Most == nil || *p.Most == 0 {
				return 10
			}
			return *p.Most
		}), []string{`"v0[Most=from:zero] v0[Most=zero]"`}},
		"zero by default": {showing(limited{&four}, func(p limited) any {
			if p.Most == nil {
				return 0
			}
			return *p.Most
		}), nil},

		// Texts that are numbers.
		"a text that is a number to its service": {showing(numbered{"hall"}, func(p numbered) any {
			if n, err := strconv.Atoi(p.Number); err == nil {
				return n
			}
			return p.Number
		}), nil},
	}
}

// racked is the contract of racks with some shelves.
func racked(updated func(was, to rack) rack, inPlace rack, shelves ...any) play.Contract {
	c := updatingTo(rack{}, updated)
	c.Properties = map[string]any{"Shelves": shelves}
	if len(inPlace.Shelves) > 0 {
		c.InPlace = inPlace
	}
	return c
}

func untyped(c play.Contract) play.Contract {
	tellNoType(&c)
	return c
}

// keepsLabels leaves the label of the shelf at each place where there is none any more.
func keepsLabels(was, to rack) rack {
	return eachShelf(was, to, func(old tier, s *tier) { s.Label = cmp.Or(s.Label, old.Label) })
}

// comparesPegs leaves the pegs of each shelf if they are the same in another order.
func comparesPegs(was, to rack) rack {
	return eachShelf(was, to, func(old tier, s *tier) {
		if slices.Equal(slices.Sorted(slices.Values(old.Pegs)), slices.Sorted(slices.Values(s.Pegs))) {
			s.Pegs = old.Pegs
		}
	})
}

// eachShelf returns a rack whose shelves were changed, each beside the one of before that has its place.
func eachShelf(was, to rack, change func(old tier, s *tier)) rack {
	shelves := slices.Clone(to.Shelves)
	for i := range shelves {
		for _, old := range was.Shelves {
			if old.Place == shelves[i].Place {
				change(old, &shelves[i])
			}
		}
	}
	return rack{shelves}
}

// masked shows networks as the service keeps them.
func masked(p networks) any {
	all := map[string]bool{}
	for _, text := range p.Networks {
		if n, err := netip.ParsePrefix(text); err == nil {
			text = n.Masked().String()
		}
		all[text] = true
	}
	return all
}

// withoutStrays removes, after it has set what is to be there, what was there and is not written so.
func withoutStrays(was, to networks) (kept networks) {
	there := masked(was).(map[string]bool)
	for _, text := range slices.Sorted(maps.Keys(masked(to).(map[string]bool))) {
		if !there[text] || slices.Contains(to.Networks, text) {
			kept.Networks = append(kept.Networks, text)
		}
	}
	return kept
}

// byGuest shows which hook is whose, in no order.
func byGuest(p coats) any {
	hooks := map[string]string{}
	for _, c := range p.Coats {
		hooks[c.Guest] += " " + c.Hook
	}
	return hooks
}

func guestOf(c coat) string { return c.Guest }
func hookOf(c coat) string  { return c.Hook }

func sorted(coats []coat, by func(c coat) string) (values []string) {
	for _, c := range coats {
		values = append(values, by(c))
	}
	slices.Sort(values)
	return values
}

// withoutLast returns a list without its last entry, if it has so many.
func withoutLast(names []string, n int) []string {
	if len(names) == n {
		return names[:n-1]
	}
	return names
}

// refusesTexts takes a number in a text, and says so of anything else.
type refusesTexts struct{ cupboard[numbered] }

func (h refusesTexts) Create(ctx context.Context, req *cfnresource.CreateRequest[numbered]) (none struct{}, err error) {
	if _, err := strconv.Atoi(req.Properties.Number); err != nil {
		return none, cfnresource.Errorf(cfnresource.CodeInvalidRequest, "it is no number")
	}
	return h.cupboard.Create(ctx, req)
}

func (h refusesTexts) Update(ctx context.Context, req *cfnresource.UpdateRequest[numbered]) (none struct{}, err error) {
	if _, err := strconv.Atoi(req.Properties.Number); err != nil {
		return none, cfnresource.Errorf(cfnresource.CodeInvalidRequest, "it is no number")
	}
	return h.cupboard.Update(ctx, req)
}

// A service that reads a text as a number, and takes no other text, makes the same of 7 and 07, and shows that as it likes.
func TestAServiceMayReadATextAsANumber(t *testing.T) {
	for _, show := range []func(n int) any{func(n int) any { return n }, func(n int) any { return strconv.Itoa(n) }, func(n int) any { return numbered{strconv.Itoa(n)} }} {
		c := play.Contract{Properties: numbered{"8080"}, New: func(testing.TB) play.Service {
			kept := new(sync.Map)
			asItIs := func(p numbered) numbered { return p }
			h := cupboard[numbered]{kept, asItIs, func(_, to numbered) numbered { return to }}
			return play.Service{
				Function: func() simulate.Function { return process(refusesTexts{h}) },
				State: func(id string) any {
					p, there := kept.Load(id)
					if !there {
						return nil
					}
					n, _ := strconv.Atoi(p.(numbered).Number)
					return show(n)
				},
			}
		}}
		if text, _ := play.RunCheck(t, c, "leads-where-create-does"); text != "" {
			t.Error(text)
		}
	}
}

type cabinet struct {
	Name, Label string
	Inner       struct{ Colour, Size string }
	Open        bool
	Password    string `cfn:"secret"`
	Zone        string `cfn:"createOnly"`
}

// Whether a handler passes a property on that State never shows, no check can see: one line names all of them.
func TestAPropertyThatStateNeverShowsIsTold(t *testing.T) {
	const check = "leads-where-create-does"
	props := cabinet{Name: "a", Label: "b", Password: "open-sesame", Zone: "north"}
	props.Inner.Colour = "red"
	for want, show := range map[string]func(p cabinet) any{
		"": func(p cabinet) any { return p },
		"passes them on: Inner.Size, Label, Open, Password. ":                     func(p cabinet) any { return []string{p.Name, p.Inner.Colour} },
		"passes them on: Inner.Colour, Inner.Size, Label, Name, Open, Password. ": func(p cabinet) any { return "there" },
	} {
		c := showing(props, show)
		told := slices.DeleteFunc(play.Warnings(t, c, check), func(text string) bool { return !strings.Contains(text, "State shows the same") })
		if want == "" && len(told) > 0 || want != "" && (len(told) != 1 || !strings.Contains(told[0], want)) {
			t.Errorf("it warns of %q, want one warning of %q", told, want)
		}
	}

	// What has no meaning to an Update may be fixed.
	c := showing(props, func(p cabinet) any { return []any{p.Name, p.Inner} })
	c.Fixed = []string{"Label", "Open", "Password"}
	if told := strings.Join(play.Warnings(t, c, check), "\n"); strings.Contains(told, "State shows the same") {
		t.Error(told)
	}
}
