// Package service runs the programs that people name by a command line: a service
// that handlers need while they work, and a command that says what there is.
package service

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

// A Service is a running program that handlers need while they work, such as the API
// that they manage things of. It ends with this process, however that ends.
type Service struct {
	Command  string // as people wrote it
	cmd      *exec.Cmd
	lifeline io.Closer // closed when this process ends, too
	exited   chan struct{}
	err      error // once it has exited

	mu   sync.Mutex
	last string // line that it wrote, but for that of go run about its exit code
}

// An EndedError is a service that ended before anything could be asked of it.
type EndedError struct{ Command, Why string }

func (e *EndedError) Error() string {
	return "the service (" + e.Command + ") ended before anything was started: " + e.Why
}

// A Config is what a service is started with.
type Config struct {
	Command string // a line for the shell: one program with its arguments
	Dir     string
	Env     []string // NAME=VALUE, beside this process's
	// Ready is where the service answers once it serves: a URL, or host and port. "" is the address
	// that its command or Env names, or else one of Functions, if they name one of this machine.
	Ready     string
	Functions []string          // NAME=VALUE of the functions' own environment
	Log       func(line string) // gets each line that it writes
	Note      func(text string) // is told what is waited for; nil is nobody
}

// patience is how long a service may take to serve on an idle machine.
const patience = 20 * time.Second

// settles is how long a service has to end, on an idle machine, that says why it cannot
// serve, or at whose address another program answers.
const settles = 100 * time.Millisecond

// Start runs a program and returns when it serves: when its address answers, or, if
// that is not known, when it has written its first line. After twenty seconds it is
// taken to be there. One that fails at once is an *EndedError. Stop it.
func Start(ctx context.Context, c Config) (*Service, error) {
	s := &Service{Command: c.Command, exited: make(chan struct{})}
	first, err := s.launch(c)
	if err != nil {
		return nil, err
	}
	ready := readiness(c)
	serves := first
	if ready != "" {
		serves = ready.answers(ctx, s.exited)
	}
	if err := s.await(ctx, c.Note, ready, serves); err != nil {
		return nil, err
	}
	return s, nil
}

// launch starts the process, and follows it until it has exited. The channel is
// closed once it has written a line.
func (s *Service) launch(c Config) (wroteFirst <-chan struct{}, err error) {
	args, extra, lifeline, err := mortal(Shell(c.Command))
	if err != nil {
		return nil, err
	}
	s.lifeline = lifeline
	s.cmd = exec.Command(args[0], args[1:]...) //nolint:noctx // Stop ends it, with all that it has started
	s.cmd.Dir, s.cmd.Env, s.cmd.ExtraFiles = c.Dir, append(os.Environ(), c.Env...), extra
	ownGroup(s.cmd)
	s.cmd.WaitDelay = time.Second
	reader, writer := io.Pipe()
	s.cmd.Stdout, s.cmd.Stderr = writer, writer
	err = s.cmd.Start()
	for _, f := range extra {
		_ = f.Close() // it is the service's now
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the service (%s) could not be started: %w", s.Command, err), lifeline.Close())
	}

	// What it writes is read to its end before it counts as exited.
	first, read := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(read)
		saw := sync.OnceFunc(func() { close(first) })
		for lines := bufio.NewScanner(reader); lines.Scan(); saw() {
			s.wrote(lines.Text())
			c.Log(lines.Text())
		}
		_, _ = io.Copy(io.Discard, reader) // after a line that is too long
	}()
	go func() {
		s.err = s.cmd.Wait()
		_, _ = writer.Close(), lifeline.Close()
		<-read
		close(s.exited)
	}()
	return first, nil
}

func (s *Service) await(ctx context.Context, note func(text string), ready ready, serves <-chan struct{}) error {
	if note == nil {
		note = func(string) {}
	}
	late, enough := time.NewTimer(time.Second), time.NewTimer(host.Allow(patience))
	defer late.Stop()
	defer enough.Stop()
	for {
		select {
		case <-serves:
			select {
			case <-s.exited:
			case <-time.After(host.Allow(settles)):
			}
			return s.Failed()
		case <-late.C:
			note("waiting for the service (" + s.Command + ") " + ready.String())
		case <-enough.C:
			note("waited " + patience.String() + " for the service (" + s.Command + ") " + ready.String() + ", in vain: going on; --run-ready URL says where it answers")
			return nil
		case <-ctx.Done():
			s.Stop()
			return context.Cause(ctx)
		case <-s.exited:
			return &EndedError{s.Command, s.Why()}
		}
	}
}

func (s *Service) wrote(line string) {
	const most = 500
	if line = printable.Line(strings.TrimSpace(mask.Signatures(line))); line == "" || strings.HasPrefix(line, "exit status ") {
		return
	}
	if len(line) > most {
		line = strings.ToValidUTF8(line[:most], "") + "…"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = line
}

// Exited is closed when the service has ended.
func (s *Service) Exited() <-chan struct{} { return s.exited }

// Failed is the *EndedError of a service that has ended with an error. One that has
// ended without may have left a program that serves.
func (s *Service) Failed() error {
	select {
	case <-s.exited:
		if s.err != nil {
			return &EndedError{s.Command, s.Why()}
		}
	default:
	}
	return nil
}

// Why is how a service that has exited ended, with what it wrote last.
func (s *Service) Why() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	why := "exit status 0"
	if s.err != nil {
		why = s.err.Error()
	}
	if s.last == "" {
		return why + ", and it wrote nothing"
	}
	return why + ": " + s.last
}

// Stop asks the service and all that it started to end, and kills what does not within two seconds.
func (s *Service) Stop() {
	signalGroup(s.cmd, syscall.SIGTERM)
	select {
	case <-s.exited:
	case <-time.After(host.Allow(2 * time.Second)):
		signalGroup(s.cmd, syscall.SIGKILL)
		<-s.exited
	}
}
