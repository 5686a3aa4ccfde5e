package enginetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Scenario is a file in the txtar format. Its comment begins with lines of the form "Key: value":
// Rows (the rows of the table it shows), Title, Label, Source, and Options (fields of
// engine.Options as a JSON object). Its files are templates v1, v2, … and
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
type Scenario struct {
	Name, Title, Label, Source string
	Rows                       []string
	Options                    engine.Options
	Texts                      map[string]string // of the templates
	Steps                      []Step
	Answers                    map[string][]Answer // by the resource's path and the type of the request
	StandIns                   map[string][]string // as Answers
	Archive                    *txtar.Archive
}

// ReadScenario reads a scenario's file.
func ReadScenario(file string) (*Scenario, error) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		return nil, err
	}
	s := &Scenario{Name: strings.TrimSuffix(filepath.Base(file), ".txtar"), Archive: a, Texts: map[string]string{}, Answers: map[string][]Answer{}, StandIns: map[string][]string{}}
	if err := s.readComment(string(a.Comment)); err != nil {
		return nil, err
	}
	// What is done, what is answered, and the templates.
	for _, f := range a.Files {
		text := string(f.Data)
		switch f.Name {
		case "play":
			for _, l := range lines(text) {
				step, err := parseStep(l)
				if err != nil {
					return nil, err
				}
				s.Steps = append(s.Steps, step)
			}
		case "answers":
			for _, l := range lines(text) {
				key, rest := keyOf(l)
				answer, err := parseAnswer(rest)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", l, err)
				}
				s.Answers[key] = append(s.Answers[key], answer)
			}
		case "stand-ins":
			for _, l := range lines(text) {
				key, rest := keyOf(l)
				s.StandIns[key] = append(s.StandIns[key], rest)
			}
		case "requests", "events", "end":
		default:
			if _, err := ParseTemplate(text); err != nil {
				return nil, fmt.Errorf("template %s: %w", f.Name, err)
			}
			s.Texts[f.Name] = text
		}
	}
	return s, nil
}

// readComment reads what the scenario is about.
func (s *Scenario) readComment(text string) error {
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "Rows":
			if value != "-" {
				s.Rows = strings.Fields(value)
			}
		case "Title":
			s.Title = value
		case "Label":
			s.Label = value
		case "Source":
			s.Source = value
		case "Options":
			if err := json.Unmarshal([]byte(value), &s.Options); err != nil {
				return err
			}
		}
	}
	if s.Title == "" || s.Label == "" || s.Source == "" {
		return errors.New("the comment lacks a Title, a Label or a Source")
	}
	return nil
}

// Section returns the text of one of the scenario's files, or "".
func (s *Scenario) Section(name string) string {
	for _, f := range s.Archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// keyOf cuts a line after the resource's path and the type of the request.
func keyOf(line string) (key, rest string) {
	path, rest, _ := strings.Cut(line, " ")
	kind, rest, _ := strings.Cut(strings.TrimSpace(rest), " ")
	return path + " " + kind, strings.TrimSpace(rest)
}

func lines(text string) (all []string) {
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") {
			all = append(all, l)
		}
	}
	return all
}
