//go:build unix

package local

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// service starts one and returns the lines that it writes.
func service(t *testing.T, c ServiceConfig) (*Service, <-chan string) {
	t.Helper()
	lines := make(chan string, 10)
	c.Dir, c.Log = t.TempDir(), func(line string) { lines <- line }
	s, err := StartService(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s, lines
}

// TestServiceEndsWithProcess: a service, and what it has started, ends when this
// process does, which the end of the lifeline stands for: nobody has to clean up
// after a cfnlocal that was killed.
func TestServiceEndsWithProcess(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe") // which the service's child has open
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	s, _ := service(t, ServiceConfig{Command: "sh -c '(echo up; exec sleep 300) > " + pipe + " & echo started; wait'"})
	f, err := os.Open(pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	reader := bufio.NewReader(f)
	if _, err := reader.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = reader.ReadByte() // nothing more comes
	}()
	if err := s.lifeline.Close(); err != nil {
		t.Fatal(err)
	}
	<-s.exited // else this waits until all tests are ended
	<-ended
}

// TestServiceIsReadyWhenItAnswers: a service that writes nothing is waited for
// until its address answers, and no longer; what is waited for is said.
func TestServiceIsReadyWhenItAnswers(t *testing.T) {
	// The address is this test's from the beginning, and nobody listens there yet.
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(socket) })
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	bound, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", bound.(*syscall.SockaddrInet4).Port)

	var said []string
	service(t, ServiceConfig{Command: "sh -c 'echo starting; sleep 300'", Env: []string{"API=http://" + address}, Note: func(text string) {
		said = append(said, text)
		if err := syscall.Listen(socket, 1); err != nil { // it is waited for, so that it answers now
			t.Error(err)
		}
	}})
	if len(said) != 1 || !strings.HasPrefix(said[0], "waiting for the service") || !strings.Contains(said[0], address) {
		t.Errorf("it was said that %q", said)
	}
}

// TestServiceExitIsAnError: nothing waits for it any longer.
func TestServiceExitIsAnError(t *testing.T) {
	_, err := StartService(t.Context(), ServiceConfig{Command: "sh -c 'exit 3'", Ready: "127.0.0.1:1", Log: func(string) {}})
	if err == nil || !strings.Contains(err.Error(), "ended before anything was started: exit status 3") {
		t.Error(err)
	}
}

func TestReadiness(t *testing.T) {
	for _, test := range []struct{ command, env, ready, want string }{
		{"api", "", "", ""},
		{"api -addr 127.0.0.1:8088", "", "", "127.0.0.1:8088"},
		{"api -addr 127.0.0.1:0", "", "", ""},
		{"api", "API=http://localhost:9000/v1", "", "localhost:9000"},
		{"api", "API=https://api.example.com:443", "", ""},
		{"api -addr 127.0.0.1:8088", "", "http://127.0.0.1:9/health", "http://127.0.0.1:9/health"},
	} {
		c := ServiceConfig{Command: test.command, Ready: test.ready}
		if test.env != "" {
			c.Env = []string{test.env}
		}
		if got := string(readiness(c)); got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
		c.Functions = []string{"API=http://127.0.0.1:7/v1"}
		if got, want := string(readiness(c)), cmp.Or(test.want, "127.0.0.1:7"); got != want {
			t.Errorf("%+v, with an address in a function's environment: %q", test, got)
		}
	}
}

// A command that writes without end costs no more memory than a list may be long.
func TestCommandOutputIsBounded(t *testing.T) {
	t.Parallel()
	out, err := commandOutput(t.Context(), "yes id | head -c 8000000; yes noise | head -c 8000000 >&2", "", nil)
	if err != nil || len(out) != maxOutput {
		t.Errorf("%d bytes, %v; want %d", len(out), err, maxOutput)
	}
	if _, err = commandOutput(t.Context(), "yes noise | head -c 8000000 >&2; echo >&2; echo last >&2; exit 3", "", nil); err == nil || !strings.HasSuffix(err.Error(), "exit status 3: last") {
		t.Errorf("%v", err)
	}
}

// A service that is not ready is waited for as long as the line says, also on a busy machine.
func TestTheWaitForAServiceIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		s, began := &Service{Command: "api", exited: make(chan struct{})}, time.Now()
		if err := s.await(t.Context(), func(text string) { told = append(told, text) }, "", nil); err != nil {
			t.Fatal(err)
		}
		took := time.Since(began).String()
		if len(told) != 2 || !strings.Contains(told[0], "for up to "+took+";") || !strings.Contains(told[1], "had "+took+" ") {
			t.Errorf("after %s: %q", took, told)
		}
	})
}

// A command that is ended says why, and not how.
func TestACommandThatIsEnded(t *testing.T) {
	why := errors.New("it had its time")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Millisecond, why)
	defer cancel()
	if _, err := commandOutput(ctx, "sleep 60", "", nil); err != why {
		t.Errorf("%v", err)
	}
}
