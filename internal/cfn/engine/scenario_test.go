package engine

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what the scenarios expect, and the table of them")

// A scenario is a file in the txtar format. Its comment begins with lines of the form
// "Key: value": Rows (the rows of the table it shows), Title, Label, Source, and
// Options (fields of Options as a JSON object). Its files are templates v1, v2, …
// and
//
// Resources of nested stacks are named as in Child.R; a resource
//
//	Child AWS::CloudFormation::Stack {"TemplateURL": "v2", "Parameters": {"Size": 1}}
//
// is one that is made from the template v2, with its $Size replaced.
//
//	play      one step a line:
//	            create T [preserve] [express] [express-rollback] [on-failure=DELETE] [retain-except-on-create] [protect]
//	            update T [preserve] [express] [express-rollback] [retain-except-on-create]
//	            delete [retain=R,…] [force]
//	            cancel | rollback [retain-except-on-create] | continue [skip=R,…] | review
//	            drain        until nothing is under way
//	          "after 5s STEP" does the step so long after the one before it
//	          began; the others wait until the stack is at rest
//	answers   what the handler says, one a line, each used once and in order:
//	            R Create SUCCESS ID [Data={…}] [NoEcho]
//	            R Create FAILED ID [Reason=word]
//	            R Create none
//	            R Create raw TEXT     as it is, with {StackId}, {RequestId} and {LogicalResourceId} put in
//	            R Create refuse TEXT  the function cannot be called
//	          and [after=5s] [takes=5s] [lost] [again=5s] of the delivery;
//	          without a line a request is answered SUCCESS after a second, with
//	          its own ID, or for a Create with the logical ID and a number
//	stand-ins R Create fail TEXT | R Update replace | R Create id TEXT | R Create unmade TEXT
//	requests  expected
//	events    expected
//	end       expected: status, resources, outputs, what is left
type scenario struct {
	name, title, label, source string
	rows                       []string
	options                    Options
	templates                  map[string]*Template
	texts                      map[string]string // of the templates
	steps                      []string
	answers, standIns          map[string][]string
	archive                    *archive
}

func readScenario(file string) (*scenario, error) {
	a, err := readArchive(file)
	if err != nil {
		return nil, err
	}
	s := &scenario{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), archive: a, templates: map[string]*Template{}, texts: map[string]string{},
		answers: map[string][]string{}, standIns: map[string][]string{}}
	// What the scenario is about.
	for line := range strings.Lines(a.comment) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "Rows":
			if s.rows = strings.Fields(value); s.rows[0] == "-" {
				s.rows = nil
			}
		case "Title":
			s.title = value
		case "Label":
			s.label = value
		case "Source":
			s.source = value
		case "Options":
			if err := json.Unmarshal([]byte(value), &s.options); err != nil {
				return nil, err
			}
		}
	}
	if s.title == "" || s.label == "" || s.source == "" {
		return nil, errors.New("the comment lacks a Title, a Label or a Source")
	}
	// What is done, what is answered, and the templates.
	for _, f := range a.files {
		switch f.name {
		case "play":
			s.steps = lines(f.data)
		case "answers":
			for _, l := range lines(f.data) {
				who := strings.Fields(l)
				key := who[0] + " " + who[1]
				s.answers[key] = append(s.answers[key], strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(l, who[0]+" "), who[1]+" ")))
			}
		case "stand-ins":
			for _, l := range lines(f.data) {
				who := strings.SplitN(l, " ", 3)
				s.standIns[who[0]+" "+who[1]] = append(s.standIns[who[0]+" "+who[1]], who[2])
			}
		case "requests", "events", "end":
		default:
			s.texts[f.name] = f.data
			if s.templates[f.name], err = parseTemplate(f.data); err != nil {
				return nil, fmt.Errorf("template %s: %w", f.name, err)
			}
		}
	}
	return s, nil
}

func lines(text string) (all []string) {
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") {
			all = append(all, l)
		}
	}
	return all
}

// TestScenarios plays each sequence of requests that is known, and says where
// AWS's behaviour is not.
func TestScenarios(t *testing.T) {
	for _, file := range scenarioFiles(t) {
		s, err := readScenario(file)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		t.Run(s.name, func(t *testing.T) {
			p, err := s.run(nil)
			if err != nil {
				t.Fatal(err)
			}
			got := p.expectations()
			if *update {
				s.write(t, file, got)
				return
			}
			for _, name := range []string{"requests", "events", "end"} {
				if diff := gocmp.Diff(section(s.archive, name), got[name]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

func scenarioFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/scenarios/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios", err)
	}
	return files
}

func section(a *archive, name string) string {
	for _, f := range a.files {
		if f.name == name {
			return f.data
		}
	}
	return ""
}

func (s *scenario) write(t *testing.T, file string, got map[string]string) {
	t.Helper()
	a := &archive{comment: s.archive.comment}
	for _, f := range s.archive.files {
		if _, expected := got[f.name]; !expected {
			a.files = append(a.files, f)
		}
	}
	for _, name := range []string{"requests", "events", "end"} {
		a.files = append(a.files, archived{name, got[name]})
	}
	if err := os.WriteFile(file, a.format(), 0o644); err != nil {
		t.Fatal(err)
	}
}

var requestID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)

// expectations renders what a scenario run came to. RequestIds are written as
// the number of their request, counted from 1.
func (p *scenarioRun) expectations() map[string]string {
	s := p.player.Machine.Stack()
	// IDs are written as what they stand for.
	number := map[string]string{}
	for i, r := range s.Sent() {
		number[r.RequestID] = "#" + strconv.Itoa(i+1)
	}
	byID := map[string]*Stack{}
	for _, one := range s.All() {
		byID[one.ID] = one
	}
	readable := func(text string) string {
		for id, one := range byID {
			if one != s {
				text = strings.ReplaceAll(text, id, "<"+one.Path+">")
			}
		}
		text = requestID.ReplaceAllStringFunc(text, func(id string) string { return cmp.Or(number[id], id) })
		return strings.ReplaceAll(text, s.ID, "<StackId>")
	}
	at := func(t time.Time) string { return fmt.Sprintf("%6s", t.Sub(start).Truncate(time.Second)) }
	// The requests, the rows, and the state at the end.
	var requests, events, end strings.Builder
	for i, r := range s.Sent() {
		fmt.Fprintf(&requests, "%s #%d %s %s %s %s", at(r.SentAt), i+1, r.RequestType, p.path(r), cmp.Or(r.PhysicalID, "-"), withoutToken(r.Properties))
		if r.RequestType == "Update" {
			fmt.Fprintf(&requests, " old %s", withoutToken(r.OldProperties))
		}
		fmt.Fprintf(&requests, " => %s", cmp.Or(string(r.Outcome), "Pending"))
		if len(r.Late) > 0 {
			fmt.Fprintf(&requests, ", answered too late")
		}
		requests.WriteByte('\n')
	}
	for _, e := range s.Rows(nil) {
		who := e.Name + " " + cmp.Or(readable(e.PhysicalResourceId), "-")
		if e.OfStack() {
			who = strings.TrimSpace("stack " + byID[e.StackId].Path)
		}
		line := fmt.Sprintf("%s %s %s", at(e.Timestamp), who, e.ResourceStatus)
		if e.ResourceStatusReason != "" {
			line += " " + strconv.Quote(readable(e.ResourceStatusReason))
		}
		events.WriteString(line + "\n")
	}
	for _, r := range p.refused {
		fmt.Fprintf(&end, "refused %s\n", readable(r))
	}
	for _, one := range s.All() {
		if one != s {
			fmt.Fprintf(&end, "stack %s ", one.Path)
		}
		fmt.Fprintf(&end, "%s %s\n", cmp.Or(one.Status, "(none)"), strconv.Quote(readable(one.StatusReason)))
		for _, r := range one.Resources {
			fmt.Fprintf(&end, "%s %s %s %s\n", one.PathOf(r.LogicalID), cmp.Or(readable(r.PhysicalID), "-"), r.Status, withoutToken(r.Properties))
		}
		for _, o := range one.Outputs {
			fmt.Fprintf(&end, "output %s %s\n", one.PathOf(o.Name), readable(o.Value))
		}
		for _, l := range one.Left {
			fmt.Fprintf(&end, "left %s %s: %s\n", one.PathOf(l.LogicalID), readable(l.PhysicalID), readable(l.Why))
		}
	}
	if err := checkReadable(s); err != nil {
		fmt.Fprintf(&end, "DescribeStackEvents: %v\n", err)
	}
	return map[string]string{"requests": requests.String(), "events": events.String(), "end": end.String()}
}

// checkReadable returns the error of DescribeStackEvents if a handler's Reason has
// brought control characters into the events, which nobody can read after
// that [O].
func checkReadable(s *Stack) error {
	for _, e := range s.Events {
		if strings.ContainsFunc(e.ResourceStatusReason, func(r rune) bool { return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0x7f }) {
			return fmt.Errorf("the response contains control characters or otherwise invalid characters: the Reason of %s", e.LogicalResourceId)
		}
	}
	return nil
}
