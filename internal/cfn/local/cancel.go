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

// The commands that one process sends to the one that runs an operation on a stack.
const (
	commandCancel = "cancel" // CancelUpdateStack; DeleteStack of a stack that is being created
	commandDelete = "delete" // DeleteStack of a stack that is being created
)

// commandExt is the extension of the file that holds a command.
const commandExt = ".ask"

// pollInterval is how often a process looks for a command.
const pollInterval = 100 * time.Millisecond

// A command is one that another process sent. Its sender is told once the result is there,
// and so is what the command did.
type command struct {
	text   string
	result chan<- error
}

// errJustEnded is of a command that nobody has read.
var errJustEnded = errors.New("has just ended: try again")

// sendCommand sends a command to the process that runs an operation on a stack.
// It returns when that process has executed it.
func (h *Home) sendCommand(ctx context.Context, name, command string) error {
	file := name + commandExt
	if err := h.dir.WriteFile(file, []byte(command)); err != nil {
		return err
	}
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for h.Working(name) {
		if _, err := h.dir.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return errors.Join(h.dir.Remove(file), fmt.Errorf("the process that worked on the stack %s %w", name, errJustEnded))
}

// receiveCommands passes on the commands of other processes until ctx ends, one at a time.
func (h *Home) receiveCommands(ctx context.Context, name string, commands chan<- command) {
	file := name + commandExt
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		text, err := h.dir.ReadFile(file)
		if err != nil || len(text) == 0 {
			continue
		}
		result := make(chan error, 1)
		select {
		case commands <- command{strings.TrimSpace(string(text)), result}:
			if <-result == nil {
				_ = h.dir.Remove(file)
			}
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

// execute carries out a command. If CloudFormation would refuse it, the watcher gets a note.
func (o *operation) execute(command string) error {
	var refusal error
	err := o.live.Do(func(m *engine.Machine, now time.Time) error {
		if command == commandDelete {
			refusal = m.Delete(now, nil, false)
		} else {
			refusal = cancel(m, now)
		}
		return nil
	})
	if err == nil && refusal != nil {
		o.watcher.Note(refusal.Error())
	}
	return err
}
