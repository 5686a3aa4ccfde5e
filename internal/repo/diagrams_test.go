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
	answerDelay = regexp.MustCompile(`takes=(\S+)`)
)

// A diagramLine is a line of a sequence diagram. At the same time, answers come first,
// then changes of the stack's status, then requests.
type diagramLine struct {
	at    time.Duration
	order int
	text  string
}

// sequenceDiagram returns a scenario as a Mermaid diagram.
func sequenceDiagram(t *testing.T, scenario string) string {
	t.Helper()
	// The answers are matched to the requests in order.
	answers := make(map[string][]string) // by resource and request type
	for _, line := range section(scenario, "answers") {
		if m := answerLine.FindStringSubmatch(line); m != nil {
			answers[m[1]+m[2]] = append(answers[m[1]+m[2]], line)
		}
	}
	var lines []diagramLine
	resources := make(map[string]bool)
	for _, line := range section(scenario, "requests") {
		m := requestLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("not a request: %q", line)
		}
		at, resource := duration(t, m[1]), m[3]
		resources[resource] = true
		lines = append(lines, diagramLine{at, 2, fmt.Sprintf("C->>%s: %s", resource, formatRequest(m))})
		key, answer := resource+m[2], ""
		if waiting := answers[key]; len(waiting) > 0 {
			answer, answers[key] = waiting[0], waiting[1:]
		}
		if text, after := reply(t, m, answer); text != "" {
			lines = append(lines, diagramLine{at + after, 0, text})
		}
	}
	// Of the events, those of the stack and cancellations are shown.
	for _, line := range section(scenario, "events") {
		if m := stackLine.FindStringSubmatch(line); m != nil {
			lines = append(lines, diagramLine{duration(t, m[1]), 1, "Note over C: " + m[2]})
		} else if m := cancelled.FindStringSubmatch(line); m != nil {
			lines = append(lines, diagramLine{duration(t, m[1]), 0, "Note over C: " + m[2] + " is cancelled"})
		}
	}
	slices.SortStableFunc(lines, func(a, b diagramLine) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order)) })

	// All lines in the order of time.
	var b strings.Builder
	b.WriteString("sequenceDiagram\n    participant C as CloudFormation\n")
	for _, name := range slices.Sorted(maps.Keys(resources)) {
		fmt.Fprintf(&b, "    participant %s as handler of %s\n", name, name)
	}
	for _, s := range lines {
		fmt.Fprintf(&b, "    %s\n", s.text)
	}
	return b.String()
}

// formatRequest returns a request as "Update A, Size=2, old Size=1".
func formatRequest(m []string) string {
	text := m[2]
	if m[4] != "-" {
		text += " " + m[4]
	}
	text += formatProperties(m[5])
	if m[6] != "" {
		text += ", old" + strings.TrimPrefix(formatProperties(m[6]), ",")
	}
	return text
}

// formatProperties returns properties without JSON's syntax.
func formatProperties(properties string) string {
	text := strings.NewReplacer(`{`, "", `}`, "", `"`, "", `:`, "=", `,`, ", ").Replace(properties)
	if text == "" {
		return ""
	}
	return ", " + text
}

// reply returns the arrow of a request's answer, and when it comes after the request.
// The arrow ends in a cross if the answer is not awaited any more.
func reply(t *testing.T, request []string, answer string) (text string, after time.Duration) {
	t.Helper()
	status, id := "SUCCESS", strings.Trim(request[4], "-")
	if m := answerLine.FindStringSubmatch(answer); m != nil {
		status, id = m[3], m[4]
	}
	after = time.Second
	if m := answerDelay.FindStringSubmatch(answer); m != nil {
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
