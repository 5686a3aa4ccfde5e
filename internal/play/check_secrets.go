package play

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/answercheck"
	"github.com/cfnresource/sdk-go/internal/capture"
	"github.com/cfnresource/sdk-go/internal/redact/forms"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// minSecret is the length in bytes from which on a secret is looked for.
const minSecret = 4

// secretsStayOut plays operations with and without faults, and looks for secrets in
// the answers, the log and the output.
func secretsStayOut(s *suite) error {
	answers := s.newRunOf(s.Properties).allAnswers()
	for _, a := range answers {
		for _, name := range slices.Sorted(maps.Keys(a.Data)) {
			if text, is := a.Data[name].(string); is && text != "" && !a.NoEcho && secretName.MatchString(name) {
				return &ruleError{seen: fmt.Sprintf("Data has %s without NoEcho: tag the field secret, or rename it if it is no secret", name)}
			}
		}
	}
	secrets := s.secrets()
	if len(secrets) == 0 && len(s.returnedSecrets(answers)) == 0 {
		return missingError("no property is tagged secret, or the function does not tell its handler's type: set the Contract's Secrets, if there are any, including those that only Data has")
	}
	if err := s.lookFor(secrets); err != nil {
		return err
	}
	with, parts := s.madeUpSecret()
	if with == nil {
		return nil
	}
	other := *s
	other.Properties, other.InPlace, other.Replacing, other.Refused = with, nil, nil, nil
	if err, _ := other.lookFor(parts).(*ruleError); err != nil {
		err.seen += ", or a part of it"
		return err
	}
	return nil
}

// returnedSecrets returns the attributes that are tagged secret, or called as secrets are, of answers with NoEcho: each
// Create may make others.
func (s *suite) returnedSecrets(answers []answercheck.Response) (secrets []string) {
	tagged := s.handler.secretAttributes()
	for _, a := range answers {
		for name, value := range a.Data {
			isSecret := slices.Contains(tagged, name) || secretName.MatchString(name)
			if text, is := value.(string); is && isSecret && a.NoEcho && len(text) >= 2*minSecret {
				secrets = append(secrets, text)
			}
		}
	}
	return secrets
}

// secretName matches what attributes are called that hold secrets.
var secretName = regexp.MustCompile(`(?i)(password|passphrase|secret|secret_?key|private_?key|secret_?access_?key|api_?key|(access|auth|api)_?token)$`)

// madeUpSecret returns Properties with a secret that appears nowhere else, and parts of the secret: a few of its
// characters in a log are too many.
func (s *suite) madeUpSecret() (with any, parts []string) {
	const text, part = "Qz7vKx2mWp4R9tLd8cHsB3nYf6Gj", 6
	secrets := s.secretsOf(original)
	for _, path := range slices.Sorted(maps.Keys(secrets)) {
		if secrets[path] == "" || strings.Contains(path, ".") {
			continue
		}
		props := replaced(s.properties(original), []string{path}, text)
		if a := s.newRun().deliver(s.createEvent(props)); a.Status != "SUCCESS" {
			continue
		}
		for i := range len(text) - part + 1 {
			parts = append(parts, text[i:i+part])
		}
		return props, parts
	}
	return nil, nil
}

// account is the one in the ARNs of events, which the log of each event shows.
const account = "123456789012"

// lookFor looks for secrets in all that a handler lets out.
func (s *suite) lookFor(secrets []string) error {
	holds := func(text string, forms []string) bool {
		return holds(strings.ReplaceAll(text, account, "ACCOUNT"), forms)
	}
	known := formsOf(secrets)
	for _, history := range s.loggedHistories() {
		r := s.newRun()
		printed := capture.Prints(func() { history(r) })
		r.err = nil // other checks report it
		secrets := slices.Concat(known, formsOf(s.returnedSecrets(r.allAnswers())))
		for _, a := range r.allAnswers() { // first, since stories show Reason and ID
			switch {
			case holds(a.Reason, secrets):
				return &ruleError{seen: "the Reason of the " + a.Status + " answer holds a secret. The story is left out, since it shows the Reason"}
			case holds(a.PhysicalResourceID, secrets):
				return &ruleError{seen: "a physical ID holds a secret. The story is left out, since it shows the ID"}
			}
		}
		if holds(s.log.Take(), secrets) {
			return r.failf("the log holds a secret")
		}
		if holds(printed, secrets) {
			return r.failf("standard output or standard error, which Lambda logs, holds a secret")
		}
		for _, a := range r.allAnswers() {
			if !a.NoEcho && holds(fmt.Sprint(a.Data), secrets) {
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
		for _, f := range failures(fault.FailAtStep, steps) {
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
		for _, text := range s.handler.secretsIn(props) {
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

// formsOf returns the forms in which secrets stand in texts. They are written here, and not undone as
// package redact does it: a form that the SDK itself cannot undo is reported.
func formsOf(secrets []string) (all []string) {
	for _, secret := range secrets {
		all = append(all, forms.Of(secret)...)
	}
	return all
}

// holds reports whether a text contains one of the forms of the secrets.
func holds(text string, forms []string) bool {
	return slices.ContainsFunc(forms, func(form string) bool { return strings.Contains(text, form) })
}
