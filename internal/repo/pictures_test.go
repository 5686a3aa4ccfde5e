package repo

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

const scenarios = "internal/cfn/engine/testdata/scenarios/"

var (
	requestLine = regexp.MustCompile(`^ *(\S+) #\d+ (\w+) (\w+) (\S+) (\{.*?\})(?: old (\{.*?\}))? => (\w+)`)
	answerLine  = regexp.MustCompile(`^(\w+) (\w+) (\w+)(?: ([^ =]+)(?: |$))?(.*)$`)
	stackLine   = regexp.MustCompile(`^ *(\S+) stack (\w+)`)
	cancelled   = regexp.MustCompile(`^ *(\S+) (\w+) .*cancelled"`)
	takes       = regexp.MustCompile(`takes=(\S+)`)
)

// A stroke is a line of a picture. Of those at one moment, answers come first,
// then what the stack makes of them, then requests.
type stroke struct {
	at    time.Duration
	order int
	text  string
}

// draw returns a scenario as a Mermaid diagram.
func draw(t *testing.T, scenario string) string {
	t.Helper()
	answers := make(map[string][]string) // what is said to requests, by resource and type
	for _, line := range section(scenario, "answers") {
		if m := answerLine.FindStringSubmatch(line); m != nil {
			answers[m[1]+m[2]] = append(answers[m[1]+m[2]], line)
		}
	}
	var strokes []stroke
	resources := make(map[string]bool)
	for _, line := range section(scenario, "requests") {
		m := requestLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("not a request: %q", line)
		}
		at, resource := duration(t, m[1]), m[3]
		resources[resource] = true
		strokes = append(strokes, stroke{at, 2, fmt.Sprintf("C->>%s: %s", resource, request(m))})
		key, said := resource+m[2], ""
		if waiting := answers[key]; len(waiting) > 0 {
			said, answers[key] = waiting[0], waiting[1:]
		}
		if text, after := reply(t, m, said); text != "" {
			strokes = append(strokes, stroke{at + after, 0, text})
		}
	}
	for _, line := range section(scenario, "events") {
		if m := stackLine.FindStringSubmatch(line); m != nil {
			strokes = append(strokes, stroke{duration(t, m[1]), 1, "Note over C: " + m[2]})
		} else if m := cancelled.FindStringSubmatch(line); m != nil {
			strokes = append(strokes, stroke{duration(t, m[1]), 0, "Note over C: " + m[2] + " is cancelled"})
		}
	}
	slices.SortStableFunc(strokes, func(a, b stroke) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order)) })

	var b strings.Builder
	b.WriteString("sequenceDiagram\n    participant C as CloudFormation\n")
	for _, name := range slices.Sorted(maps.Keys(resources)) {
		fmt.Fprintf(&b, "    participant %s as handler of %s\n", name, name)
	}
	for _, s := range strokes {
		fmt.Fprintf(&b, "    %s\n", s.text)
	}
	return b.String()
}

// request writes a request as "Update A, Size=2, old Size=1".
func request(m []string) string {
	text := m[2]
	if m[4] != "-" {
		text += " " + m[4]
	}
	text += plain(m[5])
	if m[6] != "" {
		text += ", old" + strings.TrimPrefix(plain(m[6]), ",")
	}
	return text
}

// plain writes properties without what JSON needs.
func plain(properties string) string {
	text := strings.NewReplacer(`{`, "", `}`, "", `"`, "", `:`, "=", `,`, ", ").Replace(properties)
	if text == "" {
		return ""
	}
	return ", " + text
}

// reply returns the arrow of a request's answer, and how long it takes. One that
// is not awaited any more ends in a cross.
func reply(t *testing.T, request []string, said string) (text string, after time.Duration) {
	t.Helper()
	status, id := "SUCCESS", strings.Trim(request[4], "-")
	if m := answerLine.FindStringSubmatch(said); m != nil {
		status, id = m[3], m[4]
	}
	after = time.Second
	if m := takes.FindStringSubmatch(said); m != nil {
		after = duration(t, m[1])
	}
	switch outcome := request[7]; {
	case status == "none":
		return "", 0
	case outcome == "Cancelled" || outcome == "TimedOut":
		return fmt.Sprintf("%s--xC: %s %s, not read", request[3], status, id), after
	default:
		return strings.TrimSpace(fmt.Sprintf("%s-->>C: %s %s", request[3], status, id)), after
	}
}

func duration(t *testing.T, text string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// section returns the lines of a file in a txtar archive.
func section(archive, name string) (lines []string) {
	_, rest, found := strings.Cut(archive, "\n-- "+name+" --\n")
	if !found {
		return nil
	}
	text, _, _ := strings.Cut(rest, "\n-- ")
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	return lines
}
