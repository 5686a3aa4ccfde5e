package properties

import (
	"fmt"
	"strings"

	"github.com/cfnresource/sdk-go/internal/redact"
)

// An unknownError says that a property is not known. It searches for a similar name only
// when it is printed, since many are not.
type unknownError struct {
	name string
	plan *plan
}

// maxNames bounds how many known properties an error lists.
const maxNames = 12

func (e *unknownError) Error() string {
	names := make([]string, len(e.plan.fields))
	for i := range e.plan.fields {
		names[i] = redact.OneLine(e.plan.fields[i].name, maxName)
	}
	if near, ok := nearest(e.name, names); ok {
		return fmt.Sprintf("is not a known property: did you mean %q?", near)
	}
	switch n := len(names); {
	case n == 0:
		return "is not a known property: there are none here, remove it"
	case n > maxNames:
		return fmt.Sprintf("is not a known property: known are %s and %d more", strings.Join(names[:maxNames], ", "), n-maxNames)
	}
	return "is not a known property: known are " + strings.Join(names, ", ")
}

// nearest returns the name that was probably meant: it differs by case only, or by at
// most one edit in three letters.
func nearest(name string, known []string) (string, bool) {
	const tooLong = 100
	if len(name) > tooLong {
		return "", false
	}
	best, least := "", len(name)
	for _, k := range known {
		if len(k) > tooLong {
			continue
		}
		limit := max(1, min(len(name), len(k))/3)
		if d := distance(strings.ToLower(name), strings.ToLower(k)); d <= limit && d < least {
			best, least = k, d
		}
	}
	return best, best != ""
}

// distance counts the edits from a to b: insertions, deletions, substitutions and
// swaps of neighbours.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(s); i++ {
		before, last, row = last, row, before
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			hasTwo := i > 1 && j > 1
			if hasTwo && s[i-1] == t[j-2] && s[i-2] == t[j-1] { // side by side, the other way round
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(t)]
}
