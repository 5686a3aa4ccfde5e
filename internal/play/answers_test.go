package play_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Histories that another check has played before, several at once, are played again by the check that listens: neither the
// log nor the output says whose a line is.
func TestWhatWasPlayedUnheardIsPlayedAgain(t *testing.T) {
	silence(t)
	for _, name := range []string{"logsProperties", "printsSecret"} {
		results := play.RunChecks(t, wrongNamed(name).contract(), "create-delete", "update-keeps-id", "update-failed-then-rollback", "secrets-stay-out-of-log")
		if diff := cmp.Diff([]string{"secrets-stay-out-of-log"}, outcomes(results, "failed")); diff != "" {
			t.Errorf("%s: failing checks (-want +got):\n%s", name, diff)
		}
		if text := textOf(results, "secrets-stay-out-of-log"); !strings.Contains(text, "by the history \"v0\"") {
			t.Errorf("%s: it is not found at once: %s", name, text)
		}
	}
}

// What is only written is no harm that Replay shows again.
func TestNoLineIsGivenForWhatIsWritten(t *testing.T) {
	silence(t)
	for name, replays := range map[string]bool{"logsProperties": false, "returnsSecretAsPlainData": true} {
		if text, _ := play.RunCheck(t, wrongNamed(name).contract(), "secrets-stay-out-of-log"); strings.Contains(text, "To play it again") != replays {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// Explore looks for secrets in each answer, and warns of what is doubtful about all of them.
func TestExploreJudgesAnswers(t *testing.T) {
	empty := depotContract(func(d *depot) simulate.Function { return process(tellsNothing{named{d}}) })
	if e := play.Exploration(t, empty, play.ExploreOptions{Histories: 20}); !strings.Contains(e.Log, "Key in Data is empty in every answer") {
		t.Errorf("it says %q", e.Log)
	}
	large := depotContract(func(d *depot) simulate.Function { return process(tellsMuch{named{d}}) })
	if e := play.Exploration(t, large, play.ExploreOptions{Histories: 20}); !strings.Contains(e.Log, "of 4096 bytes: return less Data") {
		t.Errorf("it says %q", e.Log)
	}
	found := play.FirstFinding(t, wrongNamed("returnsSecretAsPlainData").contract(), 20)
	if found.History != "v0" || !strings.Contains(found.Text, "Data holds a secret without NoEcho") {
		t.Errorf("by %q: %s", found.History, found.Text)
	}
}

// tellsMuch nearly fills its answer.
type tellsMuch struct{ named }

func (h tellsMuch) Create(ctx context.Context, req *creation) (data boxData, err error) {
	data, err = h.named.Create(ctx, req)
	data.Key = strings.Repeat("*", 3200)
	return data, err
}

func (h tellsMuch) Update(ctx context.Context, req *updating) (data boxData, err error) {
	data, err = h.named.Update(ctx, req)
	data.Key = strings.Repeat("*", 3200)
	return data, err
}

// Where the handler makes no second thing of one StableID, a twin is none, and no history does harm.
func TestATwinIsNoHarmToARightHandler(t *testing.T) {
	for _, name := range []string{"named", "found", "chosen"} {
		for _, line := range []string{"v0 twin v1", "twin v0 v1", "twin v0", "foreign-id v0 twin v1", "native-id v0 v1 v0", "foreign-id v0 gone again"} {
			if found, limit := play.Replayed(t, depotContract(rightHandlers[name]), line); found != "" || limit != "" {
				t.Errorf("%s, %q: %s%s", name, line, found, limit)
			}
		}
	}
}
