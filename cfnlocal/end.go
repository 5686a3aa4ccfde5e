package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// together is the time within which several signals are one: a terminal and a launcher both send what one key asks for.
const together = 100 * time.Millisecond

// endOnSignals asks the command to end at a first signal, and ends it at a second, whatever it does. A second SIGHUP does not
// end it: when a terminal closes, both the shell and the kernel send one.
func endOnSignals(signals <-chan os.Signal, ask func(), end func(code int)) {
	<-signals
	first := time.Now()
	ask()
	for s := range signals {
		isSame := s == syscall.SIGHUP || time.Since(first) < together
		if !isSame {
			end(exitInterrupted)
			return
		}
	}
}

// lookInterval is how often a command checks whether it should end.
const lookInterval = time.Second

// endWhen ends the command once look returns an error.
func (a *app) endWhen(look func() error) {
	go func() {
		tick := time.NewTicker(lookInterval)
		defer tick.Stop()
		for {
			select {
			case <-a.ctx.Done():
				return
			case <-tick.C:
			}
			if err := look(); err != nil {
				a.end(err)
				return
			}
		}
	}()
}

// endWhenAlone ends the command once nobody can be waiting for it, unless it runs under nohup.
func (a *app) endWhenAlone() {
	if signal.Ignored(syscall.SIGHUP) {
		return
	}
	start, settled := currentTies(), false
	a.endWhen(func() error {
		now := currentTies()
		if !settled { // a launcher such as setsid ends once it has started the command
			start.parent, settled = now.parent, true
		}
		if why := start.cut(now, a.command); why != "" {
			return interruption(why)
		}
		return nil
	})
}

// ties connect a process with whoever started it.
type ties struct {
	terminal bool // it has an open terminal
	parent   int
}

func currentTies() ties {
	tty, err := os.Open("/dev/tty")
	if err == nil {
		_ = tty.Close()
	}
	none := errors.Is(err, syscall.ENXIO) || errors.Is(err, syscall.EIO) || errors.Is(err, fs.ErrNotExist) // and not EMFILE
	return ties{!none, os.Getppid()}
}

// cut returns why nobody can be waiting for a command any more, or "". A server is started in the background for
// others, so that the end of its parent says nothing.
func (start ties) cut(now ties, command string) string {
	isServer := command == "serve" || command == "demo"
	switch {
	case start.terminal && !now.terminal:
		return "its terminal was closed"
	case start.terminal, isServer:
		return ""
	case start.parent != now.parent:
		return "the process that started it has ended, and it has no terminal"
	}
	return ""
}

// An interruption is the reason why a command ended before its work was done.
type interruption string

func (i interruption) Error() string { return "interrupted, since " + string(i) }
func (i interruption) Unwrap() error { return context.Canceled }

// gone returns an error once the directory of the stacks was removed or moved.
func (a *app) gone() error {
	if a.opened == nil || !a.opened.Gone() {
		return nil
	}
	return &failure{errors.New("the directory of the stacks, " + a.dir + ", was removed or moved; the handlers' work is not undone"),
		"move it back, and resume the interrupted operations; if it was removed, look in the service for the resources of its stacks", exitFailed}
}
