package play_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/schema"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// Each type here is right, in a way that the kit took for wrong, or may.

// reserves is of a depot that gives out a name again half a minute after its box was removed: Create waits for its
// own name.
type reserves struct{ named }

func (h reserves) Create(ctx context.Context, req *creation) (data boxData, err error) {
	err = cfnresource.Poll(ctx, time.Second, func(ctx context.Context) (free bool, err error) {
		err = h.d.effect(ctx, func() error {
			b := h.d.boxes[req.StableID()]
			free = b == nil || !b.retired
			return nil
		})
		return free, err
	})
	if err != nil {
		return data, err
	}
	return h.named.Create(ctx, req)
}

func (h reserves) Update(ctx context.Context, req *updating) (data boxData, err error) {
	data, err = h.named.Update(ctx, req)
	if errors.Is(err, errTaken) {
		err = cfnresource.Errorf(cfnresource.CodeResourceConflict, "the name is not free yet")
	}
	return data, err
}

func (h reserves) Delete(ctx context.Context, req *deletion) error {
	return gone(h.d.change(ctx, req.PhysicalID, func(b *box) error {
		b.retired = true
		time.AfterFunc(30*time.Second, func() {
			h.d.mu.Lock()
			defer h.d.mu.Unlock()
			delete(h.d.boxes, req.PhysicalID)
		})
		return nil
	}))
}

// waitsForItsName has a name of the template's.
type waitsForItsName struct{ chosen }

func (h waitsForItsName) Create(ctx context.Context, req *creation) (data boxData, err error) {
	err = cfnresource.Poll(ctx, time.Second, func(ctx context.Context) (free bool, err error) {
		name, err := h.d.find(ctx, func(name string, b *box) bool { return name == req.Properties.Room })
		return name == "", err
	})
	if err != nil {
		return data, err
	}
	return h.chosen.Create(ctx, req)
}

// taken is of a depot that does not say which box has the name.
type taken struct{ chosen }

func (h taken) Create(ctx context.Context, req *creation) (data boxData, err error) {
	data, err = h.chosen.Create(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeAlreadyExists {
		err = cfnresource.Errorf(cfnresource.CodeAlreadyExists, "the name is taken")
	}
	return data, err
}

// foreign takes a denial for a box of another account's, and says so with another code.
type foreign struct{ named }

func (h foreign) Create(ctx context.Context, req *creation) (data boxData, err error) {
	data, err = h.named.Create(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeAccessDenied {
		err = cfnresource.Errorf(cfnresource.CodeGeneralServiceException, "the box is another account's: %s", err)
	}
	return data, err
}

// slowlyGone removes a box in twenty seconds, and does not wait for it.
type slowlyGone struct{ found }

func (h slowlyGone) Delete(ctx context.Context, req *deletion) error {
	return gone(h.d.change(ctx, req.PhysicalID, func(b *box) error {
		if b.ready.IsZero() {
			b.ready = time.Now().Add(20 * time.Second)
			time.AfterFunc(20*time.Second, func() { _ = h.d.remove(context.Background(), req.PhysicalID) })
		}
		return nil
	}))
}

// Find takes no box that is being removed.
func (h slowlyGone) Find(ctx context.Context, req *finding) (id string, err error) {
	if req.PhysicalID != "" {
		id, err = h.d.find(ctx, func(name string, b *box) bool {
			return name == req.PhysicalID && b.tag == req.StableID() && b.ready.IsZero()
		})
	}
	if id == "" && err == nil {
		id, err = h.d.find(ctx, func(_ string, b *box) bool { return b.tag == req.StableID() && b.ready.IsZero() })
	}
	return id, err
}

// slowlyGoneWaits waits for it.
type slowlyGoneWaits struct{ slowlyGone }

func (h slowlyGoneWaits) Delete(ctx context.Context, req *deletion) error {
	if err := h.slowlyGone.Delete(ctx, req); err != nil {
		return err
	}
	return h.d.await(ctx, func() bool { return h.d.boxes[req.PhysicalID] == nil })
}

// lowerCase is a text that is in lower case.
type lowerCase string

func (l *lowerCase) UnmarshalJSON(data []byte) error {
	var s string
	err := json.Unmarshal(data, &s)
	*l = lowerCase(strings.ToLower(s))
	return err
}

// normalisedBox has a room that its type normalises.
type normalisedBox struct {
	Room     lowerCase `cfn:"createOnly,required"`
	Size     int
	Frozen   bool
	Password string `cfn:"secret"`
}

func (p normalisedBox) box() boxProps {
	return boxProps{Room: string(p.Room), Size: p.Size, Frozen: p.Frozen, Password: p.Password}
}

// validatedBox is normalised by Validate.
type validatedBox struct {
	Room     string `cfn:"createOnly,required"`
	Size     int
	Frozen   bool
	Password string `cfn:"secret"`
}

func (p *validatedBox) Validate() error {
	p.Room = strings.ToLower(strings.TrimSpace(p.Room))
	return nil
}

func (p validatedBox) box() boxProps { return boxProps(p) }

// patient gives a Delete the time that it takes.
func patient[H anyHandler](handler func(d *depot) H) play.Contract {
	c := depotContract(func(d *depot) simulate.Function {
		return cfnresource.New(handler(d), func(o *cfnresource.Options) {
			o.Logger, o.LostGrace = slog.New(slog.DiscardHandler), 40*time.Second
		})
	})
	c.Timeout = 2 * time.Minute
	return c
}

func normalised[P any](of func(p boxProps) P, handler func(d *depot) simulate.Function) play.Contract {
	c := depotContract(handler)
	propsOf(of)(&c)
	return c
}

// takenForWrong are the contracts of right handlers that were.
func takenForWrong() map[string]play.Contract {
	return map[string]play.Contract{
		"reserves":        depotContract(func(d *depot) simulate.Function { return process(reserves{named{d}}) }),
		"waitsForItsName": depotContract(func(d *depot) simulate.Function { return process(waitsForItsName{chosen{found{d}}}) }),
		"taken":           depotContract(func(d *depot) simulate.Function { return process(taken{chosen{found{d}}}) }),
		"foreign":         depotContract(func(d *depot) simulate.Function { return process(foreign{named{d}}) }),
		"slowlyGone":      depotContract(func(d *depot) simulate.Function { return process(slowlyGone{found{d}}) }),
		"slowlyGoneWaits": patient(func(d *depot) slowlyGoneWaits { return slowlyGoneWaits{slowlyGone{found{d}}} }),
		"normalised": normalised(func(p boxProps) normalisedBox { return normalisedBox{lowerCase(p.Room), p.Size, p.Frozen, p.Password} },
			func(d *depot) simulate.Function { return process(namedOf[normalisedBox]{d}) }),
		"validated": normalised(func(p boxProps) validatedBox { return validatedBox(p) },
			func(d *depot) simulate.Function { return process(namedOf[validatedBox]{d}) }),
		"put": depotContract(func(d *depot) simulate.Function { return process(putOnly{d}) }),
	}
}

func TestRightHandlersThatWereTakenForWrong(t *testing.T) {
	for name, c := range some(takenForWrong(), "taken", "foreign", "slowlyGone", "normalised") {
		t.Run(name, func(t *testing.T) {
			for _, r := range play.RunChecks(t, c) {
				if r.Outcome == "failed" {
					t.Errorf("%s: %s", r.Name, r.Text)
				}
			}
			if found := play.FirstFinding(t, c, testrun.Share(100, 1000)); found.History != "" {
				t.Error(found.Text)
			}
		})
	}
}

// A name in a map may have any characters, such as the dots in those of Kafka's settings: what is there is found, and told by
// that name.
func TestANameInAMapMayHaveAnyCharacters(t *testing.T) {
	dotted := func(lose func(p *gateProps)) string {
		c := gateContract(func(h keeper) cutsAll { return cutsAll{h, lose} }, false)
		c.InPlace, c.Fixed = nil, allBut("More")
		c.Properties = gateProps{Zone: "north", More: gateMore{Notes: map[string]string{"retention.ms": "seven", "~,[é=/!*+:]": "x", "z %2E": ""}}}
		text, _ := play.RunCheck(t, c, "leads-where-create-does")
		return text
	}
	if text := dotted(func(*gateProps) {}); text != "" {
		t.Errorf("a right handler fails: %s", text)
	}
	cut := func(p *gateProps) {
		p.More.Notes = maps.Clone(p.More.Notes)
		for name, note := range p.More.Notes {
			p.More.Notes[name] = note[:min(len(note), 5)]
		}
	}
	if text, says := dotted(cut), "More.Notes.retention.ms alone is changed ("; !strings.Contains(text, says) {
		t.Errorf("it does not say %q: %s", says, text)
	}
}

// A set of which some entries cannot be told apart, since they would be too long, is as large as the service has it.
func TestASetIsAsLargeAsItsEntriesDiffer(t *testing.T) {
	c := play.Contract{Properties: teamProps{Members: []initials{"ab"}}, New: func(testing.TB) play.Service {
		teams := team{new(sync.Map)}
		return play.Service{
			Function: func() simulate.Function { return process(teams) },
			State: func(id string) any {
				members, _ := teams.Load(id)
				return members
			},
		}
	}}
	if text, _ := play.RunCheck(t, c, "leads-where-create-does"); text != "" {
		t.Error(text)
	}
}

type teamProps struct{ Members []initials }

type initials string

func (initials) DescribeProperty(p *schema.Property) { p.MaxLength = 4 }

// team has the members of teams, each once.
type team struct{ *sync.Map }

func (h team) put(id string, p teamProps) {
	members := map[initials]bool{}
	for _, member := range p.Members {
		members[member] = true
	}
	h.Store(id, members)
}

func (h team) Create(_ context.Context, req *cfnresource.CreateRequest[teamProps]) (struct{}, error) {
	req.Created(req.StableID())
	h.put(req.StableID(), req.Properties)
	return struct{}{}, nil
}

func (h team) Update(_ context.Context, req *cfnresource.UpdateRequest[teamProps]) (struct{}, error) {
	h.put(req.PhysicalID, req.Properties)
	return struct{}{}, nil
}

func (h team) Delete(_ context.Context, req *cfnresource.DeleteRequest[teamProps]) error {
	h.Map.Delete(req.PhysicalID)
	return nil
}

// What State shows too much of is told as such.
func TestAStateThatShowsTooMuchIsTold(t *testing.T) {
	of := func(c play.Contract, check string) string { text, _ := play.RunCheck(t, c, check); return text }
	warned := func(c play.Contract, check string) string { return strings.Join(play.Warnings(t, c, check), "\n") }
	shown := func(show func(id string, state any, age time.Duration) any) func(s *play.Service) {
		return func(s *play.Service) {
			state, began := s.State, time.Now()
			s.State = func(id string) any {
				if state(id) == nil {
					return nil
				}
				return show(id, state(id), time.Since(began))
			}
		}
	}
	found := depotContract(rightHandlers["found"])
	for says, tt := range map[string]struct{ text, not string }{
		"[0] is of the ID":         {warned(withService(found, shown(func(id string, state any, _ time.Duration) any { return []any{id, state} })), "state-shows-properties"), "Have Update set"},
		"shows an age or a status": {of(withService(found, shown(func(_ string, state any, age time.Duration) any { return []any{age > time.Hour, state} })), "time-passes"), ""},
	} {
		if !strings.Contains(tt.text, says) || tt.not != "" && strings.Contains(tt.text, tt.not) {
			t.Errorf("%q is not said, or %q is:\n%s", says, tt.not, tt.text)
		}
	}
}

func TestAnAttributeThatIsAlwaysEmptyIsTold(t *testing.T) {
	for want, process := range map[int]func(d *depot) simulate.Function{
		0: rightHandlers["named"],
		1: func(d *depot) simulate.Function { return process(tellsNothing{named{d}}) },
	} {
		if got := play.Warnings(t, depotContract(process), "answer-fits"); len(got) != want {
			t.Errorf("it warns of %q, want %d warnings", got, want)
		}
	}
}

// tellsNothing returns an attribute that nobody fills.
type tellsNothing struct{ named }

func (h tellsNothing) Create(ctx context.Context, req *creation) (data boxData, err error) {
	_, err = h.named.Create(ctx, req)
	return data, err
}

func (h tellsNothing) Update(ctx context.Context, req *updating) (data boxData, err error) {
	_, err = h.named.Update(ctx, req)
	return data, err
}

func TestTypesThatNobodyAsksForAreTold(t *testing.T) {
	c := depotContract(func(d *depot) simulate.Function {
		of := cfnresource.NewDispatcher()
		cfnresource.Handle(of, "Custom::Box", named{d})
		cfnresource.Handle(of, "Custom::Crate", named{d})
		return of
	})
	c.ResourceType = "Custom::Box"
	if got := strings.Join(play.Warnings(t, c, "create-delete"), "\n"); !strings.Contains(got, "also has handlers of Custom::Crate") {
		t.Errorf("it warns of %q", got)
	}
}

type (
	keyItem struct {
		Key   string
		Value string `cfn:"secret"`
	}
	keyring struct{ Items []keyItem }

	// keys is a right handler: it keeps the items of each ring in their order.
	keys struct{ rings *sync.Map }
)

func (h keys) Create(_ context.Context, req *cfnresource.CreateRequest[keyring]) (none struct{}, err error) {
	if _, there := h.rings.LoadOrStore(req.StableID(), req.Properties.Items); there {
		return none, cfnresource.AlreadyExists(req.StableID())
	}
	req.Created(req.StableID())
	return none, nil
}

func (h keys) Update(_ context.Context, req *cfnresource.UpdateRequest[keyring]) (none struct{}, err error) {
	h.rings.Store(req.PhysicalID, req.Properties.Items)
	return none, nil
}

func (h keys) Delete(_ context.Context, req *cfnresource.DeleteRequest[keyring]) error {
	h.rings.Delete(req.PhysicalID)
	return nil
}

// A secret of before that another property has now is accepted rightly.
func TestASecretMayMoveToAnotherProperty(t *testing.T) {
	c := theKeys()
	if text, _ := play.RunCheck(t, c, "leads-where-create-does"); text != "" {
		t.Error(text)
	}
}

func theKeys() play.Contract {
	return play.Contract{
		Properties: keyring{[]keyItem{{"a", "open-sesame"}}},
		InPlace:    keyring{[]keyItem{{"b", "open-barley"}}},
		New: func(testing.TB) play.Service {
			rings := new(sync.Map)
			of := func(id string) []keyItem { items, _ := rings.Load(id); all, _ := items.([]keyItem); return all }
			return play.Service{
				Function: func() simulate.Function { return process(keys{rings}) },
				State: func(id string) any {
					if _, there := rings.Load(id); !there {
						return nil
					}
					names := []string{}
					for _, item := range of(id) {
						names = append(names, item.Key)
					}
					return names
				},
				Accepts: func(id, secret string) bool {
					return slices.ContainsFunc(of(id), func(item keyItem) bool { return item.Value == secret })
				},
			}
		},
	}
}

// findsBesideAnError returns, with the error of reading it, the ID of what it has just read.
type findsBesideAnError struct{ found }

func (h findsBesideAnError) Find(ctx context.Context, req *finding) (string, error) {
	h.d.mu.Lock()
	names := h.d.names()
	h.d.mu.Unlock()
	for _, name := range names {
		id, err := h.d.find(ctx, func(other string, b *box) bool { return other == name && b.tag == req.StableID() })
		if id != "" || err != nil {
			return name, err
		}
	}
	return "", nil
}

// What Find returns beside an error is no answer, so that it is not the resource's.
func TestAnErrorOfFindNamesNothing(t *testing.T) {
	c := withService(depotContract(func(d *depot) simulate.Function { return process(findsBesideAnError{found{d}}) }), func(s *play.Service) {
		list := s.List
		s.Occupy("a stranger's")
		s.List = func() []string {
			return slices.DeleteFunc(list(), func(name string) bool { return name == "a stranger's" })
		}
	})
	for _, check := range []string{"create-error-after-making", "create-out-of-time-nothing-left", "create-redelivered-one-resource"} {
		if text, _ := play.RunCheck(t, c, check); text != "" {
			t.Error(text)
		}
	}
}

// A word is a property with little to it.
type word struct {
	Name string `cfn:"createOnly,required"`
	Mode string
	Key  string `cfn:"secret"`
}

type wordData struct{ Number int }

// words is a service of words, and the right handler of them: under the StableID, or under a number of the service's.
type words struct {
	mu    sync.Mutex
	all   map[string]string // modes
	next  int
	quota int

	numbers bool
	means   map[string]string // what the service makes of a mode: others it refuses
	waits   time.Duration     // after each one that is made
	made    time.Time
}

func (w *words) set(ctx context.Context, id, mode string) error {
	if err := simulate.Step(ctx); err != nil {
		return err
	}
	if means, known := w.means[mode]; known {
		mode = means
	} else if w.means != nil {
		return cfnresource.Errorf(cfnresource.CodeInvalidRequest, "there is no such mode")
	}
	w.mu.Lock()
	_, there := w.all[id]
	if !there && w.quota > 0 && len(w.all) >= w.quota {
		w.mu.Unlock()
		return cfnresource.Errorf(cfnresource.CodeServiceLimitExceeded, "there is room for %d", w.quota)
	}
	if !there {
		w.made = time.Now()
	}
	w.all[id] = mode
	w.mu.Unlock()
	return simulate.Step(ctx)
}

func (w *words) has(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, there := w.all[id]
	return there
}

func (w *words) Create(ctx context.Context, req *cfnresource.CreateRequest[word]) (data wordData, err error) {
	id := req.StableID()
	if w.numbers {
		w.mu.Lock()
		w.next++
		data.Number = w.next
		w.mu.Unlock()
		id = "n-" + strconv.Itoa(data.Number)
	}
	err = cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		return time.Since(w.made) >= w.waits, nil
	})
	if err != nil {
		return data, err
	}
	if w.has(id) {
		return data, cfnresource.AlreadyExists(id)
	}
	if err := w.set(ctx, id, req.Properties.Mode); err != nil {
		return data, err
	}
	req.Created(id)
	return data, nil
}

func (w *words) Update(ctx context.Context, req *cfnresource.UpdateRequest[word]) (data wordData, err error) {
	if w.numbers {
		data.Number, _ = strconv.Atoi(strings.TrimPrefix(req.PhysicalID, "n-"))
	}
	return data, w.set(ctx, req.PhysicalID, req.Properties.Mode)
}

func (w *words) Delete(ctx context.Context, req *cfnresource.DeleteRequest[word]) error {
	if err := simulate.Step(ctx); err != nil {
		return err
	}
	w.mu.Lock()
	delete(w.all, req.PhysicalID)
	w.mu.Unlock()
	return simulate.Step(ctx)
}

func (w *words) service() play.Service {
	return play.Service{
		Function: func() simulate.Function {
			if w.waits > 0 {
				return continuing(w)
			}
			return cfnresource.New(w) // which logs
		},
		State: func(id string) any {
			w.mu.Lock()
			defer w.mu.Unlock()
			if mode, there := w.all[id]; there {
				return mode
			}
			return nil
		},
		Occupy: func(id string) {
			if strings.HasPrefix(id, "n-") {
				_ = w.set(context.Background(), id, "a stranger's")
			}
		},
		List: func() []string {
			w.mu.Lock()
			defer w.mu.Unlock()
			return slices.Collect(maps.Keys(w.all))
		},
	}
}

// What is right in an unusual way is right all the same, or cannot be asked.
func TestRightWordsThatWereTakenForWrong(t *testing.T) {
	modes := map[string]string{"": "off", "on": "on", "true": "on", "1": "on", "off": "off"}
	for name, test := range map[string]struct {
		with    func(w *words)
		c       play.Contract
		check   string
		outcome string
	}{
		"a number in Data":     {func(w *words) { w.numbers = true }, play.Contract{Neither: true}, "data-same-after-update", "passed"},
		"two words for one":    {func(w *words) { w.means = modes }, play.Contract{}, "leads-where-create-does", "passed"},
		"a short secret":       {func(*words) {}, play.Contract{}, "secrets-stay-out-of-log", "passed"},
		"room for one":         {func(w *words) { w.quota = 1 }, play.Contract{}, "leads-where-create-does", "passed"},
		"IDs of one form":      {func(*words) {}, play.Contract{InPlace: word{"a", "off", "1234"}}, "provider-upgrade-keeps-id", "skipped"},
		"neighbours of a form": {func(*words) {}, play.Contract{}, "delete-leaves-neighbours", "passed"},
	} {
		test.c.Properties = word{"a", "on", "1234"}
		test.c.New = func(testing.TB) play.Service {
			w := &words{all: map[string]string{}}
			test.with(w)
			return w.service()
		}
		for _, r := range play.RunChecks(t, test.c, test.check) {
			if r.Outcome != test.outcome {
				t.Errorf("%s: %s %s, want %s: %s", name, r.Name, r.Outcome, test.outcome, r.Text)
			}
		}
	}
}

// The author may give a property the value that it has by default, of a tag or of the handler: State shows the same whether
// it is left out or not, and a zero is told from both.
func TestTheAuthorsValueMayBeTheDefault(t *testing.T) {
	type tried struct {
		Retries int `cfn:"default=3"`
	}
	byHandler := func(p limited) any {
		if p.Most == nil {
			return four
		}
		return *p.Most
	}
	ignoresZero := func(p tried) any {
		if p.Retries == 0 {
			return 3
		}
		return p.Retries
	}
	for name, test := range map[string]struct {
		c    play.Contract
		says string
	}{
		"of a tag":                  {showing(tried{3}, func(p tried) any { return p }), ""},
		"of the handler":            {showing(limited{&four}, byHandler), ""},
		"of a tag, and also a zero": {showing(tried{3}, ignoresZero), `"v0[Retries=from:zero] v0[Retries=zero]"`},
	} {
		text, _ := play.RunCheck(t, test.c, "leads-where-create-does")
		if (text == "") != (test.says == "") || !strings.Contains(text, test.says) {
			t.Errorf("%s: it says %q, want %q", name, text, test.says)
		}
	}
}

// What a later invocation makes is lost with its process.
func TestALimitExcusesWhatALostInvocationMakes(t *testing.T) {
	c := play.Contract{Properties: word{Name: "a"}, Replacing: word{Name: "b"}, Timeout: 5 * time.Minute, New: func(testing.TB) play.Service {
		return (&words{all: map[string]string{}, waits: time.Minute}).service()
	}}
	found, limit := play.Replayed(t, c, "v0 v2!link-dies-for-good@1")
	if want := "a replacement whose process or answer is lost"; found != "" || limit != want {
		t.Errorf("met the limit %q, want %q; found %s", limit, want, found)
	}
}
