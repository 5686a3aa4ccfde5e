package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// What one process can ask of the one that works on a stack.
const (
	wordCancel = "cancel" // CancelUpdateStack; DeleteStack of a stack that is being created
	wordDelete = "delete" // DeleteStack of a stack that is being created
)

// askExt is the end of the name of the file with the word.
const askExt = ".ask"

// often is how often a process looks whether it was asked for something.
const often = 100 * time.Millisecond

// Ask has the process that works on a stack cancel the update in work, or
// delete the stack that it creates. It returns when that process has read it.
func (h *Home) ask(ctx context.Context, name, word string) error {
	file := name + askExt
	if err := h.root.WriteFile(file, []byte(word), 0o600); err != nil {
		return err
	}
	tick := time.NewTicker(often)
	defer tick.Stop()
	for h.Working(name) {
		if _, err := h.root.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return errors.Join(h.root.Remove(file), fmt.Errorf("the process that worked on the stack %s has just ended: try again", name))
}

// listen hands over what other processes ask for, until ctx ends. What was
// asked of a process that is gone is dropped.
func (h *Home) listen(ctx context.Context, name string, asked chan<- string) {
	file := name + askExt
	_ = h.root.Remove(file)
	tick := time.NewTicker(often)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		word, err := h.root.ReadFile(file)
		if err != nil || len(word) == 0 {
			continue
		}
		select {
		case asked <- strings.TrimSpace(string(word)):
			_ = h.root.Remove(file)
		case <-ctx.Done():
			return
		}
	}
}

// cancel is CancelUpdateStack, or DeleteStack of a stack that is being created.
func cancel(m *engine.Machine, now time.Time) error {
	if m.Stack().Status == "CREATE_IN_PROGRESS" {
		return m.Delete(now, nil, false)
	}
	return m.Cancel(now)
}

// perform does what was asked for. That CloudFormation would refuse it is a note.
func (r *run) perform(word string) error {
	var refusal error
	err := r.live.Do(func(m *engine.Machine, now time.Time) error {
		if word == wordDelete {
			refusal = m.Delete(now, nil, false)
		} else {
			refusal = cancel(m, now)
		}
		return nil
	})
	if err == nil && refusal != nil {
		r.watcher.Note(refusal.Error())
	}
	return err
}
