package mask

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

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
