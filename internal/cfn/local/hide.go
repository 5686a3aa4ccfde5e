package local

import (
	"cmp"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/template"
	"github.com/cfnresource/sdk-go/internal/cfn/template/secret"
)

// signature is what makes a URL a capability, in both versions of signing, also where
// the URL is a parameter of another one, or stands in JSON.
var signature = regexp.MustCompile(`(?i)((?:Signature|X-Amz-Credential|AWSAccessKeyId)(?:=|%(?:25)*3D|\\+u003d))[^&\s"'\\]+?(%(?:25)*26|[&\s"'\\]|$)`)

// hideSignature hides signatures in a text, such as those of URLs that a handler
// logged.
func hideSignature(text string) string {
	if !signature.MatchString(text) { // nearly always, and it makes no copy
		return text
	}
	return signature.ReplaceAllString(text, "${1}hidden${2}")
}

// byLine returns secrets with the lines of those that have several, as of a key: a
// handler's log is kept line by line.
func byLine(secrets []string) []string {
	all := slices.Clone(secrets)
	for _, s := range secrets {
		for line := range strings.Lines(s) {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return distinct(all)
}

// hidden stands for what is not shown.
const hidden = "****"

// Secrets returns the values to hide: those of parameters with NoEcho, values that
// the template derives from them, and the Data of answers with NoEcho, including
// those of earlier deployments.
func (r *Record) Secrets() []string {
	all := slices.Clone(r.Former)
	for _, s := range r.Stack.All() {
		all = append(all, r.secretsIn(s)...)
	}
	return distinct(all)
}

// secretsIn returns the secrets of one stack without its nested stacks.
func (r *Record) secretsIn(s *engine.Stack) []string {
	all, plans := r.secretParameters(s)
	for _, q := range s.Requests {
		all = append(all, secretsOf(q, plans)...)
	}
	for _, res := range slices.Concat(s.Resources, s.Leaving) {
		all = append(all, secretProperties(res.LogicalID, plans, res.Properties, res.Old)...)
	}
	return all
}

// secretParameters returns the secret parameter values of a stack, and its plans.
func (r *Record) secretParameters(s *engine.Stack) (all []string, plans []*template.Plan) {
	for _, d := range r.deployments(s) {
		plan, err := d.Plan(s)
		if err != nil {
			continue // it was read when it was deployed
		}
		all, plans = append(all, plan.NoEcho...), append(plans, plan)
	}
	return all, plans
}

// secretsOf returns the values in a request and its answers that are not to be
// shown.
func secretsOf(q *engine.Request, plans []*template.Plan) []string {
	all := secretProperties(q.LogicalID, plans, q.Properties, q.OldProperties)
	for _, answer := range slices.Concat([]string{q.Answer}, q.Late, q.Lost) {
		all = append(all, SecretData(answer)...)
	}
	return all
}

// secretProperties returns what properties hold that the plans make of parameters
// with NoEcho.
func secretProperties(logicalID string, plans []*template.Plan, properties ...engine.Properties) (all []string) {
	for _, plan := range plans {
		paths := plan.Secrets[logicalID]
		if len(paths) == 0 {
			continue
		}
		for _, p := range properties {
			all = append(all, secret.Values(p.Exact(), paths)...)
		}
	}
	return all
}

// distinct are secrets, each once, the longer first: one can hold another.
func distinct(all []string) []string {
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(all)
}

// SecretData returns the strings and numbers in the Data of an answer with NoEcho.
func SecretData(answer string) (all []string) {
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

// literal is a string, or a number, in a JSON text.
var literal = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?[0-9][-+.0-9Ee]*`)

// HideValues replaces secrets in the strings of a JSON text, or in any other
// text, wherever they stand: in what uses an attribute as well as in what gave
// it. Those of less than four characters are hidden only where they are a whole
// string. Signatures of URLs are hidden as well.
func HideValues(text []byte, secrets []string) []byte {
	if len(secrets) == 0 && !signature.Match(text) {
		return text
	}
	secrets = slices.Clone(secrets)
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) }) // the longer first: one can hold another
	if !json.Valid(text) {
		return []byte(hideIn(string(text), secrets))
	}
	return literal.ReplaceAllFunc(text, func(written []byte) []byte {
		s := string(written) // a number
		if written[0] == '"' && json.Unmarshal(written, &s) != nil || written[0] != '"' && !slices.Contains(secrets, s) {
			return written
		}
		shown := hideIn(s, secrets)
		if shown == s {
			return written
		}
		out, _ := json.Marshal(shown) // a string always can be
		return out
	})
}

// HideEvent replaces secrets in a row: in the properties and in the reason.
func HideEvent(e engine.Event, secrets []string) engine.Event {
	if e.ResourceProperties != "" {
		e.ResourceProperties = engine.Properties(HideValues([]byte(e.ResourceProperties), secrets))
	}
	e.ResourceStatusReason = hideIn(e.ResourceStatusReason, secrets)
	return e
}

// Shown returns the stack as it can be shown: a copy in which secrets and
// signatures are replaced in rows and reasons. Requests are as they were; [HideValues] is for
// them.
func (r *Record) Shown() *engine.Stack {
	return shown(r.Stack, r.Secrets())
}

func shown(of *engine.Stack, secrets []string) *engine.Stack {
	s := *of
	s.StatusReason = hideIn(s.StatusReason, secrets)
	s.Events = slices.Clone(s.Events)
	for i, e := range s.Events {
		s.Events[i] = HideEvent(e, secrets)
	}
	s.Resources = slices.Clone(s.Resources)
	for i, res := range s.Resources {
		shown := *res
		shown.StatusReason = hideIn(shown.StatusReason, secrets)
		s.Resources[i] = &shown
	}
	s.Left = slices.Clone(s.Left)
	for i := range s.Left {
		s.Left[i].Why = hideIn(s.Left[i].Why, secrets)
	}
	s.Nested = slices.Clone(s.Nested)
	for i, nested := range s.Nested {
		s.Nested[i] = shown(nested, secrets)
	}
	return &s
}

// hideIn replaces secrets and signatures in a text.
func hideIn(text string, secrets []string) string {
	for _, s := range secrets {
		switch {
		case text == s && s != "":
			return hidden
		case len(s) >= 4:
			text = strings.ReplaceAll(text, s, hidden)
			if strings.ContainsAny(text, `\%+`) { // else nothing in it is escaped
				for _, form := range escaped(s) {
					text = strings.ReplaceAll(text, form, hidden)
				}
			}
		}
	}
	return hideSignature(text)
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
