package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
)

// A history is what came of a scenario, from the engine or from CloudFormation.
type history struct {
	Stacks   []stack // the root stack first
	Requests []request
	Refused  []string // the steps that were, and why
}

type stack struct {
	Path, ID, Name       string
	Status, StatusReason string
	Outputs              [][2]string
	Rows                 []row
}

type row struct{ StackID, LogicalID, PhysicalID, Type, Status, Reason string }

// A request as its event has it. Step is how many steps had begun.
type request struct {
	engine.Request
	Path string
	Step int
}

func (r *request) key() string { return r.Path + " " + r.RequestType }

// played is the engine's history.
func played(run *enginetest.Run) history {
	var h history
	for _, one := range run.Player.Machine.Stack().All() {
		s := stack{Path: one.Path, ID: one.ID, Name: one.Name, Status: one.Status, StatusReason: one.StatusReason}
		for _, o := range one.Outputs {
			s.Outputs = append(s.Outputs, [2]string{o.Name, o.Value})
		}
		for _, e := range one.Events {
			s.Rows = append(s.Rows, row{e.StackId, e.LogicalResourceId, e.PhysicalResourceId, e.ResourceType, e.ResourceStatus, e.ResourceStatusReason})
		}
		h.Stacks = append(h.Stacks, s)
	}
	// The steps are told from each other by the acts.
	sent, step := run.Player.Machine.Stack().Sent(), 0
	for _, a := range run.Acts {
		switch a.Kind {
		case enginetest.Orders:
			if !run.Steps[a.N].Breaks {
				step++
			}
		case enginetest.Asks:
			r := request{Request: *sent[0], Path: run.Path(sent[0]), Step: step}
			h.Requests, sent = append(h.Requests, r), sent[1:]
		}
	}
	h.Refused = run.Refused
	return h
}

// text writes a history so that two of the same scenario can be compared: IDs are what they
// stand for, there are no times, and what does not depend on each other is in the order of
// the alphabet.
func (h *history) text(d depends) string {
	n := newNames(h)
	var b strings.Builder
	for _, text := range h.Refused {
		fmt.Fprintf(&b, "refused %s\n", n.readable(text))
	}
	b.WriteString("-- requests --\n")
	var lines []line
	step, known := 0, map[string]string{}
	for i := range h.Requests {
		r := &h.Requests[i]
		for ; step < r.Step; step++ {
			lines = append(lines, line{text: "step " + strconv.Itoa(step+1)})
		}
		text := fmt.Sprintf("%s %s %s", r.key(), cmp.Or(n.readable(r.PhysicalID), "-"), n.readable(properties(r.Properties)))
		if r.RequestType == "Update" {
			text += " old " + n.readable(properties(r.OldProperties))
		}
		if r.ServiceTimeout != "" {
			text += " ServiceTimeout " + r.ServiceTimeout
		}
		if first := known[r.RequestID]; first != "" {
			text += " with the RequestId of " + first
		} else {
			known[r.RequestID] = n.requests[r.RequestID]
		}
		removed := ""
		if r.RequestType == "Delete" {
			removed = r.PhysicalID
		}
		lines = append(lines, line{r.Path, removed, text, d.of[min(r.Step, len(d.of)-1)]})
	}
	write(&b, normal(lines))
	slices.SortStableFunc(h.Stacks, func(a, b stack) int { return cmp.Compare(a.Path, b.Path) })
	for _, s := range h.Stacks {
		fmt.Fprintf(&b, "-- rows of %s --\n", cmp.Or(s.Path, "the stack"))
		lines = nil
		for _, r := range s.Rows {
			text := r.Status
			if r.Reason != "" {
				text += " " + strconv.Quote(n.readable(r.Reason))
			}
			if r.Type == engine.StackType && r.PhysicalID == s.ID {
				lines = append(lines, line{text: "stack " + text})
				continue
			}
			removed := ""
			if strings.HasPrefix(r.Status, "DELETE_") {
				removed = r.PhysicalID
			}
			lines = append(lines, line{r.LogicalID, removed, r.LogicalID + " " + cmp.Or(n.readable(r.PhysicalID), "-") + " " + text, d.all})
		}
		write(&b, normal(lines))
		fmt.Fprintf(&b, "ends in %s %s\n", s.Status, strconv.Quote(n.readable(s.StatusReason)))
		slices.SortFunc(s.Outputs, func(a, b [2]string) int { return cmp.Compare(a[0], b[0]) })
		for _, o := range s.Outputs {
			fmt.Fprintf(&b, "output %s %s\n", o[0], n.readable(o[1]))
		}
	}
	return b.String()
}

func write(b *strings.Builder, lines []line) {
	for _, l := range lines {
		b.WriteString(l.text + "\n")
	}
}

// properties are without the ServiceToken, which is the topic's ARN, and in one form.
func properties(p engine.Properties) string {
	values := p.Map()
	delete(values, "ServiceToken")
	text, _ := json.Marshal(values) // it was JSON
	return string(text)
}

// names are what IDs stand for.
type names struct {
	exact    *strings.Replacer
	madeUp   *regexp.Regexp
	paths    map[string]string // of stacks, by their names
	ordinal  map[string]string // of IDs that were made up
	count    map[string]int
	requests map[string]string
}

func newNames(h *history) *names {
	n := &names{paths: map[string]string{}, ordinal: map[string]string{}, count: map[string]int{}, requests: map[string]string{}}
	type pair struct{ id, means string }
	var pairs []pair
	var stackNames []string
	for _, s := range h.Stacks {
		pairs = append(pairs, pair{s.ID, "<" + cmp.Or(s.Path, "StackId") + ">"})
		n.paths[s.Name] = s.Path
		stackNames = append(stackNames, regexp.QuoteMeta(s.Name))
		for _, r := range s.Rows {
			if r.PhysicalID == "" || r.Type == engine.StackType || engine.IsCustomResource(r.Type) || slices.ContainsFunc(pairs, func(p pair) bool { return p.id == r.PhysicalID }) {
				continue
			}
			n.count[r.LogicalID]++
			pairs = append(pairs, pair{r.PhysicalID, fmt.Sprintf("<%s %d>", r.LogicalID, n.count[r.LogicalID])})
		}
	}
	count := map[string]int{}
	for i := range h.Requests {
		r := &h.Requests[i]
		count[r.key()]++
		if n.requests[r.RequestID] == "" {
			n.requests[r.RequestID] = fmt.Sprintf("#%s %d", r.key(), count[r.key()])
			pairs = append(pairs, pair{r.RequestID, n.requests[r.RequestID]})
		}
	}
	longestFirst := func(a, b string) int { return cmp.Compare(len(b), len(a)) }
	slices.SortStableFunc(pairs, func(a, b pair) int { return longestFirst(a.id, b.id) })
	var all []string
	for _, p := range pairs {
		all = append(all, p.id, p.means)
	}
	n.exact = strings.NewReplacer(all...)
	slices.SortFunc(stackNames, longestFirst)
	n.madeUp = regexp.MustCompile(`(` + strings.Join(stackNames, "|") + `)-(\w+)-([A-Z0-9]{13}|[A-Za-z0-9]{12})\b`)
	return n
}

var listed = regexp.MustCompile(`\[\w+(?:, \w+)+\]`)

// readable puts what IDs stand for in their place.
func (n *names) readable(text string) string {
	text = n.exact.Replace(text)
	text = n.madeUp.ReplaceAllStringFunc(text, func(id string) string {
		if n.ordinal[id] == "" {
			m := n.madeUp.FindStringSubmatch(id)
			form := "13 upper-case"
			if len(m[3]) == 12 {
				form = "12 mixed-case"
			}
			of := strings.TrimPrefix(n.paths[m[1]]+"."+m[2], ".")
			n.count[of]++
			n.ordinal[id] = fmt.Sprintf("<made up for %s: %s, %d>", of, form, n.count[of])
		}
		return n.ordinal[id]
	})
	for name, path := range n.paths { // as in a refusal
		text = strings.ReplaceAll(text, "["+name+"]", "["+cmp.Or(path, "stack")+"]")
	}
	return listed.ReplaceAllStringFunc(text, func(list string) string {
		all := strings.Split(strings.Trim(list, "[]"), ", ")
		slices.Sort(all)
		return "[" + strings.Join(all, ", ") + "]"
	})
}
