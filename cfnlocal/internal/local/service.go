package local

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

// A Service is a running program that handlers need while they work, such as the API that they
// call. It ends when this process ends, even if this process is killed.
type Service struct {
	Command  string // as the user wrote it
	cmd      *exec.Cmd
	lifeline io.Closer // closed when this process ends, too
	exited   chan struct{}
	err      error // once it has exited

	mu   sync.Mutex
	last string // the last line that it wrote, except the exit code that go run prints
}

// A ServiceError reports a service that ended before an operation could begin.
type ServiceError struct{ Command, Why string }

func (e *ServiceError) Error() string {
	return "the service (" + e.Command + ") ended before anything was started: " + e.Why
}

// A ServiceConfig says how to start a service.
type ServiceConfig struct {
	Command string // a line for the shell: one program with its arguments
	Dir     string
	Env     []string // NAME=VALUE, beside this process's
	// Ready is the address at which the service answers once it serves: a URL, or host and port. The
	// default is the first local address in the command, in Env or in Functions.
	Ready     string
	Functions []string          // NAME=VALUE of the functions' own environment
	Log       func(line string) // gets each line that it writes
	Note      func(text string) // reports what StartService waits for; may be nil
}

// servicePatience is how long a service may take to serve on an idle machine.
const servicePatience = 20 * time.Second

// serviceSettles is how long StartService waits, on an idle machine, for a service to fail after its first
// line or answer: the line may be an error, and the answer another program's.
const serviceSettles = 100 * time.Millisecond

// StartService runs a program and returns when it serves: when its address answers, or, if that is
// not known, when it has written its first line. After twenty seconds StartService no longer waits.
// If the service fails at once, the error is a *ServiceError. Call Stop when done.
func StartService(ctx context.Context, c ServiceConfig) (*Service, error) {
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
func (s *Service) launch(c ServiceConfig) (wroteFirst <-chan struct{}, err error) {
	args, extra, lifeline, err := mortal(shell(c.Command))
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
		_ = f.Close() // the service has its own copy
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the service (%s) could not be started: %w", s.Command, err), lifeline.Close())
	}

	// It counts as exited once its output is read to the end.
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

func (s *Service) await(ctx context.Context, note func(text string), ready readyAddress, serves <-chan struct{}) error {
	if note == nil {
		note = func(string) {}
	}
	// A service that is slow is no mistake of the stack: after a while the operation goes on, and its handlers find out.
	patience := host.Allow(servicePatience)
	late, enough := time.NewTimer(time.Second), time.NewTimer(patience)
	defer late.Stop()
	defer enough.Stop()
	for {
		select {
		case <-serves:
			select {
			case <-s.exited:
			case <-time.After(host.Allow(serviceSettles)):
			}
			return s.Failed()
		case <-late.C:
			note("waiting for the service (" + s.Command + ") " + ready.String() + ", for up to " + patience.Round(time.Second).String() + "; if it serves elsewhere, give that address with --run-ready URL")
		case <-enough.C:
			note("the service (" + s.Command + ") had " + patience.Round(time.Second).String() + " " + ready.String() + ", and did not. The operation continues; give the service's address with --run-ready URL")
			return nil
		case <-ctx.Done():
			s.Stop()
			return context.Cause(ctx)
		case <-s.exited:
			return &ServiceError{s.Command, s.Why()}
		}
	}
}

func (s *Service) wrote(line string) {
	if line = printable.Line(strings.TrimSpace(mask.Signatures(line))); line == "" || strings.HasPrefix(line, "exit status ") {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = printable.Cut(line, 500)
}

// Exited is closed when the service has ended.
func (s *Service) Exited() <-chan struct{} { return s.exited }

// Failed returns a *ServiceError if the service has ended with an error. A service that has ended
// without an error may have left a program in the background that serves.
func (s *Service) Failed() error {
	select {
	case <-s.exited:
		if s.err != nil {
			return &ServiceError{s.Command, s.Why()}
		}
	default:
	}
	return nil
}

// Why returns how a service that has exited ended, and what it wrote last.
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

// Stop ends the service and all that it has started. It kills them if they do not end within two seconds.
func (s *Service) Stop() {
	signalGroup(s.cmd, syscall.SIGTERM)
	select {
	case <-s.exited:
	case <-time.After(host.Allow(2 * time.Second)):
		signalGroup(s.cmd, syscall.SIGKILL)
		<-s.exited
	}
}

// A readyAddress is the address at which a service answers once it serves: host and port, or a URL. If
// it is empty, the service serves once it writes.
type readyAddress string

// localAddress matches an address of this machine in a command or a variable.
var localAddress = regexp.MustCompile(`(?:127\.0\.0\.1|localhost|\[::1\]):([1-9][0-9]{0,4})\b`)

// readiness returns the address at which a service answers.
func readiness(c ServiceConfig) readyAddress {
	if c.Ready != "" {
		return readyAddress(c.Ready)
	}
	for _, where := range [][]string{append([]string{c.Command}, c.Env...), c.Functions} {
		if address := localAddress.FindString(strings.Join(where, " ")); address != "" {
			return readyAddress(address)
		}
	}
	return ""
}

func (r readyAddress) String() string {
	if r == "" {
		return "to write its first line"
	}
	return "to answer at " + string(r)
}

// answers returns a channel that is closed once there is an answer. It polls until the context is
// done or the service has ended.
func (r readyAddress) answers(ctx context.Context, exited <-chan struct{}) <-chan struct{} {
	serves := make(chan struct{})
	go func() {
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			if r.answersNow(ctx) {
				close(serves)
				return
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			case <-exited:
				return
			}
		}
	}()
	return serves
}

// answersNow reports whether something answers now. Over HTTP, any status is an answer.
func (r readyAddress) answersNow(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, host.Allow(time.Second))
	defer cancel()
	if u, err := url.Parse(string(r)); err == nil && u.Host != "" {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, string(r), nil)
		if err != nil {
			return false
		}
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return true
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", string(r))
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// commandOutput runs a shell command and returns its standard output, or of a long one the last maxOutput bytes. When
// the context is done or this process ends, the command ends with all that it has started. An error has the last line of
// standard error.
func commandOutput(ctx context.Context, command, dir string, env []string) ([]byte, error) {
	args, extra, lifeline, err := mortal(script(command))
	if err != nil {
		return nil, err
	}
	defer func() { _ = lifeline.Close() }()
	for _, f := range extra {
		defer func() { _ = f.Close() }()
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.ExtraFiles = extra
	ownGroup(cmd)
	cmd.Cancel = func() error { signalGroup(cmd, syscall.SIGKILL); return nil }
	cmd.WaitDelay = time.Second
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var out, failed tail
	cmd.Stdout, cmd.Stderr = &out, &failed
	if err := cmd.Run(); err != nil {
		if ended := context.Cause(ctx); ended != nil {
			return nil, ended // it was killed
		}
		if said := lastLine(string(failed)); said != "" {
			err = fmt.Errorf("%w: %s", err, said)
		}
		return nil, err
	}
	return out, nil
}

const maxOutput = listingSize + 1 // enough to see that it is too long

// A tail keeps the last maxOutput bytes of what is written to it.
type tail []byte

func (t *tail) Write(text []byte) (int, error) {
	*t = append(*t, text...)
	*t = (*t)[max(0, len(*t)-maxOutput):]
	return len(text), nil
}

// lastLine returns the last line of a program's output, for an error.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return fmt.Sprintf("%.300s", mask.Signatures(lines[len(lines)-1]))
}
