package play_test

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// A labelled shows a box, and something that the properties do not make.
type labelled struct {
	Box   any
	Label any
}

// labels has State show something beside the box, of its ID.
func labels(of func(id string) any) func(c *play.Contract) {
	return func(c *play.Contract) {
		*c = withService(*c, func(s *play.Service) {
			state := s.State
			s.State = func(id string) any {
				if box := state(id); box != nil {
					return labelled{box, of(id)}
				}
				return nil
			}
		})
	}
}

var _ = wrongFunction("showsTheTime", rightHandlers["named"],
	unexplored("the handler is right").with(labels(func(string) any { return time.Now().String() })), "state-shows-properties")

// minuteOf returns a minute that follows from an ID, as of a job that runs every hour.
func minuteOf(id string) int {
	sum := fnv.New32()
	_, _ = sum.Write([]byte(id))
	return int(sum.Sum32() % 60)
}

// What State shows beside the properties is said once, by its place and with what it depends on. No other check fails, and
// the handler is judged by the rest.
func TestWhatStateShowsBesideThePropertiesIsSaidOnce(t *testing.T) {
	var mu sync.Mutex // histories are played beside each other
	born := map[string]time.Time{}
	birth := func(id string) time.Time {
		mu.Lock()
		defer mu.Unlock()
		if born[id].IsZero() || born[id].After(time.Now()) {
			born[id] = time.Now()
		}
		return born[id]
	}
	oneOfEach := []string{"the ID", "a random number", "the time"}
	for name, test := range map[string]struct {
		of   func(id string) any
		says string
	}{
		"the ID":                      {func(id string) any { return id }, "Label is of the ID"},
		"a minute":                    {func(id string) any { return minuteOf(id) }, "Label is of the ID"},
		"a map by the ID":             {func(id string) any { return map[string]bool{"statement-" + id: true} }, "Label is of the ID"},
		"a list with the ID":          {func(id string) any { return []string{"a", id} }, "Label[1] is of the ID"},
		"entries with the ID":         {func(id string) any { return []any{map[string]string{"Of": id, "Is": "a"}} }, "Label[].Of is of the ID"},
		"a random number":             {func(string) any { return rand.Uint64() }, "Label is random"},
		"the time":                    {func(string) any { return time.Now().String() }, "Label is of time"},
		"how long it has been there":  {func(id string) any { return time.Since(birth(id)) }, "Label is of time"},
		"a time of the day, in parts": {func(string) any { return map[string]int{"Hour": time.Now().Hour(), "Zone": 1} }, "Label.Hour is of time"},
	} {
		c := adapted(same)
		labels(test.of)(&c)
		var only []string // in a thorough run none
		if !slices.Contains(oneOfEach, name) && !testrun.Thorough() {
			only = []string{"state-shows-properties"}
		}
		for _, r := range play.RunChecks(t, c, only...) {
			says := r.Name == "state-shows-properties"
			fails := says && !strings.Contains(test.says, "of the ID") // which is a warning
			told := r.Text + strings.Join(r.Warnings, "")
			if (r.Outcome == "failed") != fails || says && !strings.Contains(told, "\t"+test.says) {
				t.Errorf("%s: %s %s: %s", name, r.Name, r.Outcome, told)
			}
		}
		c = wrongNamed("updatesOnlyDifferences").contract()
		if labels(test.of)(&c); len(outcomes(play.RunChecks(t, c, "update-is-not-a-diff"), "failed")) == 0 {
			t.Errorf("%s: what is wrong with the rest of State is not seen", name)
		}
	}
}

// answersEarly has the service set a size a minute after Update has returned.
type answersEarly struct{ named }

func (h answersEarly) Update(ctx context.Context, req *updating) (boxData, error) {
	err := h.d.effect(ctx, func() error {
		if h.d.boxes[req.PhysicalID] == nil {
			return errNoBox
		}
		time.AfterFunc(time.Minute, func() { _ = h.d.fill(context.Background(), req.PhysicalID, req.Properties.filling()) })
		return nil
	})
	return boxData{}, err
}

// freezesOne freezes a box only while no other one is frozen.
type freezesOne struct{ named }

func (h freezesOne) Create(ctx context.Context, req *creation) (boxData, error) {
	other, err := h.d.find(ctx, func(name string, b *box) bool { return name != req.StableID() && b.filling.Frozen })
	if err != nil {
		return boxData{}, err
	}
	req.Properties.Frozen = req.Properties.Frozen && other == ""
	return h.named.Create(ctx, req)
}

// What is there for one of several resources and not for another is not of the ID, and no check leaves it out.
func TestWhatOneOfTwoResourcesLacksIsNotOfTheID(t *testing.T) {
	c := adapted(func(h named) freezesOne { return freezesOne{h} })
	failed := outcomes(play.RunChecks(t, c, "state-shows-properties", "sibling-is-left-alone"), "failed")
	if want := []string{"state-shows-properties", "sibling-is-left-alone"}; !slices.Equal(failed, want) {
		t.Errorf("%v fail, want %v", failed, want)
	}
	text, _ := play.RunCheck(t, c, "state-shows-properties")
	if !strings.Contains(text, "Filling.Frozen is not the same for all") {
		t.Errorf("it says %q", text)
	}
}

// freezesFirst freezes a box only if its process has frozen none of that name: it keeps the names in a package variable.
type freezesFirst struct {
	named
	frozen *sync.Map
}

func (h freezesFirst) Create(ctx context.Context, req *creation) (boxData, error) {
	_, before := h.frozen.LoadOrStore(req.StableID(), true)
	req.Properties.Frozen = req.Properties.Frozen && !before
	return h.named.Create(ctx, req)
}

// Chance gives each Create another value. What differs between the first Create in a process and all later ones is kept by
// something that outlives the service: State is not to blame, and no check leaves it out.
func TestWhatTheProcessKeepsIsNoFaultOfState(t *testing.T) {
	frozen := new(sync.Map)
	c := adapted(func(h named) freezesFirst { return freezesFirst{h, frozen} })
	failed := play.RunChecks(t, c, "state-shows-properties", "update-same-properties")
	for _, r := range failed {
		if r.Outcome != "failed" {
			t.Errorf("%s %s", r.Name, r.Outcome)
		}
	}
	text := failed[0].Text
	for _, says := range []string{"Filling.Frozen is of what the process did before", "package variable", "(true, and later false)"} {
		if !strings.Contains(text, says) {
			t.Errorf("it does not say %q: %s", says, text)
		}
	}
	if strings.Contains(text, "in State") || strings.Contains(text, "Leave it out") {
		t.Errorf("it blames State: %s", text)
	}
}

// What the service assigns to each resource is of the ID, whatever the ID is, and so is what follows from the stack.
func TestWhatIsAssignedToEachResourceIsOfTheID(t *testing.T) {
	serial := func(s *play.Service) {
		state, serials := s.State, map[string]int{}
		s.State = func(id string) any {
			thing := state(id)
			if thing == nil {
				return nil
			}
			if serials[id] == 0 {
				serials[id] = len(serials) + 1
			}
			return labelled{thing, serials[id]}
		}
	}
	ofStack := adapted(same)
	labels(func(id string) any { name, _, _ := strings.Cut(id, "-resource-"); return name })(&ofStack)
	for name, c := range map[string]play.Contract{"a serial number": withService(adapted(same), serial), "the stack's name": ofStack} {
		for _, r := range play.RunChecks(t, c) {
			warned := strings.Contains(strings.Join(r.Warnings, ""), "Label is of the ID")
			if r.Outcome == "failed" || warned != (r.Name == "state-shows-properties") {
				t.Errorf("%s: %s %s: %s %v", name, r.Name, r.Outcome, r.Text, r.Warnings)
			}
		}
	}
}

// A failure names the call after which the thing is as it is.
func TestAFailureNamesTheCallSinceWhichItIsWrong(t *testing.T) {
	for name, says := range map[string]string{
		"updatesNothing":    "since the end of Create, in delivery 1 of the first Create",
		"skipsSecondChange": "since the end of Update, in delivery 1 of the first Update",
		"skipsWhatItDid":    "since the end of Update, in delivery 1 of the second Update. Update, in delivery 1 of the third Update, has not changed it.",
	} {
		w := wrongNamed(name)
		if text, _ := play.RunCheck(t, w.contract(), w.checks[0]); !strings.Contains(text, says) {
			t.Errorf("%s: %s says %q", name, w.checks[0], text)
		}
	}
}

// What is right later is not wrong: the answer came too soon.
func TestWhatIsRightAfterTheAnswerCameTooSoon(t *testing.T) {
	c := adapted(func(h named) answersEarly { return answersEarly{h} })
	text, _ := play.RunCheck(t, c, "update-keeps-id")
	if !strings.Contains(text, "only after the answer") || !strings.Contains(text, "Wait with Poll") || strings.Contains(text, "set all new properties") {
		t.Errorf("update-keeps-id says %q", text)
	}
}

// createsEarly has the service fill the box a minute after Create has returned.
type createsEarly struct{ named }

func (h createsEarly) Create(ctx context.Context, req *creation) (data boxData, err error) {
	name := req.StableID()
	if err := h.d.buildNew(ctx, name, box{room: req.Properties.Room}); err != nil {
		return data, err
	}
	req.Created(name)
	time.AfterFunc(time.Minute, func() { _ = h.d.fill(context.Background(), name, req.Properties.filling()) })
	return data, nil
}

// A Create that is answered early is no fault of the Update that is compared with it.
func TestAnUpdateIsNotBlamedForACreateThatIsAnsweredEarly(t *testing.T) {
	c := adapted(func(h named) createsEarly { return createsEarly{h} })
	c.InPlace = boxProps{Room: "hall", Size: 60, Password: "open-sesame"}
	found, _ := play.Replayed(t, c, "v0 v1")
	if !strings.Contains(found, "when their Creates are answered. An hour later it differs") || strings.Contains(found, "set all new properties") {
		t.Errorf("it says %q", found)
	}
}

// What a Contract skips, as of a service that returns another value each time, is no finding of Explore's.
func TestExploreGoesByWhatTheContractSkips(t *testing.T) {
	for reason, finds := range map[string]bool{"": true, "the service returns a token for each request": false} {
		c := wrongNamed("returnsTime").contract()
		if reason != "" {
			c.Skip = map[string]string{"data-same-after-update": reason}
		}
		if found, _ := play.Replayed(t, c, "v0!redeliver@1"); (found != "") != finds {
			t.Errorf("skipped for %q, it says %q", reason, found)
		}
	}
}

// freezesLater has the service freeze a box a second after Create has returned. Each of its methods takes longer.
type freezesLater struct{ named }

const takes = 5 * time.Second

func (h freezesLater) Create(ctx context.Context, req *creation) (data boxData, err error) {
	<-time.After(takes)
	later := req.Properties.filling()
	req.Properties.Frozen = false
	if data, err = h.named.Create(ctx, req); err == nil && later.Frozen {
		id := req.CreatedID()
		time.AfterFunc(time.Second, func() { _ = h.d.fill(context.Background(), id, later) })
	}
	return data, err
}

func (h freezesLater) Update(ctx context.Context, req *updating) (boxData, error) {
	<-time.After(takes)
	return h.named.Update(ctx, req)
}

func (h freezesLater) Delete(ctx context.Context, req *deletion) error {
	<-time.After(takes)
	return h.named.Delete(ctx, req)
}

// What the service does by itself after an answer is nobody's work: no check takes it for something that the stack has done to
// a twin or to other people's things, or other people to the stack's.
func TestWhatChangesByItselfIsNotTouched(t *testing.T) {
	c := depotContract(func(d *depot) simulate.Function { return process(freezesLater{named{d}}) })
	c.Properties = boxProps{Room: "hall", Size: 10, Frozen: true, Password: "open-sesame"}
	for _, line := range []string{"v0 namesakes", "foreign-id v0 twin v1", "v0 crowd v1", "v0 out v0 other-deletes"} {
		found, _ := play.Replayed(t, c, line)
		for _, touched := range []string{"touched", "taken"} {
			if head, _, _ := strings.Cut(found, ","); strings.Contains(head, touched) {
				t.Errorf("%s: it says %s", line, found)
			}
		}
	}
}
