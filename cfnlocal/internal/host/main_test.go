package host

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	runtime "github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

// binary is the function that the tests run: their own program.
var binary string

func TestMain(m *testing.M) {
	if os.Getenv("AWS_LAMBDA_RUNTIME_API") != "" {
		beFunction()
		os.Exit(0)
	}
	if gate := os.Getenv("HOST_TEST_GATE"); gate != "" {
		beKilled(gate) // see TestThisProcessIsKilled
	}
	var err error
	if binary, err = os.Executable(); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

const prefix = "arn:aws:lambda:us-west-2:123456789012:function:"

// A bench is a host with its function "provider", and what it has reported.
type bench struct {
	*Host
	t     *testing.T
	clock *fakeClock

	mu     sync.Mutex
	change sync.Cond
	events []Event
	lines  []LogLine
}

func start(t *testing.T, c Config, f Function) *bench {
	t.Helper()
	b := &bench{t: t, clock: &fakeClock{now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}}
	b.change.L = &b.mu
	c.Clock = b.clock
	c.Event = func(e Event) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.events = append(b.events, e)
		b.change.Broadcast()
	}
	c.Log = func(l LogLine) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.lines = append(b.lines, l)
		b.change.Broadcast()
	}
	b.Host = New(t.Context(), c)
	b.initLimit, b.slowStart = time.Hour, time.Hour // no process is too slow, but where a test wants it
	t.Cleanup(b.Close)
	b.add("provider", f)
	return b
}

func (b *bench) add(name string, f Function) {
	b.t.Helper()
	f.ARN = prefix + name
	if f.Command == nil {
		f.Command = []string{binary}
	}
	if f.Timeout == 0 {
		f.Timeout = time.Hour
	}
	if err := b.Add(f); err != nil {
		b.t.Fatal(err)
	}
}

// invoke sends an event to the provider.
func (b *bench) invoke(event string, faults ...Fault) (requestID string) {
	b.t.Helper()
	id, err := b.Invoke(prefix+"provider", []byte(event), faults...)
	if err != nil {
		b.t.Fatal(err)
	}
	return id
}

// call invokes the provider synchronously.
func (b *bench) call(event string) Result {
	b.t.Helper()
	r, err := b.Call(b.t.Context(), prefix+"provider", []byte(event))
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// settle waits until all events are settled.
func (b *bench) settle() {
	b.t.Helper()
	if err := b.Wait(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
}

// await waits until something is true of what was reported.
func (b *bench) await(is func() bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !is() {
		b.change.Wait()
	}
}

// story is the events of an ID, in short.
func (b *bench) story(id string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var parts []string
	for _, e := range b.events {
		if e.RequestID == id {
			parts = append(parts, string(e.Kind))
		}
	}
	return strings.Join(parts, " ")
}

// count is the number of events of a kind. The mu is held, or all is settled.
func (b *bench) count(kind Kind) (n int) {
	for _, e := range b.events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// got is what the provider's processes say that they got, once there are n.
func (b *bench) got(n int) (all []string) {
	b.await(func() bool {
		all = nil
		for _, l := range b.lines {
			if text, ok := strings.CutPrefix(l.Text, "got "); ok {
				all = append(all, text)
			}
		}
		return len(all) >= n
	})
	return all
}

// A fakeClock goes on as soon as somebody waits.
type fakeClock struct {
	mu    sync.Mutex
	now   time.Time
	waits []time.Duration
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) Wait(ctx context.Context, at time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at.After(c.now) {
		c.waits = append(c.waits, at.Sub(c.now))
		c.now = at
	}
	return context.Cause(ctx)
}

// A gate is where processes of the function wait until a test lets them go on.
type gate struct {
	t        *testing.T
	listener net.Listener
}

// A guest is a process at the gate.
type guest struct {
	conn net.Conn
	who  string
	pid  int
}

func newGate(t *testing.T) gate {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return gate{t, listener}
}

func (g gate) env() map[string]string { return map[string]string{"GATE": g.listener.Addr().String()} }

// next is the next process that comes.
func (g gate) next() guest {
	g.t.Helper()
	conn, err := g.listener.Accept()
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { _ = conn.Close() })
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return guest{conn: conn} // it was killed while it came
	}
	v := guest{conn: conn}
	if _, err := fmt.Sscan(line, &v.who, &v.pid); err != nil {
		g.t.Fatal(err)
	}
	return v
}

func (g guest) letGo() { _, _ = g.conn.Write([]byte{'\n'}) }

// awaitEnd waits until the process has ended.
func (g guest) awaitEnd() { _, _ = g.conn.Read(make([]byte, 1)) }

func decode[T any](t *testing.T, raw json.RawMessage) (v T) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v: %.200s", err, raw)
	}
	return v
}

// beFunction is the function that the tests run: an event says what it is to do.
func beFunction() {
	if len(os.Args) > 1 && os.Args[1] == "child" {
		atGate("child")
		return
	}
	switch os.Getenv("INIT") {
	case "exit":
		fmt.Fprintln(os.Stderr, "cannot start")
		os.Exit(3)
	case "end":
		return
	case "gate":
		atGate("init")
	}
	runtime.Start(handle)
}

func handle(ctx context.Context, raw json.RawMessage) (any, error) {
	var event struct {
		Do, Arg string
		Records []struct {
			Sns struct{ Subject, Message string }
		}
	}
	_ = json.Unmarshal(raw, &event)
	about, _ := lambdacontext.FromContext(ctx)
	fmt.Printf("got %s %s\n", about.AwsRequestID, raw)
	// What it is asked to do, or how it is to end.
	switch event.Do {
	case "error":
		return nil, errors.New("it is wrong")
	case "panic":
		panic("no way out")
	case "exit":
		fmt.Println("last words")
		os.Exit(7)
	case "end":
		os.Exit(0)
	case "hang":
		select {}
	case "gate":
		atGate("handler")
	case "children", "daemon":
		cmd := exec.Command(os.Args[0], "child")
		if event.Do == "daemon" {
			cmd = exec.Command("setsid", os.Args[0], "child")
		}
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		atGate("handler")
		if event.Arg == "exit" {
			os.Exit(0)
		}
	case "respond-then-exit":
		go func() { // when the response is away
			fmt.Println("waiting for the next")
			atGate("after")
			os.Exit(5)
		}()
	case "large":
		return strings.Repeat("x", 7<<20), nil
	case "write":
		fmt.Fprintln(os.Stderr, "to stderr")
		fmt.Print("without an end, then\r\n\nlong ", strings.Repeat("y", 300<<10), "\nend")
		os.Exit(1)
	case "env":
		return os.Environ(), nil
	case "context":
		deadline, _ := ctx.Deadline()
		return map[string]any{"id": about.AwsRequestID, "arn": about.InvokedFunctionArn, "left": time.Until(deadline).Seconds(), "trace": os.Getenv("_X_AMZN_TRACE_ID")}, nil
	}
	return map[string]string{"done": event.Do}, nil
}

// atGate tells the test that this process is there, and waits until it may go on.
func atGate(who string) {
	conn, err := net.Dial("tcp", os.Getenv("GATE"))
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(conn, "%s %d\n", who, os.Getpid())
	if _, err := bufio.NewReader(conn).ReadByte(); err != nil {
		os.Exit(1) // the test has ended
	}
}
