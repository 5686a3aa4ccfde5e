package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// The commands that one process sends to the one that runs an operation on a stack.
const (
	commandCancel    = "cancel" // CancelUpdateStack; DeleteStack of a stack that is being created
	commandDelete    = "delete" // DeleteStack of a stack that is being created
	commandProtect   = "protect"
	commandUnprotect = "unprotect"
)

// commands has the step of each command, and the statuses that allow it: nil is each in which an operation runs.
var commands = map[string]struct {
	do    step
	while []string
}{
	commandCancel:    {cancel, []string{"CREATE_IN_PROGRESS", "UPDATE_IN_PROGRESS"}},
	commandDelete:    {func(m *engine.Machine, now time.Time) error { return m.Delete(now, nil, false) }, []string{"CREATE_IN_PROGRESS"}},
	commandProtect:   {do: func(m *engine.Machine, _ time.Time) error { return m.Protect(true) }},
	commandUnprotect: {do: func(m *engine.Machine, _ time.Time) error { return m.Protect(false) }},
}

// These overwrite a command that was not executed.
const (
	refusedMark = "refused: " // with the reason why CloudFormation would refuse it
	unheard     = "unheard"   // the operation had ended
)

// commandExt is the extension of the file that holds a command.
const commandExt = ".ask"

// pollInterval is how often a process looks for a command.
const pollInterval = 100 * time.Millisecond

// A command comes from another process, which gets its answer once result has one. By then, the stack
// is saved.
type command struct {
	text   string
	result chan<- error
}

// errJustEnded is the error of a command that no operation has read.
var errJustEnded = errors.New("has just ended: try again")

// delegate sends a command to the process that runs an operation on a stack, if the stack's
// status allows the command. Otherwise it returns the error locked, with the status.
func (h *Home) delegate(ctx context.Context, name, command string, locked error) (*engine.Stack, error) {
	of, err := h.Stack(name)
	if err != nil {
		return nil, err
	}
	while := commands[command].while
	if !slices.Contains(while, of.Stack.Status) && (while != nil || of.Stack.AtRest()) {
		return of.Stack, fmt.Errorf("%w; its status is %s", locked, of.Stack.Status)
	}
	return of.Stack, h.sendCommand(ctx, name, command)
}

// sendCommand sends a command to the process that runs an operation on a stack. It returns when
// that process has executed it, or with an *engine.ValidationError if it is refused.
func (h *Home) sendCommand(ctx context.Context, name, command string) error {
	file := name + commandExt
	if err := h.dir.WriteFile(file, []byte(command)); err != nil {
		return err
	}
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		working := h.Working(name) // asked first, since an operation that has ended may have executed the command
		text, err := h.dir.ReadFile(file)
		why, refused := strings.CutPrefix(string(text), refusedMark)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case refused:
			return errors.Join(&engine.ValidationError{Message: why}, h.dir.Remove(file))
		case !working || string(text) == unheard:
			return errors.Join(h.dir.Remove(file), fmt.Errorf("the process that worked on the stack %s %w", name, errJustEnded))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// dropCommand answers a command that came after its operation had ended.
func (h *Home) dropCommand(name string) {
	if _, err := h.dir.Stat(name + commandExt); err == nil {
		_ = h.dir.WriteFile(name+commandExt, []byte(unheard)) // else its sender would wait for the next operation
	}
}

// receiveCommands passes on the commands of other processes until ctx ends, one at a time.
func (h *Home) receiveCommands(ctx context.Context, name string, to chan<- command) {
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
		if err != nil || commands[string(text)].do == nil { // there is none, it is not written yet, or it was refused
			continue
		}
		// Have it executed, and answer its sender.
		result := make(chan error, 1)
		select {
		case to <- command{string(text), result}:
			err := <-result
			refused, is := errors.AsType[*engine.ValidationError](err)
			switch {
			case err == nil:
				_ = h.dir.Remove(file)
			case is:
				_ = h.dir.WriteFile(file, []byte(refusedMark+refused.Message))
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

// execute executes a command. If CloudFormation would refuse it, the watcher gets a note.
func (o *operation) execute(command string) (refused, err error) {
	err = o.live.Do(func(m *engine.Machine, now time.Time) error {
		refused = commands[command].do(m, now)
		return nil
	})
	if err == nil && refused != nil {
		o.watcher.Note(refused.Error())
	}
	return refused, err
}
