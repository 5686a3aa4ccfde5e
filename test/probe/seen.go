package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
	"github.com/cfnresource/sdk-go/response"
)

// A history is what came of a scenario, from the engine or from CloudFormation.
type history struct {
	Stacks   []stack // the root stack first
	Requests []request
	Refused  []string `json:",omitempty"` // the steps that were, and why
	Updated  []moment `json:",omitempty"` // of the scenario rollsBack
}

// rollsBack is the scenario that shows whether LastUpdatedTime moves when a rollback begins: that
// decides whether what a failed replacement left can be deleted safely on the way back.
const rollsBack = "s40-update-failed"

// A moment is what DescribeStacks said of a stack while a request was handled, or in the end. The times
// are since the stack's creation. The request's is the second in which its URL was signed: how far
// LastUpdatedTime may be ahead of it decides which events are taken for those of an earlier operation.
type moment struct {
	StackStatus     string
	LastUpdatedTime string // or "never"
	Signed          string `json:",omitempty"` // the request's URL; "" in the end
}

// noteUpdated notes when a stack was updated last. url is the request's, or "" in the end.
func (p *play) noteUpdated(ctx context.Context, stack, url string) error {
	if p.Name != rollsBack {
		return nil
	}
	out, err := p.client.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: &stack})
	if err != nil {
		return err
	}
	s := out.Stacks[0]
	m := moment{StackStatus: string(s.StackStatus), LastUpdatedTime: "never"}
	if s.LastUpdatedTime != nil {
		m.LastUpdatedTime = s.LastUpdatedTime.Sub(*s.CreationTime).String()
	}
	if to, err := response.ParseURL(url); err == nil {
		if at, known := to.SignedAt(); known {
			m.Signed = at.Sub(*s.CreationTime).String()
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.history.Updated = append(p.history.Updated, m)
	return nil
}

// A stack, with the API's names. Path is the logical IDs that lead to it.
type stack struct {
	Path, StackId, StackName, StackStatus string
	StackStatusReason                     string   `json:",omitempty"`
	Outputs                               []output `json:",omitempty"`
	StackEvents                           []row
}

type output struct{ OutputKey, OutputValue string }

type row struct {
	LogicalResourceId, PhysicalResourceId, ResourceType, ResourceStatus string
	ResourceStatusReason                                                string `json:",omitempty"`
}

// A request as its event has it. Path is of its resource, and Step how many steps had begun.
type request struct {
	Path                               string
	Step                               int
	RequestType, RequestId             string
	PhysicalResourceId, ServiceTimeout string `json:",omitempty"`
	ResourceProperties                 engine.Properties
	OldResourceProperties              engine.Properties `json:",omitempty"`
}

func (r *request) key() string { return r.Path + " " + r.RequestType }

// played is the engine's history.
func played(run *enginetest.Run) history {
	h := history{Refused: run.Refused}
	for _, one := range run.Player.Machine.Stack().All() {
		if one.Status == "" {
			continue // it was never made
		}
		s := stack{Path: one.Path, StackId: one.ID, StackName: one.Name, StackStatus: one.Status, StackStatusReason: one.StatusReason}
		for _, o := range one.Outputs {
			s.Outputs = append(s.Outputs, output{o.Name, o.Value})
		}
		for _, e := range one.Events {
			s.StackEvents = append(s.StackEvents, row{e.LogicalResourceId, e.PhysicalResourceId, e.ResourceType, e.ResourceStatus, e.ResourceStatusReason})
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
			q := sent[0]
			h.Requests = append(h.Requests, request{run.Path(q), step, q.RequestType, q.RequestID, q.PhysicalID, q.ServiceTimeout, withoutToken(q.Properties), withoutToken(q.OldProperties)})
			sent = sent[1:]
		}
	}
	return h
}

// text writes a history so that two of the same scenario can be compared: IDs are what they stand
// for, there are no times, and what does not depend on each other is in the order of the alphabet.
func (h *history) text(d depends) string {
	n := newNames(h)
	var b strings.Builder
	for _, text := range h.Refused {
		fmt.Fprintf(&b, "refused %s\n", n.readable(text))
	}
	b.WriteString("-- requests --\n")
	write(&b, normal(h.requestLines(n, d)))
	slices.SortStableFunc(h.Stacks, func(a, b stack) int { return cmp.Compare(a.Path, b.Path) })
	for _, s := range h.Stacks {
		fmt.Fprintf(&b, "-- rows of %s --\n", cmp.Or(s.Path, "the stack"))
		write(&b, normal(s.rowLines(n, d)))
		fmt.Fprintf(&b, "ends in %s %s\n", s.StackStatus, strconv.Quote(n.readable(s.StackStatusReason)))
		slices.SortFunc(s.Outputs, func(a, b output) int { return cmp.Compare(a.OutputKey, b.OutputKey) })
		for _, o := range s.Outputs {
			fmt.Fprintf(&b, "output %s %s\n", o.OutputKey, n.readable(o.OutputValue))
		}
	}
	return b.String()
}

// requestLines are the requests, and the steps between them.
func (h *history) requestLines(n *names, d depends) (lines []line) {
	step, known := 0, map[string]string{}
	for i := range h.Requests {
		r := &h.Requests[i]
		for ; step < r.Step; step++ {
			lines = append(lines, line{text: "step " + strconv.Itoa(step+1)})
		}
		text := fmt.Sprintf("%s %s %s", r.key(), cmp.Or(n.readable(r.PhysicalResourceId), "-"), n.readable(string(r.ResourceProperties)))
		if r.RequestType == "Update" {
			text += " old " + n.readable(string(r.OldResourceProperties))
		}
		if r.ServiceTimeout != "" {
			text += " ServiceTimeout " + r.ServiceTimeout
		}
		if first := known[r.RequestId]; first != "" {
			text += " with the RequestId of " + first
		} else {
			known[r.RequestId] = n.requests[r.RequestId]
		}
		removed := ""
		if r.RequestType == "Delete" {
			removed = r.PhysicalResourceId
		}
		lines = append(lines, line{r.Path, removed, text, d.of[min(r.Step, len(d.of)-1)]})
	}
	return lines
}

func (s *stack) rowLines(n *names, d depends) (lines []line) {
	for _, r := range s.StackEvents {
		text := r.ResourceStatus
		if r.ResourceStatusReason != "" {
			text += " " + strconv.Quote(n.readable(r.ResourceStatusReason))
		}
		if r.ResourceType == engine.StackType && r.PhysicalResourceId == s.StackId {
			lines = append(lines, line{text: "stack " + text})
			continue
		}
		removed := ""
		if strings.HasPrefix(r.ResourceStatus, "DELETE_") {
			removed = r.PhysicalResourceId
		}
		lines = append(lines, line{r.LogicalResourceId, removed, r.LogicalResourceId + " " + cmp.Or(n.readable(r.PhysicalResourceId), "-") + " " + text, d.all})
	}
	return lines
}

func write(b *strings.Builder, lines []line) {
	for _, l := range lines {
		b.WriteString(l.text + "\n")
	}
}

// withoutToken leaves out the ServiceToken, which is the topic's ARN.
func withoutToken(p engine.Properties) engine.Properties {
	if p == "" {
		return ""
	}
	values := p.Map()
	delete(values, "ServiceToken")
	text, _ := json.Marshal(values) // it was JSON
	return engine.Properties(text)
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
	// What each ID of a stack or a resource stands for.
	type pair struct{ id, means string }
	var pairs []pair
	var stackNames []string
	for _, s := range h.Stacks {
		pairs = append(pairs, pair{s.StackId, "<" + cmp.Or(s.Path, "StackId") + ">"})
		n.paths[s.StackName] = s.Path
		stackNames = append(stackNames, regexp.QuoteMeta(s.StackName))
		for _, r := range s.StackEvents {
			// A custom resource's ID is the scenario's own, and a stack's stands for its path.
			hasOtherID := r.ResourceType == engine.StackType || engine.IsCustomResource(r.ResourceType)
			isKnown := slices.ContainsFunc(pairs, func(p pair) bool { return p.id == r.PhysicalResourceId })
			if r.PhysicalResourceId == "" || hasOtherID || isKnown {
				continue
			}
			n.count[r.LogicalResourceId]++
			pairs = append(pairs, pair{r.PhysicalResourceId, fmt.Sprintf("<%s %d>", r.LogicalResourceId, n.count[r.LogicalResourceId])})
		}
	}
	// What each RequestId stands for.
	count := map[string]int{}
	for i := range h.Requests {
		r := &h.Requests[i]
		count[r.key()]++
		if n.requests[r.RequestId] == "" {
			n.requests[r.RequestId] = fmt.Sprintf("#%s %d", r.key(), count[r.key()])
			pairs = append(pairs, pair{r.RequestId, n.requests[r.RequestId]})
		}
	}
	// An ID that contains another is replaced first.
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

var (
	account = regexp.MustCompile(`\b[0-9]{12}\b`)
	url     = regexp.MustCompile(`https?://[^\s"]+`)
	listed  = regexp.MustCompile(`\[\w+(?:, \w+)+\]`)
)

// readable puts what IDs stand for in their place.
func (n *names) readable(text string) string {
	text = account.ReplaceAllString(url.ReplaceAllString(n.exact.Replace(text), "<URL>"), "111111111111")
	text = n.madeUp.ReplaceAllStringFunc(text, func(id string) string {
		if n.ordinal[id] == "" {
			m := n.madeUp.FindStringSubmatch(id)
			form := "13 upper-case"
			if len(m[3]) == 12 {
				form = "12 mixed-case"
			}
			path := strings.TrimPrefix(n.paths[m[1]]+"."+m[2], ".")
			n.count[path]++
			n.ordinal[id] = fmt.Sprintf("<made up for %s: %s, %d>", path, form, n.count[path])
		}
		return n.ordinal[id]
	})
	for name, path := range n.paths { // as in a refusal
		text = strings.ReplaceAll(text, "["+name+"]", "[<"+cmp.Or(path, "StackId")+">]")
	}
	// CloudFormation lists the failed resources in an order of its own.
	return listed.ReplaceAllStringFunc(text, func(list string) string {
		all := strings.Split(strings.Trim(list, "[]"), ", ")
		slices.Sort(all)
		return "[" + strings.Join(all, ", ") + "]"
	})
}

// look reads what came of the stack, and of those that are nested in it.
func (p *play) look(ctx context.Context) error {
	if p.rootID == "" {
		return nil
	}
	ids := []string{p.rootID}
	for i := 0; i < len(ids); i++ {
		s, nested, err := p.lookAt(ctx, ids[i])
		if err != nil {
			return err
		}
		p.history.Stacks, ids = append(p.history.Stacks, s), append(ids, nested...)
	}
	return p.noteUpdated(ctx, p.rootID, "")
}

func (p *play) lookAt(ctx context.Context, id string) (s stack, nested []string, err error) {
	out, err := p.client.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: &id})
	if err != nil {
		return s, nil, err
	}
	described := out.Stacks[0]
	s = stack{Path: p.pathOf(id, ""), StackId: id, StackName: *described.StackName, StackStatus: string(described.StackStatus), StackStatusReason: aws.ToString(described.StackStatusReason)}
	for _, o := range described.Outputs {
		s.Outputs = append(s.Outputs, output{*o.OutputKey, aws.ToString(o.OutputValue)})
	}
	pages := cloudformation.NewDescribeStackEventsPaginator(p.client, &cloudformation.DescribeStackEventsInput{StackName: &id})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return s, nil, err
		}
		for _, e := range page.StackEvents { // the newest is first
			s.StackEvents = append(s.StackEvents, row{aws.ToString(e.LogicalResourceId), aws.ToString(e.PhysicalResourceId), aws.ToString(e.ResourceType), string(e.ResourceStatus), aws.ToString(e.ResourceStatusReason)})
		}
	}
	slices.Reverse(s.StackEvents)
	for _, r := range s.StackEvents {
		isOther := r.ResourceType == engine.StackType && r.PhysicalResourceId != id
		isKnown := r.PhysicalResourceId == "" || slices.Contains(nested, r.PhysicalResourceId)
		if isOther && !isKnown {
			nested = append(nested, r.PhysicalResourceId)
		}
	}
	return s, nested, nil
}
