package event_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// What carries an event may write its members in another order. What the last
// invocation said is replaced wherever it stands: of two, a reader may keep the
// older one, and the chain would forget what it made. Nothing else is changed.
func TestNextReplacesWhatWasSaid(t *testing.T) {
	const (
		url  = `"ResponseURL" : "https://example.com/?a=1\u0026b=2"`
		rest = `"RequestType":"Create",  "requesttype":"Create","ResourceProperties":{"cfnresource:continue":{"links":9}, "N": 1.50}`
		said = `"cfnresource:continue":{"links":1,"began":"Creating"}`
		next = `"cfnresource:continue":{"links":2,"created":"svc-1","began":"Creating"}`
	)
	want := fmt.Sprintf(`{%s,%s,%s}`, next, url, `"RequestType":"Create","requesttype":"Create","ResourceProperties":{"cfnresource:continue":{"links":9}, "N": 1.50}`)
	for name, payload := range map[string]string{
		"nowhere":                     fmt.Sprintf("{%s,%s}", url, rest),
		"first":                       fmt.Sprintf("{ %s , %s,%s}", said, url, rest),
		"between":                     fmt.Sprintf("{%s,%s,\n%s}", url, said, rest),
		"last":                        fmt.Sprintf("{%s,%s,%s }\n", url, rest, said),
		"twice":                       fmt.Sprintf("{%s,%s,%s,%s}", said, url, rest, said),
		"with a name that is escaped": fmt.Sprintf(`{%s,%s,"cfnresource\u003acontinue":{"links":1}}`, url, rest),
	} {
		t.Run(name, func(t *testing.T) {
			events, err := event.Read([]byte(payload))
			if err != nil || events[0].Err != nil {
				t.Fatal(err, events)
			}
			got, err := events[0].Next(event.Chain{Links: 2, CreatedID: "svc-1", StartPhase: lifecycle.PhaseCreating})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Records that say nothing cost little more than their bytes.
func TestManyEmptyRecordsCostLittle(t *testing.T) {
	payload := []byte(`{"Records":[` + strings.Repeat("{},", 60_000) + `{}]}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := event.Read(payload)
	runtime.ReadMemStats(&after)
	if cost := (after.TotalAlloc - before.TotalAlloc) >> 20; cost > 12 {
		t.Errorf("%d kB cost %d MB", len(payload)>>10, cost)
	}
	if err == nil || !strings.Contains(err.Error(), "record 1 of 60001: it has no message") {
		t.Errorf("the error is %v", err)
	}
}
