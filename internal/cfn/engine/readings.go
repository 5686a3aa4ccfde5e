package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Reading is a question about CloudFormation that no documentation answers.
type Reading struct {
	Name     string // as in StackOptions.Assume of cfntest
	Question string // what is not known
	Assumed  Way
	Others   []Way
	Source   string // of what is assumed, with its label: [D]ocumented, [O]bserved or [?]
	Depends  string // what of the SDK goes by it
}

// A Way is one of the answers to a Reading.
type Way struct {
	Name string // after NAME= of the reading
	Does string // what CloudFormation then does
	set  func(*Options)
}

// An Assumption is a Way of a Reading.
type Assumption struct {
	Reading *Reading
	Way     *Way
}

// String writes it as [ParseAssumption] reads it.
func (a Assumption) String() string {
	if a.Reading == nil {
		return ""
	}
	return a.Reading.Name + "=" + a.Way.Name
}

// Set has the stack of the options go that way.
func (a Assumption) Set(o *Options) {
	a.Reading.Assumed.set(o) // no other way of it is left
	a.Way.set(o)
}

// ParseAssumption reads an assumption: a Reading's name, and a Way's if it has several others.
func ParseAssumption(text string) (Assumption, error) {
	name, way, chosen := strings.Cut(text, "=")
	i := slices.IndexFunc(Readings, func(r Reading) bool { return r.Name == name })
	if i < 0 {
		return Assumption{}, fmt.Errorf("there is no reading %.40q: want one of %s", name, list(Readings, func(r Reading) string { return r.Name }))
	}
	r := &Readings[i]
	if !chosen && len(r.Others) == 1 {
		return Assumption{r, &r.Others[0]}, nil
	}
	for i := range r.Others {
		if r.Others[i].Name == way {
			return Assumption{r, &r.Others[i]}, nil
		}
	}
	if way == r.Assumed.Name {
		return Assumption{r, &r.Assumed}, nil
	}
	return Assumption{}, fmt.Errorf("the reading %s has no way %.40q: want %s=WAY, with one of %s", name, way, name, list(r.Others, func(w Way) string { return w.Name }))
}

// ParseAssumptions parses several assumptions. Of two about one Reading the later one counts.
func ParseAssumptions(texts []string) ([]Assumption, error) {
	var all []Assumption
	for _, text := range texts {
		a, err := ParseAssumption(text)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

func list[T any](all []T, name func(T) string) string {
	var names []string
	for _, v := range all {
		names = append(names, name(v))
	}
	return strings.Join(names, ", ")
}

// OtherWays returns each way that is not assumed, in the order of the table.
func OtherWays() []Assumption {
	var all []Assumption
	for i := range Readings {
		for j := range Readings[i].Others {
			all = append(all, Assumption{&Readings[i], &Readings[i].Others[j]})
		}
	}
	return all
}

// Readings has a row for each question. What is assumed is what the engine does with
// the zero Options.
var Readings = []Reading{
	{
		Name:     "failed-update-id",
		Question: "An Update fails and names a new physical ID: how is the resource led back?",
		Assumed:  Way{"old-id", "goes back to the old ID without a request, and deletes the new one in the rollback's cleanup", func(o *Options) { o.FailedUpdate = PointBack }},
		Others: []Way{
			{"update-new-id", "sends the rollback's Update to the new ID", func(o *Options) { o.FailedUpdate = RollbackUpdate }},
			{"new-id-stays", "keeps the new ID, and sends nothing more", func(o *Options) { o.FailedUpdate = Stick }},
		},
		Source:  "[O] that the new one is deleted, [?] the rest",
		Depends: "the ID in the answer of a replacement that failed and could not be undone",
	},
	{
		Name:     "replaced-twice",
		Question: "The rollback's Update of a replacement is answered with a third ID, or fails: what becomes of the original?",
		Assumed:  Way{"left", "leaves it, and forgets it", func(o *Options) { o.DeleteOriginal = false }},
		Others:   []Way{{"deleted", "deletes it in the rollback's cleanup", func(o *Options) { o.DeleteOriginal = true }}},
		Source:   "[?]",
		Depends:  "a rollback's Update that finds nothing answers with an ID that the stack has",
	},
	{
		Name:     "preserved-update",
		Question: "An Update fails with DisableRollback: is the resource restored at once?",
		Assumed:  Way{"waits", "sends nothing until the next operation", func(o *Options) { o.RestoreAtOnce = false }},
		Others:   []Way{{"restored", "sends an Update with the former properties at once", func(o *Options) { o.RestoreAtOnce = true }}},
		Source:   "[?]; docs: “rolling back failed resources to the last known stable state”",
		Depends:  "what a phase of a preserved update means",
	},
	{
		Name:     "preserved-create",
		Question: "A Create failed with DisableRollback, and the stack is deployed again: which comes first?",
		Assumed:  Way{"delete-first", "deletes what failed, and creates it again", func(o *Options) { o.CreateFirst = false }},
		Others:   []Way{{"create-first", "creates it again, and deletes what failed in the cleanup", func(o *Options) { o.CreateFirst = true }}},
		Source:   "[?]; docs: “deleted upon the next stack operation”",
		Depends:  "a Delete deletes what the failed Create made, unless `Options.Phase` tells that the stack uses it",
	},
	{
		Name:     "preserved-replacement",
		Question: "A native resource is replaced in an update with DisableRollback: is that possible?",
		Assumed:  Way{"fails", "fails the resource", func(o *Options) { o.ReplaceWithoutRollback = false }},
		Others:   []Way{{"replaces", "replaces it", func(o *Options) { o.ReplaceWithoutRollback = true }}},
		Source:   "[O]; AWS has announced the other way",
		Depends:  "nothing",
	},
	{
		Name:     "cleanup-timeout",
		Question: "A cleanup's Delete is not answered: is it sent again?",
		Assumed:  Way{"once", "sends it once", func(o *Options) { o.RetryTimeouts = false }},
		Others:   []Way{{"three-times", "sends it three times, like one that fails", func(o *Options) { o.RetryTimeouts = true }}},
		Source:   "[O] aws/aws-cdk#2126; docs: three attempts",
		Depends:  "nothing: each Delete is handled alike",
	},
	{
		Name:     "cleanup-pause",
		Question: "How long lies between the tries of a cleanup's Delete?",
		Assumed:  Way{"none", "sends the next at once", func(o *Options) { o.CleanupPause = 0 }},
		Others: []Way{
			{"30s", "waits for 30 seconds", func(o *Options) { o.CleanupPause = 30 * time.Second }},
			{"10m", "waits for ten minutes", func(o *Options) { o.CleanupPause = 10 * time.Minute }},
		},
		Source:  "[?]",
		Depends: "nothing: each Delete is handled alike",
	},
	{
		Name:     "delete-tries",
		Question: "A Delete of DeleteStack, or of a creation's rollback, fails: is it sent again?",
		Assumed:  Way{"once", "sends it once", func(o *Options) { o.DeleteTries = 0 }},
		Others:   []Way{{"three-times", "sends it three times", func(o *Options) { o.DeleteTries = 3 }}},
		Source:   "[?]",
		Depends:  "nothing: each Delete is handled alike",
	},
	{
		Name:     "nested-delete-tries",
		Question: "The deletion of a nested stack fails: is it tried again?",
		Assumed:  Way{"once", "tries it as often as any other resource", func(o *Options) { o.RetryNested = false }},
		Others:   []Way{{"three-times", "tries it three times, also in the rollback of a creation", func(o *Options) { o.RetryNested = true }}},
		Source:   "[?]; the other way was observed once",
		Depends:  "nothing",
	},
	{
		Name:     "cancel-grace",
		Question: "How long lies between “Resource creation cancelled” and the rollback's first request, in which answers are ignored?",
		Assumed:  Way{"none", "sends the request at once", func(o *Options) { o.CancelGrace = 0 }},
		Others: []Way{
			{"9s", "waits for nine seconds", func(o *Options) { o.CancelGrace = 9 * time.Second }},
			{"1m", "waits for a minute", func(o *Options) { o.CancelGrace = time.Minute }},
		},
		Source:  "[O] seconds; [?] what becomes of answers",
		Depends: "a Delete waits for a Create that may run still",
	},
	{
		Name:     "answer-ids",
		Question: "An answer has another request's StackId, RequestId or LogicalResourceId: what does it do?",
		Assumed:  Way{"fails", "fails the resource", func(o *Options) { o.LenientIDs = false }},
		Others:   []Way{{"ignored", "does not look at them", func(o *Options) { o.LenientIDs = true }}},
		Source:   "[?]",
		Depends:  "nothing: the SDK answers with the event's",
	},
	{
		Name:     "not-invoked",
		Question: "The function or topic cannot be called for a Create: does a Delete follow?",
		Assumed:  Way{"deletes", "sends a Delete with an ID that it makes up", func(o *Options) { o.NothingInvoked = false }},
		Others:   []Way{{"nothing", "sends nothing", func(o *Options) { o.NothingInvoked = true }}},
		Source:   "[?]",
		Depends:  "a Delete of what was never made is answered SUCCESS",
	},
	{
		Name:     "request-ids",
		Question: "A request repeats an earlier one: does it have a RequestId of its own?",
		Assumed:  Way{"own", "gives each request its own", func(o *Options) { o.ReuseRequestIDs = false }},
		Others:   []Way{{"reused", "gives it the earlier one's", func(o *Options) { o.ReuseRequestIDs = true }}},
		Source:   "[D]; the other way was observed",
		Depends:  "nothing: no two requests are taken for one by their RequestId",
	},
	{
		Name:     "made-up-ids",
		Question: "Which form has the physical ID that CloudFormation makes up for a Create that was not answered?",
		Assumed:  Way{"13-upper-case", "ends it in 13 upper-case letters and digits", func(o *Options) { o.MixedCaseIDs = false }},
		Others:   []Way{{"12-mixed-case", "ends it in 12 letters and digits of both cases", func(o *Options) { o.MixedCaseIDs = true }}},
		Source:   "[O]; newer names of native resources have the other form",
		Depends:  "a Delete with such an ID is known to be of a lost Create",
	},
	{
		Name:     "noecho",
		Question: "An answer has NoEcho: are outputs that come of it masked?",
		Assumed:  Way{"shown", "masks nothing", func(o *Options) { o.MaskNoEcho = false }},
		Others:   []Way{{"masked", "masks them", func(o *Options) { o.MaskNoEcho = true }}},
		Source:   "[O] go-to-k/cdkd#2274; docs: masked",
		Depends:  "nothing",
	},
	{
		Name:     "service-timeout",
		Question: "Is ServiceTimeout at the top of each event?",
		Assumed:  Way{"event", "gives it at the top, and among the properties", func(o *Options) { o.NoTopServiceTimeout = false }},
		Others:   []Way{{"properties", "gives it among the properties only", func(o *Options) { o.NoTopServiceTimeout = true }}},
		Source:   "[O] by one source",
		Depends:  "until when an event is handled",
	},
	{
		Name:     "policy-change",
		Question: "Only policies of a template change: is that an update?",
		Assumed:  Way{"update", "takes it for an update that sends nothing", func(o *Options) { o.PolicyIsNoUpdate = false }},
		Others:   []Way{{"refused", "refuses it: No updates are to be performed", func(o *Options) { o.PolicyIsNoUpdate = true }}},
		Source:   "[O] measured; docs: refused",
		Depends:  "nothing",
	},
	{
		Name:     "snapshot-policy",
		Question: "What does DeletionPolicy Snapshot do on a custom resource?",
		Assumed:  Way{"deletes", "deletes it", func(o *Options) { o.RefuseSnapshot = false }},
		Others:   []Way{{"refused", "refuses the template", func(o *Options) { o.RefuseSnapshot = true }}},
		Source:   "[?]; documented of UpdateReplacePolicy",
		Depends:  "nothing",
	},
	{
		Name:     "cleanup-properties",
		Question: "With which properties is what was replaced deleted?",
		Assumed:  Way{"old", "sends those that it was made with", func(o *Options) { o.CleanupNewProperties = false }},
		Others:   []Way{{"new", "sends those of what replaced it", func(o *Options) { o.CleanupNewProperties = true }}},
		Source:   "[O]; an example in the documentation has the new ones",
		Depends:  "what Delete reads besides the physical ID",
	},
	{
		Name:     "stack-status",
		Question: "How soon does DescribeStacks show an operation that has begun?",
		Assumed:  Way{"at-once", "shows it at once", func(o *Options) { o.StatusLag, o.StatusRefused = 0, false }},
		Others: []Way{
			{"late-100ms", "shows it 100 ms late", func(o *Options) { o.StatusLag = 100 * time.Millisecond }},
			{"late-2s", "shows it two seconds late", func(o *Options) { o.StatusLag = 2 * time.Second }},
			{"late-10s", "shows it ten seconds late", func(o *Options) { o.StatusLag = 10 * time.Second }},
			{"refused", "answers with an error", func(o *Options) { o.StatusRefused = true }},
		},
		Source:  "[?]",
		Depends: "`Options.Phase`",
	},
	{
		Name:     "cleanup-resource",
		Question: "What does DescribeStackResource show during a cleanup of what was replaced?",
		Assumed:  Way{"new", "shows what replaced it", func(o *Options) { o.ShowsLeaving = false }},
		Others:   []Way{{"old", "shows what is deleted", func(o *Options) { o.ShowsLeaving = true }}},
		Source:   "[?]",
		Depends:  "`stackphase` tells a replacement's cleanup from a removal",
	},
}

// FailedUpdate is what becomes of the new physical ID that an Update's FAILED answer names.
type FailedUpdate string

const (
	// PointBack: CloudFormation goes back to the former physical ID without a request, and deletes
	// the one that the failed Update named in the rollback's cleanup. The default.
	PointBack FailedUpdate = ""
	// RollbackUpdate: the rollback sends an Update to the new physical ID.
	RollbackUpdate FailedUpdate = "RollbackUpdate"
	// Stick: the new physical ID stays, and nothing more is sent.
	Stick FailedUpdate = "Stick"
)

// Options are what a stack is played with. The zero value is what is assumed where AWS's behaviour
// is not known. What each field from FailedUpdate on means is said once, by the ways of [Readings]
// that set it. They are kept with the stack.
type Options struct {
	// Seed makes another run of the same stack get other IDs. The same seed gives the same ones.
	Seed uint64 `json:",omitempty"`
	// Region and Account are "us-east-1" and "123456789012" if empty.
	Region, Account string `json:",omitempty"`

	FailedUpdate           FailedUpdate  `json:",omitempty"`
	DeleteOriginal         bool          `json:",omitempty"`
	RestoreAtOnce          bool          `json:",omitempty"`
	CreateFirst            bool          `json:",omitempty"`
	RetryTimeouts          bool          `json:",omitempty"`
	CleanupPause           time.Duration `json:",omitempty"`
	DeleteTries            int           `json:",omitempty"`
	RetryNested            bool          `json:",omitempty"`
	CancelGrace            time.Duration `json:",omitempty"`
	LenientIDs             bool          `json:",omitempty"`
	NothingInvoked         bool          `json:",omitempty"`
	ReuseRequestIDs        bool          `json:",omitempty"`
	ReplaceWithoutRollback bool          `json:",omitempty"`
	MixedCaseIDs           bool          `json:",omitempty"`
	MaskNoEcho             bool          `json:",omitempty"`
	NoTopServiceTimeout    bool          `json:",omitempty"`
	PolicyIsNoUpdate       bool          `json:",omitempty"`
	RefuseSnapshot         bool          `json:",omitempty"`
	CleanupNewProperties   bool          `json:",omitempty"`
	StatusLag              time.Duration `json:",omitempty"`
	StatusRefused          bool          `json:",omitempty"`
	ShowsLeaving           bool          `json:",omitempty"`
}

func (o *Options) setDefaults() {
	o.Region = cmp.Or(o.Region, "us-east-1")
	o.Account = cmp.Or(o.Account, "123456789012")
	o.DeleteTries = max(o.DeleteTries, 1)
}
