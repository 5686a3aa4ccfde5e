package enginetest

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Step is a line of a scenario's play.
type Step struct {
	Text     string        // the line, without the delay
	Breaks   bool          // it does not wait for the stack to be at rest
	After    time.Duration // if it Breaks in: since the step before it
	Action   string        // create, update, and so on
	Template string        // of a create or an update
	// Deployment has the options of a create, an update or a rollback, and no template.
	Deployment   engine.Deployment
	Retain, Skip []string
	Force        bool
}

func parseStep(line string) (s Step, err error) {
	// When it is taken.
	if rest, ok := strings.CutPrefix(line, "after "); ok {
		delay, what, _ := strings.Cut(rest, " ")
		if s.After, err = time.ParseDuration(delay); err != nil {
			return s, err
		}
		s.Breaks, line = true, what
	}

	// What is done.
	s.Text = line
	words := strings.Fields(line)
	if len(words) == 0 {
		return s, errors.New("a step says when, and not what")
	}
	s.Action = words[0]

	// With which options, and which template.
	d := &s.Deployment
	for _, w := range words[1:] {
		key, value, assigned := strings.Cut(w, "=")
		switch key {
		case "express":
			d.Express = true
		case "express-rollback":
			d.Express, d.ExpressRollback = true, true
		case "preserve":
			d.DisableRollback = true
		case "on-failure":
			d.OnFailure = value
		case "retain-except-on-create":
			d.RetainExceptOnCreate = true
		case "protect":
			d.TerminationProtection = true
		case "retain":
			s.Retain = strings.Split(value, ",")
		case "skip":
			s.Skip = strings.Split(value, ",")
		case "force":
			s.Force = true
		default:
			if assigned || s.Template != "" {
				return s, fmt.Errorf("%s: %s is not known", line, w)
			}
			s.Template = w
		}
	}
	return s, nil
}
