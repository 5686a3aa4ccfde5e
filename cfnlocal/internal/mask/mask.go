// Package mask hides secrets and the signatures of URLs in what is shown of a stack.
package mask

import (
	"cmp"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// Hidden stands for what is not shown.
const Hidden = "****"

// Text hides secrets and signatures in a text. Secrets of less than four characters
// are hidden only where they are the whole text. The secrets are [Distinct].
func Text(text string, secrets []string) string {
	for _, s := range secrets {
		switch {
		case text == s && s != "":
			return Hidden
		case len(s) >= 4:
			text = strings.ReplaceAll(text, s, Hidden)
			if strings.ContainsAny(text, `\%+`) { // else nothing in it is escaped
				for _, form := range escaped(s) {
					text = strings.ReplaceAll(text, form, Hidden)
				}
			}
		}
	}
	return Signatures(text)
}

// literal is a string, or a number, in a JSON text.
var literal = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?[0-9][-+.0-9Ee]*`)

// JSON hides secrets and signatures in the strings of a JSON text, or in any other
// text, wherever they stand: in what uses an attribute as well as in what gave it.
// A number is hidden if it is a secret as a whole. What was JSON stays JSON.
func JSON(text []byte, secrets []string) []byte {
	if len(secrets) == 0 && !hasSignature(string(text)) {
		return text
	}
	secrets = Distinct(slices.Clone(secrets))
	if !json.Valid(text) {
		return []byte(Text(string(text), secrets))
	}
	return literal.ReplaceAllFunc(text, func(written []byte) []byte {
		s := string(written) // a number
		if written[0] == '"' && json.Unmarshal(written, &s) != nil || written[0] != '"' && !slices.Contains(secrets, s) {
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

// escaped are the forms in which a secret stands in JSON, in a string that holds
// JSON, in URLs, and where fmt quotes it: handlers log events and errors.
func escaped(secret string) (forms []string) {
	for _, html := range []bool{true, false} {
		once := inJSON(secret, html)
		forms = append(forms, inJSON(once, false), once) // the longer first
	}
	quoted := strconv.Quote(secret)
	for _, form := range []string{url.QueryEscape(secret), url.PathEscape(secret)} {
		forms = append(forms, form, percent.ReplaceAllStringFunc(form, strings.ToLower)) // as some languages write it
	}
	return append(forms, quoted[1:len(quoted)-1])
}

var percent = regexp.MustCompile(`%[0-9A-F]{2}`)

// inJSON is a text as it stands in a JSON string.
func inJSON(text string, escapeHTML bool) string {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(escapeHTML)
	_ = e.Encode(text) // a string always can be
	return strings.TrimSuffix(out.String(), "\n")[1 : out.Len()-2]
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

// Distinct sorts secrets so that the longer come first, since one can hold another,
// and returns each once. It changes the slice.
func Distinct(secrets []string) []string {
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(secrets)
}

// ByLine returns secrets and the lines of those that have several, such as a key:
// a handler's log is kept line by line.
func ByLine(secrets []string) []string {
	all := slices.Clone(secrets)
	for _, s := range secrets {
		for line := range strings.Lines(s) {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return Distinct(all)
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
	each(a.Data, func(s string) { all = append(all, s) })
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
func Event(e engine.Event, secrets []string) engine.Event {
	if e.ResourceProperties != "" {
		e.ResourceProperties = engine.Properties(JSON([]byte(e.ResourceProperties), secrets))
	}
	e.ResourceStatusReason = Text(e.ResourceStatusReason, secrets)
	return e
}

// Stack returns a copy of a stack in which secrets and signatures are hidden in rows
// and reasons. Requests are as they were: [JSON] is for them.
func Stack(of *engine.Stack, secrets []string) *engine.Stack {
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
