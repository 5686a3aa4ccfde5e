package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// After a quiet period the printer names each awaited answer once. It does not name
// stand-ins and finished resources.
func TestWaitingIsToldOnce(t *testing.T) {
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
		<-time.After(time.Hour)
		p.stop()
		const want = "~ waiting for the answer to the Delete of Flag; --logs shows what handlers print\n"
		if got := out.String(); strings.Count(got, "waiting") != 1 || !strings.Contains(got, want) {
			t.Errorf("%s\nwant once: %s", got, want)
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
