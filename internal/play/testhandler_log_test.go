package play_test

import (
	"bytes"
	"context"
	"log"
	"log/slog"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// The log of events that are to fail would hide that of a failure.
func TestTheLogIsQuietAndPutBack(t *testing.T) {
	var seen bytes.Buffer
	writer := log.Writer()
	log.SetOutput(&seen) // and so slog's, whose default goes there
	defer log.SetOutput(writer)
	play.RunChecks(t, adapted(same))
	if seen.Len() > 0 {
		t.Errorf("logged: %s", seen.String())
	}
	log.Print("one")
	slog.Info("two")
	if got := seen.String(); !strings.Contains(got, "one") || !strings.Contains(got, "two") {
		t.Errorf("afterwards the log gets %q", got)
	}
}

// What is logged in one test is not taken for another's, and goes where it went
// before when all have ended.
func TestParallelTestsPutTheLogBack(t *testing.T) {
	was := slog.Default()
	t.Cleanup(func() { slog.SetDefault(was) })
	mine := slog.New(slog.DiscardHandler)
	slog.SetDefault(mine)
	c := adapted(func(h named) logsCreate { return logsCreate{h} })
	ok := runTest(func(t *testing.T) {
		for range testrun.Share(2, 4) {
			t.Run("explore", func(t *testing.T) { t.Parallel(); play.Explore(t, c, play.ExploreOptions{Histories: 50}) })
			t.Run("ask", func(t *testing.T) { t.Parallel(); play.TestHandler(t, c) })
		}
	})
	if !ok {
		t.Error("a test fails")
	}
	if slog.Default() != mine {
		t.Error("the log goes elsewhere after the tests")
	}
}

// logsAndForgets logs what it does, and ignores that a Delete fails.
type logsAndForgets struct{ named }

func (h logsAndForgets) Create(ctx context.Context, req *creation) (boxData, error) {
	slog.InfoContext(ctx, "a box is built", "room", req.Properties.Room)
	return h.named.Create(ctx, req)
}

func (h logsAndForgets) Delete(ctx context.Context, req *deletion) error {
	slog.InfoContext(ctx, "a box is removed and forgotten")
	_ = h.named.Delete(ctx, req)
	return nil
}

// A check plays many stacks, and one of them shows the fault.
func TestTheLogOfAFailureIsThatOfTheOnePlay(t *testing.T) {
	_, log := play.RunCheck(t, adapted(func(h named) logsAndForgets { return logsAndForgets{h} }), "delete-failed-is-told")
	if n := strings.Count(log, "a box is built"); n != 1 {
		t.Errorf("%d boxes are built, want one, in\n%s", n, log)
	}
	if lines := strings.Count(log, "\n") + 1; lines > 8 {
		t.Errorf("there are %d lines:\n%s", lines, log)
	}
}
