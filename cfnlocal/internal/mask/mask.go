// Package mask hides secrets and the signatures of URLs in what is shown of a stack.
package mask

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/redact/forms"
)

// Hidden stands for what is not shown.
const Hidden = "****"

// Secrets are texts to hide, in each form in which they stand in other texts. The zero value hides
// nothing but signatures.
type Secrets struct {
	texts []string                 // the longer first, since one can hold another
	shown func() *strings.Replacer // of the forms, made when it is first needed
}

// Of returns the secrets in texts, each once.
func Of(texts []string) Secrets {
	texts = slices.Clone(texts)
	slices.SortFunc(texts, byLength)
	texts = slices.Compact(texts)
	return Secrets{texts, sync.OnceValue(func() *strings.Replacer {
		var all []string
		for _, s := range texts {
			if len(s) >= minSecret {
				all = append(all, forms.Of(s)...)
			}
		}
		slices.SortStableFunc(all, byLength)
		var pairs []string
		for _, form := range all {
			pairs = append(pairs, form, Hidden)
		}
		return strings.NewReplacer(pairs...)
	})}
}

func byLength(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }

// With returns these secrets and others.
func (s Secrets) With(more []string) Secrets {
	if !slices.ContainsFunc(more, func(text string) bool { return !slices.Contains(s.texts, text) }) {
		return s
	}
	return Of(append(slices.Clip(s.texts), more...))
}

// Texts returns the secrets, the longer first.
func (s Secrets) Texts() []string { return slices.Clone(s.texts) }

// ByLine returns these secrets and the lines of those that have several, such as a key:
// a handler's log is kept line by line.
func (s Secrets) ByLine() Secrets {
	var lines []string
	for _, text := range s.texts {
		for line := range strings.Lines(text) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return s.With(lines)
}

// minSecret is the length in bytes from which on a secret is looked for in other texts.
const minSecret = 4

// Text hides secrets and signatures in a text. Secrets of less than four bytes are hidden only where
// they are the whole text.
func Text(text string, secrets Secrets) string {
	if len(secrets.texts) == 0 || text == "" {
		return Signatures(text)
	}
	if slices.Contains(secrets.texts, text) {
		return Hidden
	}
	return Signatures(secrets.shown().Replace(text))
}

// literal is a string, or a number, in a JSON text.
var literal = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?[0-9][-+.0-9Ee]*`)

// JSON hides secrets and signatures in the strings of a JSON text, or in any other
// text, wherever they stand: in what uses an attribute as well as in what gave it.
// A number is hidden if it is a secret as a whole. What was JSON stays JSON.
func JSON(text []byte, secrets Secrets) []byte {
	if len(secrets.texts) == 0 && !hasSignature(string(text)) {
		return text
	}
	if !json.Valid(text) {
		return []byte(Text(string(text), secrets))
	}
	return literal.ReplaceAllFunc(text, func(written []byte) []byte {
		s := string(written) // a number
		if written[0] == '"' && json.Unmarshal(written, &s) != nil || written[0] != '"' && !slices.Contains(secrets.texts, s) {
			return written
		}
		shown := Text(s, secrets)
		if shown == s {
			return written
		}
		out, _ := json.Marshal(shown) // a string always can be
		return out
	})
}

// signature is what makes a URL a capability, in both versions of signing, also where
// the URL is a parameter of another one, or stands in JSON.
var signature = regexp.MustCompile(`(?i)((?:Signature|X-Amz-Credential|AWSAccessKeyId)(?:=|%(?:25)*3D|\\+u003d))[^&\s"'\\]+?(%(?:25)*26|[&\s"'\\]|$)`)

// Signatures hides the signatures of URLs in a text, such as those that a handler logged.
func Signatures(text string) string {
	if !hasSignature(text) { // nearly always, and it makes no copy
		return text
	}
	return signature.ReplaceAllString(text, "${1}hidden${2}")
}

// hasSignature looks for an equals sign in its forms first: few texts have one.
func hasSignature(text string) bool {
	return strings.ContainsAny(text, `=%\`) && signature.MatchString(text)
}

// SecretsOf returns the strings and numbers in the Data of an answer with NoEcho.
func SecretsOf(answer string) (all []string) {
	if !strings.Contains(answer, "NoEcho") {
		return nil
	}
	var a struct {
		NoEcho bool
		Data   any
	}
	numbers := json.NewDecoder(strings.NewReader(answer))
	numbers.UseNumber() // as they are written
	if numbers.Decode(&a) != nil || !a.NoEcho {
		return nil
	}
	return Values(a.Data)
}

// PhysicalIDOf returns the physical ID that an answer names, or "".
func PhysicalIDOf(answer string) string {
	var a struct{ PhysicalResourceId string }
	_ = json.Unmarshal([]byte(answer), &a) // what is no answer names nothing
	return a.PhysicalResourceId
}

// Values returns the texts and the numbers in a value of JSON.
func Values(v any) (all []string) {
	each(v, func(s string) { all = append(all, s) })
	return all
}

func each(v any, do func(string)) {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			each(e, do)
		}
	case []any:
		for _, e := range v {
			each(e, do)
		}
	case string:
		do(v)
	case json.Number:
		do(v.String())
	}
}

// Event hides secrets in the properties and the reason of a row.
func Event(e engine.Event, secrets Secrets) engine.Event {
	if e.ResourceProperties != "" {
		e.ResourceProperties = engine.Properties(JSON([]byte(e.ResourceProperties), secrets))
	}
	e.ResourceStatusReason = Text(e.ResourceStatusReason, secrets)
	return e
}

// Stack returns a copy of a stack in which secrets and signatures are hidden in rows
// and reasons. Requests are as they were: [JSON] is for them.
func Stack(of *engine.Stack, secrets Secrets) *engine.Stack {
	s := *of
	s.StatusReason = Text(s.StatusReason, secrets)
	s.Events = slices.Clone(s.Events)
	for i, e := range s.Events {
		s.Events[i] = Event(e, secrets)
	}
	for _, list := range []*[]*engine.StackResource{&s.Resources, &s.Leaving} {
		*list = slices.Clone(*list)
		for i, res := range *list {
			shown := *res
			shown.StatusReason = Text(shown.StatusReason, secrets)
			(*list)[i] = &shown
		}
	}
	s.Left = slices.Clone(s.Left)
	for i := range s.Left {
		s.Left[i].Why = Text(s.Left[i].Why, secrets)
	}
	s.Nested = slices.Clone(s.Nested)
	for i, nested := range s.Nested {
		s.Nested[i] = Stack(nested, secrets)
	}
	return &s
}
