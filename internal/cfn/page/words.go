package page

import (
	"fmt"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// class is how a status looks: as in the console, green if complete, red if it failed or
// is rolled back, blue if it is in progress.
func class(status string) string {
	switch {
	case status == "":
		return ""
	case status == "DELETE_COMPLETE":
		return "gone"
	case status == "DELETE_SKIPPED":
		return "kept"
	case strings.HasSuffix(status, "_FAILED"):
		return "fail"
	case strings.Contains(status, "ROLLBACK") && strings.HasSuffix(status, "_COMPLETE"):
		return "undone"
	case strings.Contains(status, "ROLLBACK"):
		return "back"
	case strings.HasSuffix(status, "_COMPLETE"):
		return "done"
	}
	return "work"
}

// short is a status in one word.
func short(status string) string {
	word, _, _ := strings.Cut(strings.ToLower(status), "_")
	switch {
	case strings.Contains(status, "CLEANUP"):
		return "cleanup"
	case strings.Contains(status, "ROLLBACK"):
		return "rollback"
	case strings.HasSuffix(status, "_FAILED"):
		return "failed"
	}
	return word
}

// outcomeClass is how an outcome looks.
func outcomeClass(o engine.Outcome) string {
	switch o {
	case engine.Succeeded:
		return "done"
	case engine.Pending:
		return "work"
	case engine.Cancelled:
		return "kept"
	}
	return "fail"
}

// span writes how long something took.
func span(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "0 s"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	d = d.Round(time.Second)
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	var parts []string
	for _, p := range []struct {
		n    int
		unit string
	}{{h, "h"}, {m, "min"}, {s, "s"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.unit))
		}
	}
	return strings.Join(parts, " ")
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
