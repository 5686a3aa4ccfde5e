package play

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/internal/output"
	"github.com/cfnresource/sdk-go/internal/properties"
	"github.com/cfnresource/sdk-go/internal/simulate"
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
		printed := output.Prints(func() { history(r) })
		r.err = nil                        // other checks report it
		for _, a := range r.allAnswers() { // first, since stories show Reason and ID
			switch {
			case containsSecret(a.Reason, secrets):
				return &ruleError{seen: "the Reason of an answer holds a secret, which the story would show"}
			case containsSecret(a.PhysicalResourceID, secrets):
				return &ruleError{seen: "a physical ID holds a secret, which the story would show"}
			}
		}
		if containsSecret(s.log.Take(), secrets) {
			return r.failf("the log holds a secret")
		}
		if containsSecret(printed, secrets) {
			return r.failf("what is printed on standard output or standard error, which Lambda logs, holds a secret")
		}
		for _, a := range r.allAnswers() {
			if !a.NoEcho && containsSecret(fmt.Sprint(a.Data), secrets) {
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
			if props != nil && r.status() != "ROLLBACK_COMPLETE" {
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
	for _, props := range []any{s.Properties, s.InPlace, s.Replacing, s.Refused} {
		if props == nil {
			continue
		}
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

// containsSecret reports whether a text contains one of the secrets, as it is or in a
// common encoding.
func containsSecret(text string, secrets []string) bool {
	for _, secret := range secrets {
		raw := []byte(secret)
		quoted, escaped := strconv.Quote(secret), string(simulate.JSON(secret))
		for _, form := range []string{
			secret, quoted[1 : len(quoted)-1], escaped[1 : len(escaped)-1],
			url.QueryEscape(secret), url.PathEscape(secret), hex.EncodeToString(raw),
			strings.TrimRight(base32.StdEncoding.EncodeToString(raw), "="), strings.TrimRight(base64.StdEncoding.EncodeToString(raw), "="), base64.RawURLEncoding.EncodeToString(raw),
			strings.Trim(fmt.Sprintf("%d", raw), "[]"),
		} {
			if strings.Contains(text, form) {
				return true
			}
		}
	}
	return false
}
