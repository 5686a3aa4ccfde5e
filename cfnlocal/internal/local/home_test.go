package local

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
)

// TestNothingLeadsOutOfTheDirectory: a directory of stacks can come with a
// repository. Symbolic links in it lead to no file outside, neither for the log
// of handlers nor for the words of another process.
func TestNothingLeadsOutOfTheDirectory(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("delete"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"shop.log", "shop.ask"} {
		if err := os.Symlink(outside, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	h, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = h.Close() }()
	if err := h.sendCommand(t.Context(), "shop", commandCancel); err == nil {
		t.Error("a word was written through a link")
	}
	rev := &record.Revision{File: "t.yaml", Body: topics, Parameters: map[string]string{"Name": "one", "Token": "x"}}
	if _, err := h.Deploy(t.Context(), "shop", Change{Revision: rev}, Settings{}); err == nil {
		t.Error("a log that is a link was written to")
	}
	commands := make(chan command, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 4*pollInterval)
	defer cancel()
	var ears sync.WaitGroup
	ears.Go(func() { h.receiveCommands(ctx, "other", commands) })
	for tick := time.Tick(pollInterval / 10); ctx.Err() == nil; <-tick {
		_ = os.Symlink(outside, filepath.Join(dir, "other.ask")) // again, if it has been removed
	}
	ears.Wait()
	if len(commands) > 0 {
		t.Errorf("%q was read through a link", (<-commands).text)
	}
	text, err := os.ReadFile(outside)
	if err := errors.Join(err, os.Remove(filepath.Join(dir, "shop.log"))); err != nil || string(text) != "delete" {
		t.Errorf("the file outside is %q, %v", text, err)
	}
}
