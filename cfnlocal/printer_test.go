package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// After a quiet period the printer names each awaited answer, and again while it is still silent. It does not name
// stand-ins and finished resources.
func TestLongWaitsAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := newPrinter(&app{streams: streams{out: &out}}, false)
		row := func(name, of, status string) {
			p.Event(engine.Row{Event: engine.Event{LogicalResourceId: name, ResourceType: of, ResourceStatus: status}, Name: name})
		}
		p.start()
		row("Queue", "AWS::SQS::Queue", "DELETE_IN_PROGRESS")
		row("Quick", "Custom::Flag", "DELETE_IN_PROGRESS")
		row("Flag", "Custom::Flag", "DELETE_IN_PROGRESS")
		row("Quick", "Custom::Flag", "DELETE_COMPLETE")
		<-time.After(quietPeriod - time.Second)
		p.mu.Lock() // the printer's goroutine writes to out, too
		early := out.String()
		p.mu.Unlock()
		if strings.Contains(early, "waiting") {
			t.Errorf("told at once:\n%s", early)
		}
		<-time.After(silence + 10*time.Second)
		row("Other", "Custom::Flag", "DELETE_IN_PROGRESS")
		<-time.After(quietPeriod + silence + 2*time.Second)
		p.stop()
		var waits []string
		for line := range strings.Lines(out.String()) {
			if _, wait, is := strings.Cut(line, "~ "); is {
				waits = append(waits, strings.TrimSpace(wait))
			}
		}
		want := []string{
			"waiting for the answer to the Delete of Flag; --logs shows what handlers print",
			"still waiting for the answer to the Delete of Flag, for 35s now; --logs shows what handlers print",
			"waiting for the answer to the Delete of Other; --logs shows what handlers print",
			"still waiting for the answer to the Delete of Flag, for 1m19s now, and 1 more; --logs shows what handlers print",
		}
		if diff := cmp.Diff(want, waits); diff != "" {
			t.Error(diff)
		}
	})
}

// What handlers, services and templates write may hold escape sequences, and characters
// that reverse the text around them: none reaches a terminal, as text or as JSON.
func TestTextOfStrangersIsPrintedSafely(t *testing.T) {
	const hostile = "a\x1b[2J\x1b]0;title\a\r\u009b31m\x9b\u202Egnp\u2066\u200F\u061C\u2028b\nc"
	for _, asJSON := range []bool{false, true} {
		var out, errOut bytes.Buffer
		a := &app{streams: streams{out: newScreen(&out), err: newScreen(&errOut)}, json: asJSON}
		p := newPrinter(a, true)
		p.Event(engine.Row{Event: engine.Event{LogicalResourceId: "Flag", ResourceType: "Custom::Flag", ResourceStatus: "CREATE_FAILED",
			ResourceStatusReason: hostile, PhysicalResourceId: hostile}, Name: "Flag"})
		p.Note(hostile)
		p.Note(hostile)
		p.Log("arn"+hostile, hostile)
		p.printRepeated()
		a.report(errors.New(strings.ReplaceAll(hostile, "\n", ""))) // an error may have lines
		isHostile := func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsGraphic(r) }
		for line := range strings.Lines(out.String() + errOut.String()) {
			if strings.ContainsFunc(line, isHostile) || !utf8.ValidString(line) || strings.HasPrefix(line, "c\n") {
				t.Errorf("--json=%t: printed %q", asJSON, line)
			}
		}
		if want := map[bool]string{false: "gnp", true: `\u202egnp`}[asJSON]; strings.Count(out.String(), want) < 4 {
			t.Errorf("--json=%t: not all is printed: %q", asJSON, out.String())
		}
	}
}

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

// On a terminal a long reason is wrapped below its row. Without a terminal it stays on the row. Where the log is on AWS is
// left out: nobody finds it there, and it is as long as the reason.
func TestRowOfAReason(t *testing.T) {
	const reason = "Received response status [FAILED] from custom resource. Message returned: the service said that the quota of 5 is used up (log group /aws/lambda/orders, stream 2026/11/22/[$LATEST]0f, request 7c) (RequestId: 1b2c)"
	const short = "Received response status [FAILED] from custom resource. Message returned: the service said that the quota of 5 is used up (RequestId: 1b2c)"
	e := engine.Event{
		LogicalResourceId: "Orders", PhysicalResourceId: "orders-1", ResourceType: "Custom::Orders",
		ResourceStatus: "CREATE_FAILED", ResourceStatusReason: reason, Timestamp: time.Date(2026, 1, 1, 9, 30, 0, 0, time.Local),
	}
	const head = "09:30:00  Orders                    CREATE_FAILED         [orders-1]"
	for columns, want := range map[int]string{
		0: head + " " + short,
		80: head + `
          Received response status [FAILED] from custom resource. Message
          returned: the service said that the quota of 5 is used up (RequestId:
          1b2c)`,
		300: head + " " + short,
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
		fmt.Fprintln(&screen{to: &out, terminal: terminal}, text)
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("on a terminal: %t:\n%s", terminal, diff)
		}
	}
	var out bytes.Buffer
	if fmt.Fprint(&screen{to: &out, terminal: true}, clearLine); out.String() != clearLine {
		t.Errorf("by itself it is %q", out.String())
	}
}
