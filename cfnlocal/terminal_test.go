package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

func TestWrap(t *testing.T) {
	for _, test := range []struct {
		name    string
		columns int
		text    string
		want    string
	}{
		{"what fits is one line", 20, "one two", "- one two"},
		{"it fits exactly", 9, "one two", "- one two"},
		{"a break is between words", 8, "one two", "- one\n  two"},
		{"columns are characters, not bytes", 9, "öäü two", "- öäü two"},
		{"a longer word is whole, so that it can be copied", 8, "see https://example.com/a now", "- see\n  https://example.com/a\n  now"},
		{"a longer word that is the first", 8, "https://example.com/a now", "- https://example.com/a\n  now"},
		{"no terminal, no breaks", 0, strings.Repeat("word ", 99), "- " + strings.Repeat("word ", 99)},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, wrap(test.columns, "- ", "  ", test.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// On a terminal a long reason is wrapped below its row, with the log's location at
// the end. Without a terminal it stays on the row, unchanged.
func TestRowOfAReason(t *testing.T) {
	const reason = "Received response status [FAILED] from custom resource. Message returned: the service said that the quota of 5 is used up (log group /aws/lambda/orders, stream 2026/11/22/[$LATEST]0f, request 7c) (RequestId: 1b2c)"
	e := engine.Event{
		LogicalResourceId: "Orders", PhysicalResourceId: "orders-1", ResourceType: "Custom::Orders",
		ResourceStatus: "CREATE_FAILED", ResourceStatusReason: reason, Timestamp: time.Date(2026, 1, 1, 9, 30, 0, 0, time.Local),
	}
	const head = "09:30:00  Orders                    CREATE_FAILED         [orders-1]"
	for columns, want := range map[int]string{
		0: head + " " + reason,
		80: head + `
          Received response status [FAILED] from custom resource. Message
          returned: the service said that the quota of 5 is used up (RequestId:
          1b2c)
          (log group /aws/lambda/orders, stream 2026/11/22/[$LATEST]0f, request
          7c)`,
		300: head + " " + reason,
	} {
		p := newPrinter(&app{streams: streams{out: new(bytes.Buffer)}}, false)
		p.columns = columns
		if diff := cmp.Diff(want, p.row(engine.Row{Event: e, Name: e.LogicalResourceId})); diff != "" {
			t.Errorf("at %d columns: %s", columns, diff)
		}
	}
}

// A row without a reason is one line on any terminal, without trailing space.
func TestRowOfNothingMore(t *testing.T) {
	e := engine.Event{LogicalResourceId: "Fn", ResourceType: "AWS::Lambda::Function", ResourceStatus: "CREATE_COMPLETE", Timestamp: time.Date(2026, 1, 1, 9, 30, 0, 0, time.Local)}
	for _, columns := range []int{0, 40, 80} {
		p := newPrinter(&app{streams: streams{out: new(bytes.Buffer)}}, false)
		p.columns, p.palette = columns, true
		if row := p.row(engine.Row{Event: e, Name: e.LogicalResourceId}); strings.ContainsAny(row, "\n") || !strings.HasSuffix(row, "CREATE_COMPLETE\x1b[0m") {
			t.Errorf("at %d columns: %q", columns, row)
		}
	}
}

// The count of a repeated long note quotes only its beginning.
func TestCountOfALongNote(t *testing.T) {
	var out bytes.Buffer
	p := newPrinter(&app{streams: streams{out: &out}}, false)
	long := "attempt 1 failed: " + strings.Repeat("word ", 60)
	p.Note(long)
	p.Note(long)
	p.stop()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[1], "2 times in all: attempt 1 failed: word") || len(lines[1]) > 130 {
		t.Errorf("%q", lines)
	}
}

// A screen lets the palette's own sequences through, on a terminal, and no other: what clears
// a line of progress would hide what is before it in somebody's text.
func TestScreen(t *testing.T) {
	text := palette(true).status("CREATE_COMPLETE") + " \r\x1b[K\x1b[2J\x1b]0;title\a\r\u202Egnp\x9b"
	for terminal, want := range map[bool]string{
		true:  "\x1b[32mCREATE_COMPLETE\x1b[0m \uFFFD\uFFFD[K\uFFFD[2J\uFFFD]0;title\uFFFD\uFFFD\uFFFDgnp\uFFFD\n",
		false: "\uFFFD[32mCREATE_COMPLETE\uFFFD[0m \uFFFD\uFFFD[K\uFFFD[2J\uFFFD]0;title\uFFFD\uFFFD\uFFFDgnp\uFFFD\n",
	} {
		var out bytes.Buffer
		fmt.Fprintln(&screen{&out, terminal}, text)
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("on a terminal: %t:\n%s", terminal, diff)
		}
	}
	var out bytes.Buffer
	if fmt.Fprint(&screen{&out, true}, clearLine); out.String() != clearLine {
		t.Errorf("by itself it is %q", out.String())
	}
}
