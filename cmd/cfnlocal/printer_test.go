package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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
