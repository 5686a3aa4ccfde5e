package local

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// A Service is a program that handlers need while they work, such as the API
// that they manage things of.
type Service struct {
	cmd    *exec.Cmd
	exited chan struct{}
	err    error
}

// patience is how long a service may take to write its first line.
const patience = 20 * time.Second

// StartService runs a program and returns when it has written its first line,
// which says that it serves, or after twenty seconds: a service that says
// nothing is taken to be there. Each line goes to log. Stop it.
func StartService(ctx context.Context, args []string, dir string, env []string, log func(line string)) (*Service, error) {
	s := &Service{exited: make(chan struct{})}
	command := args[len(args)-1]               // what people wrote, if the program is a shell
	s.cmd = exec.Command(args[0], args[1:]...) //nolint:noctx // Stop ends it, with all that it has started
	s.cmd.Dir, s.cmd.Env = dir, append(os.Environ(), env...)
	ownGroup(s.cmd)
	s.cmd.WaitDelay = time.Second
	reader, writer := io.Pipe()
	s.cmd.Stdout, s.cmd.Stderr = writer, writer
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("the service (%s) could not be started: %w", command, err)
	}
	first := make(chan struct{})
	go func() {
		saw := sync.OnceFunc(func() { close(first) })
		for lines := bufio.NewScanner(reader); lines.Scan(); saw() {
			log(lines.Text())
		}
		_, _ = io.Copy(io.Discard, reader) // after a line that is too long
	}()
	go func() {
		s.err = s.cmd.Wait()
		_ = writer.Close()
		close(s.exited)
	}()
	select {
	case <-first:
	case <-time.After(patience):
	case <-ctx.Done():
		s.Stop()
		return nil, context.Cause(ctx)
	case <-s.exited:
		return nil, fmt.Errorf("the service (%s) ended before it served: %w", command, errors.Join(s.err, errEnded))
	}
	return s, nil
}

var errEnded = errors.New("run the command yourself to see why")

// Stop asks the service and all that it started to end, and kills what does not
// within two seconds.
func (s *Service) Stop() {
	if s == nil {
		return
	}
	signalGroup(s.cmd, syscall.SIGTERM)
	select {
	case <-s.exited:
	case <-time.After(2 * time.Second):
		signalGroup(s.cmd, syscall.SIGKILL)
		<-s.exited
	}
}
