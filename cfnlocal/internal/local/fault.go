package local

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/bucket"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A faultKind is a fault that users can choose: what it does, and who carries it out.
type faultKind struct {
	Name, Does string

	lambda   host.Fault   // what Lambda does to the event, or ""
	s3       bucket.Fault // what S3 does to a PUT of the answer, or ""
	cleanups int          // how often the Delete of a cleanup fails; other faults leave cleanups alone
}

// FaultKinds are all faults. Those that cfntest also has bear its names. A new fault is a row here, and
// is carried out by Lambda, by S3, or by the operation itself, which uses the variables below.
var FaultKinds = []*faultKind{
	{Name: "redeliver", Does: "the event is delivered again when its handler has ended", lambda: host.Redeliver},
	{Name: "twice", Does: "the event is delivered twice at the same time", lambda: host.Twice},
	loseAnswer,
	{Name: "die-before", Does: "the first process dies before it sees the event; Lambda tries again", lambda: host.DieBefore},
	{Name: "die-after", Does: "the process dies just after its answer; Lambda tries again", lambda: host.DieAfter},
	neverAnswer,
	{Name: "refuse", Does: "Lambda or SNS refuses the event, as without a permission: no handler runs, and the resource fails at once", lambda: host.Refuse},
	lateAnswer,
	cancelWhileRunning,
	{Name: "s3-500", Does: "S3 answers the first PUT with 500", s3: bucket.InternalError},
	{Name: "s3-503", Does: "S3 answers the first PUT with 503", s3: bucket.SlowDown},
	{Name: "s3-reset", Does: "the connection of the first PUT is reset", s3: bucket.Reset},
	{Name: "s3-lost-ack", Does: "S3 takes the first PUT, and its connection is reset", s3: bucket.LostAcknowledgement},
	{Name: "expired-url", Does: "S3 answers that the URL has expired", s3: bucket.Expired},
	{Name: "throttle", Does: "Lambda has no capacity at first, and delivers later", lambda: host.Throttle},
	{Name: "cleanup-fails-1", Does: "the cleanup's Delete fails once", cleanups: 1},
	{Name: "cleanup-fails-2", Does: "the cleanup's Delete fails twice", cleanups: 2},
	{Name: "cleanup-fails-3", Does: "the cleanup's Delete fails three times, and CloudFormation gives up", cleanups: 3},
}

// The faults that the operation itself carries out.
var (
	loseAnswer         = &faultKind{Name: "lose-answer", Does: "the answer is lost on its way"}
	neverAnswer        = &faultKind{Name: "never-answer", Does: "the event is lost: no handler runs, and there is never an answer"}
	lateAnswer         = &faultKind{Name: "late-answer", Does: "the answer comes when it is no longer waited for"}
	cancelWhileRunning = &faultKind{Name: "cancel-while-running", Does: "the operation is cancelled just before the answer comes"}
)

// A Fault is a fault with the requests that it strikes.
type Fault struct {
	Kind     *faultKind
	Resource string // logical ID, after those of the nested stacks that it is in; "" is any
	Request  string // Create, Update or Delete; "" is any
	Nth      int    // which of the requests that match, from 1; 0 is each
	Percent  int    // of the requests that match, by chance; 0 is no chance
	text     string // as it was written
}

var faultForm = regexp.MustCompile(`^([a-z0-9-]+)(?:@(?:([A-Za-z0-9]+(?:\.[A-Za-z0-9]+)*)\.)?(Create|Update|Delete|\*)(?:#([1-9][0-9]{0,3}|\*)|~([1-9][0-9]?|100)%)?)?$`)

// FaultForm describes how a fault is written.
const FaultForm = "NAME[@[RESOURCE.]REQUEST[#N|#*|~P%]], such as lose-answer@Create, s3-503@Webhook.Update#2, lose-answer@Nested.Webhook.Create or redeliver@*~25%"

// ParseFault reads a fault of the form FaultForm. Without #N, the fault strikes the first request that matches.
func ParseFault(s string) (Fault, error) {
	m := faultForm.FindStringSubmatch(s)
	if m == nil {
		return Fault{}, fmt.Errorf("%.60q is not a fault: write %s", s, FaultForm)
	}
	f := Fault{Resource: m[2], Request: strings.Trim(m[3], "*"), Nth: 1, text: s}
	if m[4] != "" {
		f.Nth, _ = strconv.Atoi(m[4]) // "*" is 0: each
	}
	if m[5] != "" {
		f.Nth = 0
		f.Percent, _ = strconv.Atoi(m[5])
	}
	var names []string
	for _, kind := range FaultKinds {
		if kind.Name == m[1] {
			f.Kind = kind
			return f, nil
		}
		names = append(names, kind.Name)
	}
	if now, renamed := renamedFaults[m[1]]; renamed {
		return Fault{}, fmt.Errorf("the fault %s has been renamed: write %s%s", m[1], now, strings.TrimPrefix(s, m[1]))
	}
	return Fault{}, fmt.Errorf("there is no fault %.40q: choose one of %s", m[1], strings.Join(names, ", "))
}

// renamedFaults are names from before cfntest and cfnlocal shared one set.
var renamedFaults = map[string]string{
	"duplicate":    "twice",
	"lose":         "lose-answer",
	"crash-before": "die-before",
	"crash-after":  "die-after",
	"late":         "late-answer", // in cfntest, late delays the event
	"cancel":       "cancel-while-running",
}

// Faults are the faults of an operation. With the same seed they strike the same requests, if
// those are sent in the same order.
type Faults struct {
	mu     sync.Mutex
	list   []Fault
	seen   []int // matching requests so far, for each fault
	chance *rand.Rand
	tries  map[string]int // of Deletes of the cleanup, by logical and physical ID
	hit    []bool
}

// NewFaults returns faults whose chance comes from a seed.
func NewFaults(seed uint64, list ...Fault) *Faults {
	return &Faults{list: list, seen: make([]int, len(list)), hit: make([]bool, len(list)), chance: rand.New(rand.NewPCG(seed, 1)), tries: map[string]int{}}
}

// forResource returns the faults that strike a request. name is the path of its resource from the
// root stack. Call it once for each request, because it counts them.
func (f *Faults) forResource(q *engine.Request, name string, cleanup bool) (kinds []*faultKind) {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, one := range f.list {
		if meant := matches(one.Resource, name) && matches(one.Request, q.RequestType); !meant {
			continue
		}
		if f.strikes(i, q, name, cleanup) {
			f.hit[i] = true
			if !slices.Contains(kinds, one.Kind) {
				kinds = append(kinds, one.Kind)
			}
		}
	}
	return kinds
}

// strikes counts a request that the fault at i matches, and reports whether the fault strikes it.
func (f *Faults) strikes(i int, q *engine.Request, name string, cleanup bool) bool {
	one := f.list[i]
	if most := one.Kind.cleanups; most > 0 {
		if !cleanup || q.RequestType != "Delete" {
			return false
		}
		key := name + " " + q.PhysicalID
		f.tries[key]++
		return f.tries[key] <= most
	}
	f.seen[i]++
	if one.Percent > 0 {
		return f.chance.IntN(100) < one.Percent
	}
	return one.Nth == 0 || one.Nth == f.seen[i]
}

// Missed returns the faults that struck no request, as they were written. It leaves out those that
// strike by chance.
func (f *Faults) Missed() (all []string) {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, one := range f.list {
		if !f.hit[i] && one.Percent == 0 {
			text := one.text
			if one.Kind.cleanups > 0 {
				text += " (it strikes the Deletes of an update's cleanup alone)"
			}
			all = append(all, text)
		}
	}
	return all
}

// matches reports whether a pattern is empty, or the given name.
func matches(pattern, given string) bool { return cmp.Or(pattern, given) == given }

// An injector holds the faults of an operation, the faults of each request, and the answers that
// lateAnswer holds back.
type injector struct {
	chosen *Faults // may be nil

	mu       sync.Mutex
	requests map[string]*requestFaults // by RequestId
	held     []heldAnswer
}

// A requestFaults holds the faults of a request, and its resource.
type requestFaults struct {
	resource string       // its path from the root stack
	kinds    []*faultKind // the injected ones
	awaited  []*faultKind // those that have not struck yet
}

func (f requestFaults) has(kind *faultKind) bool { return slices.Contains(f.kinds, kind) }

// A heldAnswer is held back until nobody waits for it.
type heldAnswer struct {
	requestID string
	body      []byte
}

// request returns the faults of a request. The caller holds mu.
func (i *injector) request(requestID string) *requestFaults {
	if i.requests == nil {
		i.requests = map[string]*requestFaults{}
	}
	if i.requests[requestID] == nil {
		i.requests[requestID] = new(requestFaults)
	}
	return i.requests[requestID]
}

func (i *injector) inject(requestID, resource string, kinds []*faultKind) {
	i.mu.Lock()
	defer i.mu.Unlock()
	f := i.request(requestID)
	f.resource, f.kinds = resource, append(f.kinds, kinds...)
}

// await adds faults that will strike a request later.
func (i *injector) await(requestID string, kinds []*faultKind) {
	i.mu.Lock()
	defer i.mu.Unlock()
	f := i.request(requestID)
	f.awaited = append(f.awaited, kinds...)
}

// struck returns an awaited fault that has now struck a request, and no longer awaits it, or nil.
func (i *injector) struck(requestID string, is func(*faultKind) bool) *faultKind {
	i.mu.Lock()
	defer i.mu.Unlock()
	f := i.request(requestID)
	at := slices.IndexFunc(f.awaited, is)
	if at < 0 {
		return nil
	}
	kind := f.awaited[at]
	f.awaited = slices.Delete(f.awaited, at, at+1)
	return kind
}

func (i *injector) of(requestID string) requestFaults {
	i.mu.Lock()
	defer i.mu.Unlock()
	f := *i.request(requestID)
	f.kinds = slices.Clone(f.kinds)
	return f
}

func (i *injector) hold(answers ...heldAnswer) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.held = append(i.held, answers...)
}

// release returns the answers that were held back.
func (i *injector) release() []heldAnswer {
	i.mu.Lock()
	defer i.mu.Unlock()
	held := i.held
	i.held = nil
	return held
}
