package blackbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// initTimeout is how long a process may take until it asks for an invocation. Lambda
// allows ten seconds.
const initTimeout = 10 * time.Second

// An environment is one process of a function with its Runtime API (2018-06-01). Unlike Lambda, it
// does not freeze the process between invocations, and it does not support response streaming.
type environment struct {
	ready  chan struct{}    // a token for each request for work
	work   chan *invocation // answers that request
	exited chan struct{}    // closed when the process has ended
	exit   error            // how it ended, once exited is closed
	cmd    *exec.Cmd

	mu      sync.Mutex
	current *invocation
	initErr json.RawMessage
}

// An invocation is one delivery of an event to a process.
type invocation struct {
	id, arn  string
	payload  []byte
	deadline time.Time
	done     chan outcome
}

// An outcome is how an invocation ended.
type outcome struct {
	kind    string          // "response", "error", "crash" or "timeout"
	payload json.RawMessage // the response, or what Lambda says of the error
}

// startEnvironment starts a process that writes its log to out.
func startEnvironment(t testing.TB, binary string, env []string, out *os.File) *environment {
	t.Helper()
	e := &environment{ready: make(chan struct{}), work: make(chan *invocation), exited: make(chan struct{})}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", e.next)
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/response", func(w http.ResponseWriter, r *http.Request) { e.end(w, r, "response") })
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/error", func(w http.ResponseWriter, r *http.Request) { e.end(w, r, "error") })
	mux.HandleFunc("POST /2018-06-01/runtime/init/error", e.initError)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}

	e.cmd = exec.Command(binary)
	e.cmd.Env = slices.Concat(env, []string{"AWS_LAMBDA_RUNTIME_API=" + listener.Addr().String()})
	e.cmd.Stdout, e.cmd.Stderr = out, out
	// The process exits when its standard input is closed, which happens when the test ends.
	if _, err := e.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := e.cmd.Start(); err != nil {
		_ = listener.Close()
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() { _ = server.Serve(listener) })
	running.Go(func() { e.exit = e.cmd.Wait(); close(e.exited) })
	t.Cleanup(func() {
		e.kill()
		_ = server.Close()
		running.Wait()
	})
	return e
}

// kill kills the process as Lambda does at the timeout, and waits for its end.
func (e *environment) kill() {
	_ = e.cmd.Process.Kill()
	<-e.exited
}

// next answers with the process's next invocation as soon as there is one.
func (e *environment) next(w http.ResponseWriter, r *http.Request) {
	select {
	case e.ready <- struct{}{}:
	case <-r.Context().Done():
		return
	}
	select {
	case inv := <-e.work:
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Lambda-Runtime-Aws-Request-Id", inv.id)
		h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(inv.deadline.UnixMilli(), 10))
		h.Set("Lambda-Runtime-Invoked-Function-Arn", inv.arn)
		h.Set("Lambda-Runtime-Trace-Id", "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=0")
		_, _ = w.Write(inv.payload)
	case <-r.Context().Done():
	}
}

func (e *environment) end(w http.ResponseWriter, r *http.Request, kind string) {
	body, err := io.ReadAll(r.Body)
	e.mu.Lock()
	inv := e.current
	if inv != nil && inv.id == r.PathValue("id") && err == nil {
		e.current = nil
	} else {
		inv = nil
	}
	e.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if inv == nil {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"errorType":"InvalidRequestID","errorMessage":"Invalid request ID"}`)
		return
	}
	w.WriteHeader(http.StatusAccepted)
	_, _ = io.WriteString(w, `{"status":"OK"}`)
	inv.done <- outcome{kind, body}
}

func (e *environment) initError(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	e.mu.Lock()
	e.initErr = body
	e.mu.Unlock()
	w.WriteHeader(http.StatusAccepted)
	_, _ = io.WriteString(w, `{"status":"OK"}`)
}

// timeoutGrace is how long after its deadline a process is killed. On a busy machine
// one that would return in time is scheduled late.
const timeoutGrace = time.Second

var errExited = errors.New("the process ended before it asked for work")

// invoke runs an invocation in the process. It returns errExited if the process exited
// before it took the invocation.
func (e *environment) invoke(ctx context.Context, id, arn string, payload []byte, timeout time.Duration) (outcome, error) {
	select {
	case <-e.ready:
	case <-e.exited:
		return outcome{}, errExited
	case <-ctx.Done():
		return outcome{}, ctx.Err()
	case <-time.After(initTimeout):
		e.kill()
		return outcome{}, errExited
	}
	inv := &invocation{id: id, arn: arn, payload: payload, deadline: time.Now().Add(timeout), done: make(chan outcome, 1)}
	e.mu.Lock()
	e.current = inv
	e.mu.Unlock()
	select {
	case e.work <- inv:
	case <-e.exited:
		return outcome{}, errExited
	}
	overtime := time.NewTimer(time.Until(inv.deadline) + timeoutGrace)
	defer overtime.Stop()
	select {
	case o := <-inv.done:
		return o, nil
	case <-e.exited:
		select {
		case o := <-inv.done: // an error that is reported before the process ends is an error
			return o, nil
		default:
		}
		return outcome{"crash", e.crash(id)}, nil
	case <-overtime.C:
		e.kill()
		text := fmt.Sprintf("RequestId: %s Error: Task timed out after %.2f seconds", id, timeout.Seconds())
		return outcome{"timeout", errorPayload("Sandbox.Timedout", text)}, nil
	}
}

// crash returns Lambda's error for a process that exited during an invocation.
func (e *environment) crash(id string) json.RawMessage {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.initErr != nil {
		return e.initErr
	}
	how := "exit status 0"
	if e.exit != nil {
		how = e.exit.Error()
	}
	return errorPayload("Runtime.ExitError", "RequestId: "+id+" Error: Runtime exited with error: "+strings.TrimSpace(how))
}

func errorPayload(kind, text string) json.RawMessage {
	b, err := json.Marshal(map[string]string{"errorType": kind, "errorMessage": text})
	if err != nil {
		panic(err)
	}
	return b
}
