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

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// FaultNames are the faults, each with what it does to a request.
var FaultNames = []struct{ Name, Does string }{
	{"redeliver", "the event is delivered again when its handler has ended"},
	{"duplicate", "the event is delivered twice at the same time"},
	{"lose", "the answer is lost on its way"},
	{"crash-before", "the first process dies before it sees the event; Lambda tries again"},
	{"crash-after", "the process dies just after its answer; Lambda tries again"},
	{"never-answer", "the handler is called, and there is never an answer: nothing runs"},
	{"late", "the answer comes when it is no longer waited for"},
	{"cancel", "the operation is cancelled just before the answer comes"},
	{"s3-500", "S3 answers the first PUT with 500"},
	{"s3-503", "S3 answers the first PUT with 503"},
	{"s3-reset", "the connection of the first PUT is reset"},
	{"expired-url", "S3 answers that the URL has expired"},
	{"throttle", "Lambda has no capacity at first, and delivers later"},
	{"cleanup-fails-1", "the cleanup's Delete fails once"},
	{"cleanup-fails-2", "the cleanup's Delete fails twice"},
	{"cleanup-fails-3", "the cleanup's Delete fails three times, and is given up"},
}

const cleanupFails = "cleanup-fails-"

// A Fault is what goes wrong with chosen requests.
type Fault struct {
	Name     string
	Resource string // logical ID, behind those of the nested stacks that it is in; or "" for any
	Request  string // Create, Update, Delete, or "" for any
	Nth      int    // of those that match, from 1; 0 is each
	Percent  int    // of those that match, by chance, if not 0
}

var faultForm = regexp.MustCompile(`^([a-z0-9-]+)(?:@(?:([A-Za-z0-9]+(?:\.[A-Za-z0-9]+)*)\.)?(Create|Update|Delete|\*)(?:#([1-9][0-9]{0,3}|\*)|~([1-9][0-9]?|100)%)?)?$`)

// FaultForm is how a fault is written.
const FaultForm = "NAME[@[RESOURCE.]REQUEST[#N|#*|~P%]], such as lose@Create, s3-503@Webhook.Update#2, lose@Nested.Webhook.Create or redeliver@*~25%"

// ParseFault reads a fault of the form FaultForm. Without #N it is the first
// request that matches.
func ParseFault(s string) (Fault, error) {
	m := faultForm.FindStringSubmatch(s)
	if m == nil {
		return Fault{}, fmt.Errorf("%.60q is no fault: write %s", s, FaultForm)
	}
	f := Fault{Name: m[1], Resource: m[2], Request: strings.Trim(m[3], "*"), Nth: 1}
	if m[4] != "" {
		f.Nth, _ = strconv.Atoi(m[4]) // "*" is 0: each
	}
	if m[5] != "" {
		f.Nth = 0
		f.Percent, _ = strconv.Atoi(m[5])
	}
	var names []string
	for _, known := range FaultNames {
		if known.Name == f.Name {
			return f, nil
		}
		names = append(names, known.Name)
	}
	return Fault{}, fmt.Errorf("there is no fault %.40q: there are %s", f.Name, strings.Join(names, ", "))
}

// Faults are what goes wrong in an operation: the same requests for the same
// seed, if requests are sent in the same order.
type Faults struct {
	mu     sync.Mutex
	list   []Fault
	seen   []int // matching requests so far, for each fault
	chance *rand.Rand
	tries  map[string]int // of cleanup's Deletes, by logical and physical ID
	hit    []bool
}

// NewFaults returns faults whose chance comes of a seed.
func NewFaults(seed uint64, list ...Fault) *Faults {
	return &Faults{list: list, seen: make([]int, len(list)), hit: make([]bool, len(list)), chance: rand.New(rand.NewPCG(seed, 1)), tries: map[string]int{}}
}

// forResource returns the names of the faults of a request. name is its resource as
// seen from the root stack. Call it once for each request, because it counts them.
func (f *Faults) forResource(q *engine.Request, name string, cleanup bool) (names []string) {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, one := range f.list {
		if !matches(one.Resource, name) || !matches(one.Request, q.RequestType) {
			continue
		}
		if times, is := strings.CutPrefix(one.Name, cleanupFails); is {
			if !cleanup || q.RequestType != "Delete" {
				continue
			}
			key := name + " " + q.PhysicalID
			f.tries[key]++
			if n, _ := strconv.Atoi(times); f.tries[key] <= n {
				f.hit[i] = true
				names = append(names, one.Name)
			}
			continue
		}
		f.seen[i]++
		hit := one.Nth == 0 || one.Nth == f.seen[i]
		if one.Percent > 0 {
			hit = f.chance.IntN(100) < one.Percent
		}
		f.hit[i] = f.hit[i] || hit
		if hit && !slices.Contains(names, one.Name) {
			names = append(names, one.Name)
		}
	}
	return names
}

// Missed returns the faults that matched no request, in the form FaultForm, without
// those that strike by chance.
func (f *Faults) Missed() (all []string) {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, one := range f.list {
		if !f.hit[i] && one.Percent == 0 {
			all = append(all, one.String())
		}
	}
	return all
}

// String is the fault in the form FaultForm.
func (f Fault) String() string {
	text := f.Name + "@"
	if f.Resource != "" {
		text += f.Resource + "."
	}
	text += cmp.Or(f.Request, "*")
	switch {
	case f.Percent > 0:
		return text + "~" + strconv.Itoa(f.Percent) + "%"
	case f.Nth == 0:
		return text + "#*"
	case f.Nth > 1:
		return text + "#" + strconv.Itoa(f.Nth)
	}
	return text
}

// matches reports whether asked is empty or equal to given.
func matches(asked, given string) bool { return cmp.Or(asked, given) == given }
