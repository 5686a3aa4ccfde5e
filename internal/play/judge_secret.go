package play

// Judges what must not be told, in every history: secrets in answers and, where it is listened to, in what the handler writes;
// and whether the service has the secrets that the template says.

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cfnresource/sdk-go/internal/answercheck"
	"github.com/cfnresource/sdk-go/internal/redact/forms"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// secretsCheck is the name of the check that reports what is told.
const secretsCheck = "secrets-stay-out-of-log"

// minSecret is the length in bytes from which on a secret is looked for.
const minSecret = 4

// secretName matches what attributes are called that hold secrets.
var secretName = regexp.MustCompile(`(?i)(password|passphrase|secret|secret_?key|private_?key|secret_?access_?key|api_?key|(access|auth|api)_?token)$`)

// judgeTold judges that no answer of a request tells a secret. The story shows Reasons and IDs.
func (h *historyRun) judgeTold(op operation, r simulate.Request) {
	for _, d := range r.Deliveries {
		if d.Response == nil {
			continue
		}
		a := *d.Response
		h.noteReturned(a)
		// The first place where it is told is enough.
		switch plain := plainSecret(a); {
		case h.holdsSecret(a.Reason):
			h.tells(op, "The Reason of the "+a.Status+" answer holds "+h.whichSecret()+". The story is left out, since it shows the Reason.")
		case h.holdsSecret(a.PhysicalResourceID):
			h.tells(op, "A physical ID holds "+h.whichSecret()+". The story is left out, since it shows the ID.")
		case plain != "":
			h.record(secretTold, op, "Data has %s without NoEcho: tag the field secret, or rename it if it is no secret.", plain)
		case !a.NoEcho && h.holdsSecret(fmt.Sprint(a.Data)):
			h.record(secretTold, op, "Data holds %s without NoEcho: tag the field secret, or leave the secret out of it.", h.whichSecret())
		}
	}
}

// tells records that a secret is told in what the story shows.
func (h *historyRun) tells(op operation, text string) {
	h.record(secretTold, op, "%s", text)
	for _, f := range h.inAnswers {
		if f.harm == secretTold && strings.HasPrefix(f.detail, text) {
			f.story, f.page, f.log = "", nil, ""
		}
	}
}

// judgeWritten judges that the handler has written no secret, where it is listened to. Only then is each history played by
// itself: neither the log nor the output says whose a line is.
func (h *historyRun) judgeWritten() {
	h.hasSecrets = len(h.c.secretForms())+len(h.returnedSecrets) > 0
	if !h.how.hears {
		return
	}
	h.heard = true
	last, before := h.History[len(h.History)-1], len(h.inAnswers)
	switch {
	case h.holdsSecret(h.how.log.Of(h)):
		h.record(secretTold, last, "The log holds %s.", h.whichSecret())
	case h.holdsSecret(h.printed):
		h.record(secretTold, last, "Standard output or standard error, which Lambda logs, holds %s.", h.whichSecret())
	}
	for _, f := range h.inAnswers[before:] {
		f.written, f.log = true, ""
	}
}

// plainSecret returns the name of an attribute that is called as secrets are and is not hidden, or "".
func plainSecret(a answercheck.Response) string {
	if a.NoEcho {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(a.Data)) {
		if text, _ := a.Data[name].(string); text != "" && secretName.MatchString(name) {
			return name
		}
	}
	return ""
}

// noteReturned notes the attributes that are tagged secret, or called as secrets are, of an answer with NoEcho: each
// Create may make others.
func (h *historyRun) noteReturned(a answercheck.Response) {
	if !a.NoEcho {
		return
	}
	tagged := h.c.handler.secretAttributes()
	// Texts that are short stand in other words by chance.
	for name, value := range a.Data {
		isSecret := slices.Contains(tagged, name) || secretName.MatchString(name)
		text, _ := value.(string)
		isNoted := slices.ContainsFunc(h.returnedSecrets, func(r returnedSecret) bool { return r.text == text }) // each answer of a resource has them
		if isSecret && !isNoted && len(text) >= 2*minSecret {
			h.returnedSecrets = append(h.returnedSecrets, newReturnedSecret(text))
		}
	}
}

// A returnedSecret is one in Data. Most handlers make another one in each Create, so that its forms, which take long to write,
// serve one history: they are written only for a text that holds one of its beginning.
type returnedSecret struct {
	text       string
	beginnings []string        // the forms of its first characters
	forms      func() []string // its forms, written once
}

func newReturnedSecret(text string) returnedSecret {
	return returnedSecret{text, forms.Of(forms.Beginning(text)), sync.OnceValue(func() []string { return forms.Of(text) })}
}

// isIn reports whether a text holds the secret.
func (r returnedSecret) isIn(text string) bool {
	return holds(text, r.beginnings) && holds(text, r.forms())
}

// holdsSecret reports whether a text holds what must not be told in a history.
func (h *historyRun) holdsSecret(text string) bool {
	if text == "" {
		return false
	}
	if holds(text, h.c.secretForms()) || slices.ContainsFunc(h.returnedSecrets, func(r returnedSecret) bool { return r.isIn(text) }) {
		return true
	}
	return h.tellsMadeUp() && holds(text, h.c.madeUpForms())
}

// whichSecret says what is told.
func (h *historyRun) whichSecret() string {
	if h.tellsMadeUp() {
		return "a secret, or a part of it"
	}
	return "a secret"
}

// secretForms returns the forms of the texts to look for: those of the Contract, and the values of fields tagged secret.
func (c *Contract) secretForms() []string {
	all, _ := c.once("secrets", func() any {
		found := slices.Clone(c.Secrets)
		for _, props := range given(c.Properties, c.InPlace, c.Replacing, c.Refused) {
			found = append(found, c.handler.secretsIn(props)...)
		}
		found = slices.DeleteFunc(found, func(text string) bool { return len(text) < minSecret })
		slices.Sort(found)
		return formsOf(slices.Compact(found))
	}).([]string)
	return all
}

// madeUp is the kind of a secret that appears nowhere else; it is of no table. A few of its characters in a log are too
// many.
const (
	madeUp     = "made-up"
	madeUpText = "Qz7vKx2mWp4R9tLd8cHsB3nYf6Gj"
	madeUpPart = 6
)

// madeUpForms returns the forms of what must not be told of such a secret.
func (c *Contract) madeUpForms() []string {
	all, _ := c.once("made-up secret", func() any {
		var parts []string
		for i := range len(madeUpText) - madeUpPart + 1 {
			parts = append(parts, madeUpText[i:i+madeUpPart])
		}
		return formsOf(parts)
	}).([]string)
	return all
}

// tellsMadeUp reports whether a version of the history has such a secret.
func (h *historyRun) tellsMadeUp() bool {
	return slices.ContainsFunc(h.History, func(op operation) bool { return kindOf(op.What).name == madeUp })
}

// withMadeUp returns properties with such a secret, or nil if there is none at the path.
func (c *Contract) withMadeUp(base, path string) any {
	if c.secretsOf(base)[path] == "" || strings.Contains(path, ".") {
		return nil
	}
	return replaced(c.properties(base), []string{path}, madeUpText)
}

// tellsAPart plays the lines of the check once more with a secret of which each part can be told from all else, and says what
// is missing if there are no secrets.
func tellsAPart(s *suite, k *check, x *explorer) error {
	if !x.hasSecrets {
		return missingError("no property is tagged secret, or the function does not tell its handler's type: set the Contract's Secrets, if there are any, including those that only Data has")
	}
	for _, path := range slices.Sorted(maps.Keys(s.secretsOf(original))) {
		made := operation{What: change{Path: path, Kind: madeUp}.in(original)}
		switch {
		case s.version(made.What) == nil, x.learn(made.What) != nil, x.seen[made.What].refusal != nil:
			continue
		}

		// One such secret is enough: what tells a part of one does so with each.
		for _, line := range s.madeUpLines(k, made) {
			all, _ := x.meant(line)
			for _, h := range all {
				if f := x.brokenBy(k, x.once(h, playing{log: x.log, hears: true})); f != nil {
					return s.failure(f)
				}
			}
		}
		return nil
	}
	return nil
}

// madeUpLines returns the lines of a check that are of Properties alone, with a change.
func (s *suite) madeUpLines(k *check, made operation) (lines []history) {
	for _, line := range k.lines {
		if len(line) == 1 && line[0].What == original {
			lines = append(lines, history{{What: made.What, Variant: line[0].Variant, Fault: line[0].Fault}})
		}
	}
	return lines
}

// account is the one in the ARNs of events, which the log of each event shows.
const account = "123456789012"

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
	text = strings.ReplaceAll(text, account, "ACCOUNT")
	return slices.ContainsFunc(forms, func(form string) bool { return strings.Contains(text, form) })
}

// judgeSecrets judges that the service accepts the settled template's secrets, and none of the others.
func (h *historyRun) judgeSecrets(op operation) {
	if h.service.Accepts == nil {
		return
	}
	want := h.c.secretsOf(h.Version)
	wanted := map[string]bool{}
	for _, secret := range want {
		wanted[secret] = true
	}

	// All of the history, since an Update that went wrong may have set one of them.
	for _, of := range slices.Concat(history{{What: h.Version}}, h.History) {
		for path, secret := range h.c.secretsOf(of.What) {
			if secret == "" {
				continue
			}
			isAccepted := h.service.Accepts(h.id, secret)
			switch {
			case isAccepted == wanted[secret]: // by another property, a secret of before may be due
			case isAccepted:
				h.record(secretUnset, op, "The service still accepts the %s of %s for %s.", path, of.What, h.id)
			case want[path] == secret:
				h.record(secretUnset, op, "The service does not accept the %s of %s for %s.", path, of.What, h.id)
			}
		}
	}
}

// secretSign returns a sign of what became of a secret that the service does not accept, or "".
func (h *historyRun) secretSign(what harm) string {
	if what != secretUnset {
		return ""
	}
	paths := slices.Sorted(maps.Keys(h.c.secretsOf(h.Version)))
	for _, of := range slices.Concat(history{{What: h.Version}}, h.History) {
		if h.c.version(of.What) == nil {
			continue
		}
		secrets := h.c.secretsOf(of.What)
		isKept := func(path string) bool { return secrets[path] == "" || h.service.Accepts(h.id, secrets[path]) }
		if len(paths) == 0 || slices.ContainsFunc(paths, isKept) {
			return "" // it is that of another version, which may have none
		}
	}
	return "secret-altered"
}

// secretsOf returns the secrets in a version, by their paths.
func (c *Contract) secretsOf(word string) map[string]string {
	found, secrets := map[string]any{}, map[string]string{}
	for _, pointer := range c.handler.WriteOnly {
		maps.Copy(found, valuesAt(c.properties(word), pointer))
	}
	for path, value := range found {
		collectTexts(value, path, secrets)
	}
	return secrets
}

// collectTexts collects the texts in a value, by their paths.
func collectTexts(in any, at string, found map[string]string) {
	switch in := in.(type) {
	case string:
		found[at] = in
	case []any:
		for i, element := range in {
			collectTexts(element, at+"."+strconv.Itoa(i), found)
		}
	case map[string]any:
		for name, member := range in {
			collectTexts(member, at+"."+name, found)
		}
	}
}
