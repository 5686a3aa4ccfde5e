package play

import (
	"fmt"
	"reflect"

	"github.com/cfnresource/sdk-go/internal/capture"
	"github.com/cfnresource/sdk-go/internal/properties"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// minSecret is the length in bytes from which on a secret is looked for.
const minSecret = 4

// secretsStayOut plays operations with and without faults, and looks for secrets in
// the answers, the log and the output.
func secretsStayOut(s *suite) error {
	secrets := s.secrets()
	if len(secrets) == 0 {
		return missingError("no property is tagged secret: set the Contract's Secrets, if there are any, also those that only Data has")
	}
	for _, history := range s.loggedHistories() {
		r := s.newRun()
		printed := capture.Prints(func() { history(r) })
		r.err = nil                        // other checks report it
		for _, a := range r.allAnswers() { // first, since stories show Reason and ID
			switch {
			case capture.Holds(a.Reason, secrets):
				return &ruleError{seen: "the Reason of an answer holds a secret, which the story would show"}
			case capture.Holds(a.PhysicalResourceID, secrets):
				return &ruleError{seen: "a physical ID holds a secret, which the story would show"}
			}
		}
		if capture.Holds(s.log.Take(), secrets) {
			return r.failf("the log holds a secret")
		}
		if capture.Holds(printed, secrets) {
			return r.failf("what is printed on standard output or standard error, which Lambda logs, holds a secret")
		}
		for _, a := range r.allAnswers() {
			if !a.NoEcho && capture.Holds(fmt.Sprint(a.Data), secrets) {
				return r.failf("Data holds a secret without NoEcho: tag the field secret")
			}
		}
	}
	return nil
}

// loggedHistories returns histories in which a handler may log or return errors.
func (s *suite) loggedHistories() (histories []func(r *run)) {
	histories = append(histories, func(r *run) {
		for _, props := range []any{s.Properties, s.InPlace, s.Replacing} {
			if props != nil && r.status() != lifecycle.StackRollbackComplete {
				r.deploy(props)
			}
		}
		r.destroy()
	})
	if s.Refused != nil {
		histories = append(histories,
			func(r *run) { r.deploy(s.Refused) },
			func(r *run) { r.deploy(s.Properties); r.deploy(s.Refused) })
	}
	for _, t := range s.tasks() {
		if t.to == nil || t.replaces {
			continue
		}
		steps, err := s.stepsOf(t)
		if err != nil {
			continue // another check reports it
		}
		for _, f := range failures(simulate.FailAtStep, steps) {
			f.Request = t.request
			histories = append(histories, func(r *run) {
				if t.from != nil {
					r.deploy(t.from)
				}
				r.inject(f)
				r.deploy(t.to)
			})
		}
	}
	return histories
}

// secrets returns the texts to look for: those of the Contract, and the values
// of fields tagged secret.
func (s *suite) secrets() (texts []string) {
	found := idSet{}
	for _, text := range s.Secrets {
		found.add(text)
	}
	for _, props := range given(s.Properties, s.InPlace, s.Replacing, s.Refused) {
		schema, err := properties.SchemaOf(reflect.TypeOf(props))
		if err != nil { // no handler can decode this type
			continue
		}
		for _, text := range schema.Secrets(simulate.JSON(simulate.Properties(props)), props) {
			found.add(text)
		}
	}
	for text := range found {
		if len(text) >= minSecret {
			texts = append(texts, text)
		}
	}
	return texts
}
