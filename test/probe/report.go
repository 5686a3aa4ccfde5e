package main

import (
	"fmt"
	"io"
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
			case enginetest.Answered:
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
