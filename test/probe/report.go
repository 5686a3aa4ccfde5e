package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
)

// announce says what is left out, and what the rest costs. It returns the rest.
func announce(w io.Writer, plans []*plan, account, slowToo bool) (rest []*plan) {
	var operations, requests int
	var takes, longest time.Duration
	for _, p := range plans {
		if why := p.why(account, slowToo); why != "" {
			fmt.Fprintf(w, "left out  %s: %s\n", p.Name, why)
			continue
		}
		rest = append(rest, p)
		takes, longest = takes+p.takes(), max(longest, p.takes())
		for _, a := range p.run.Acts {
			switch a.Kind {
			case enginetest.Orders:
				operations++
			case enginetest.Asks:
				requests++
			}
		}
	}
	fmt.Fprintf(w, "%d scenarios of %d: %d operations, and %d more that remove the stacks; %d requests to handlers; %s by the scenarios' clocks one after the other, the longest %s\n",
		len(rest), len(plans), operations, len(rest), requests, takes.Round(time.Minute), longest)
	return rest
}

var telling sync.Mutex

// tell says what came of a scenario under what is assumed.
func tell(w io.Writer, o *outcome) {
	telling.Lock()
	defer telling.Unlock()
	switch {
	case o.err != nil:
		fmt.Fprintf(w, "not seen  %s: %v\n", o.Name, o.err)
	case o.as(nil):
		fmt.Fprintf(w, "the same  %s\n", o.Name)
	default:
		fmt.Fprintf(w, "differs   %s\n", o.Name)
	}
}

// summarize says which readings are settled, and what differs all the same. It reports
// whether nothing does, and everything was seen.
func summarize(w io.Writer, all []*outcome, calls int64, took time.Duration) (same bool) {
	// What differs is judged under the ways that fit best, so that one wrong reading is not told of each
	// scenario that shows it.
	ways := findWays(all)
	var nSame, nDiffer, unseen int
	for _, o := range all {
		switch {
		case o.err != nil:
			unseen++
		case o.as(ways):
			nSame++
		default:
			nDiffer++
			fmt.Fprintf(w, "\n==== %s differs; the engine says\n%s---- and CloudFormation\n%s", o.Name, indent(o.expected(ways...)), indent(o.seen))
		}
	}
	fmt.Fprintln(w)
	for _, f := range settle(all, ways) {
		word := "settles"
		if f.Way == &f.Reading.Assumed {
			word = "settles as assumed"
		}
		fmt.Fprintf(w, "%s %s: CloudFormation %s (%s)\n", word, f.Assumption, f.Way.Does, strings.Join(f.by, ", "))
	}
	for _, o := range all {
		for _, m := range o.history.Updated {
			fmt.Fprintf(w, "in %s of %s LastUpdatedTime is %s", m.StackStatus, o.Name, m.LastUpdatedTime)
			if m.Signed != "" {
				fmt.Fprintf(w, ", and the request was signed at %s", m.Signed)
			}
			fmt.Fprintln(w)
		}
	}
	fmt.Fprintf(w, "%d the same%s, %d differ, %d not seen; %d calls, %s\n", nSame, under(ways), nDiffer, unseen, calls, took.Round(time.Second))
	return nDiffer+unseen == 0
}

func under(ways []engine.Assumption) string {
	if len(ways) == 0 {
		return ""
	}
	return " under " + strings.Trim(fmt.Sprint(ways), "[]")
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}

// An outcome is what was seen of a scenario.
type outcome struct {
	*plan
	history history
	seen    string // its text
	strayed bool   // CloudFormation has gone another way than the engine while it was played
	err     error  // why nothing was seen
}

// A finding is a reading that the outcomes settle.
type finding struct {
	engine.Assumption
	by []string // scenarios that go so, and no other way of the reading
}

// findWays returns the ways, beside what is assumed, that CloudFormation goes: those under
// which the engine says of more scenarios what was seen of them.
func findWays(all []*outcome) (ways []engine.Assumption) {
	// One way after the other: the one that explains most scenarios comes first, and the next one has to
	// explain more in its light.
	for {
		var best engine.Assumption
		most := 0
		for _, a := range engine.OtherWays() {
			if slices.ContainsFunc(ways, func(b engine.Assumption) bool { return b.Reading == a.Reading }) {
				continue
			}
			n := 0
			for _, o := range all {
				if o.err != nil {
					continue
				}
				switch before, now := o.as(ways), o.as(append(slices.Clone(ways), a)); {
				case now && !before:
					n++
				case before && !now:
					n--
				}
			}
			if n > most {
				best, most = a, n
			}
		}
		if most == 0 {
			return ways
		}
		ways = append(ways, best)
	}
}

// as reports whether the engine says what was seen.
func (o *outcome) as(ways []engine.Assumption) bool { return o.seen == o.expected(ways...) }

// settle returns the readings that the outcomes settle. A scenario settles a reading if the
// engine says what was seen under the way, and under no other one.
func settle(all []*outcome, ways []engine.Assumption) (found []finding) {
	for i := range engine.Readings {
		r := &engine.Readings[i]
		way, rest := engine.Assumption{Reading: r, Way: &r.Assumed}, slices.Clone(ways)
		if at := slices.IndexFunc(ways, func(a engine.Assumption) bool { return a.Reading == r }); at >= 0 {
			way, rest = ways[at], slices.Delete(rest, at, at+1)
		}
		f := finding{Assumption: way}
		for _, o := range all {
			if o.err == nil && o.as(ways) && o.tells(way, rest) {
				f.by = append(f.by, o.Name)
			}
		}
		if len(f.by) > 0 {
			found = append(found, f)
		}
	}
	return found
}

// tells reports whether the scenario tells a way from the reading's other ones.
func (o *outcome) tells(way engine.Assumption, rest []engine.Assumption) bool {
	r := way.Reading
	for i := range r.Others {
		if way.Way != &r.Others[i] && o.as(append(slices.Clone(rest), engine.Assumption{Reading: r, Way: &r.Others[i]})) {
			return false
		}
	}
	return way.Way == &r.Assumed || !o.as(rest)
}

// leftOut says why scenarios have no meaning over the API that is public.
var leftOut = map[string]string{
	"n13-no-template":              "what is said of a template that is not there is the engine's test's own",
	"s05g-control-characters":      "nobody can read the stack's events after it",
	"s29b-function-replaced":       "a function needs code and a role",
	"s29d-next-version":            "a topic has no versions",
	"x-invocation-refused":         "a topic takes every message",
	"x-invocation-refused-nothing": "a topic takes every message",
	"x-invocation-refused-update":  "a topic takes every message",
	"x-review":                     "it makes a change set, and no stack",
	"x-review-deleted":             "it makes a change set, and no stack",
	"x-stand-in-fails":             "a native resource does not fail because somebody asks it to",
}

// leftOutAtEndpoint says why others are not played against serve --deploy.
var leftOutAtEndpoint = map[string]string{
	"n16-forced":           "it takes no DeletionMode",
	"n17-express":          "it takes no DeploymentConfig",
	"s43-update-times-out": "it waits for a handler that is late, and never for an hour",
	"s64-force":            "it takes no DeletionMode",
	"x-express":            "it takes no DeploymentConfig",
	"x-express-rollback":   "it takes no DeploymentConfig",
}

// slow is how long a scenario may take in an account without -slow.
const slow = 10 * time.Minute

// why says why a scenario is left out, or returns "".
func (p *plan) why(account, slowToo bool) string {
	nested := slices.ContainsFunc(slices.Collect(maps.Values(p.Texts)), func(text string) bool { return strings.Contains(text, engine.StackType) })
	switch {
	case leftOut[p.Name] != "":
		return leftOut[p.Name]
	case !account:
		return leftOutAtEndpoint[p.Name]
	case nested:
		return "the templates of nested stacks would need a bucket"
	case p.takes() > slow && !slowToo:
		return "it takes " + p.takes().String() + ": -slow"
	}
	return ""
}

// takes is how long the scenario takes by its own clock.
func (p *plan) takes() time.Duration {
	return p.run.Player.Now.Sub(enginetest.Start).Round(time.Second)
}
