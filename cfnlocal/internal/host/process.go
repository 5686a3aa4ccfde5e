package host

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/loopback"
)

// A process is one process of a function, and the Runtime API that serves this process only.
type process struct {
	host     *Host
	function *function
	cmd      *exec.Cmd
	pid      int
	api      string           // the address of its Runtime API, which no other process has
	work     chan *invocation // taken when the process asks for an event
	exited   chan struct{}    // closed when the process has ended and its log is read
	exit     error            // how it ended, once exited is closed

	mu      sync.Mutex
	ended   bool            // it must not be killed any more: its ID can be another's
	current *invocation     // the one that it has not answered yet
	last    *invocation     // the latest one that it got; nil before the first
	tail    []string        // the last lines that it wrote
	initErr json.RawMessage // its own report of why it cannot start
}

// start starts a process. The error says why it cannot start.
func (h *Host) start(f *function) (*process, error) {
	if !h.enter(false) {
		return nil, errClosed
	}
	p := &process{host: h, function: f, work: make(chan *invocation), exited: make(chan struct{})}
	started := make(chan error)
	go func() {
		defer h.leave(false)
		// Linux kills the process when the thread that has started it ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		p.live(started)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// live starts the process and serves it until it ends.
func (p *process) live(started chan<- error) {
	dir, err := p.function.workDir()
	if err != nil {
		started <- err
		return
	}
	// Open its API and its output, then start it.
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it waits for nothing
	if err != nil {
		started <- fmt.Errorf("cannot listen on a port of 127.0.0.1: %w", err)
		return
	}
	log, output, err := os.Pipe()
	if err != nil {
		_ = listener.Close()
		started <- err
		return
	}
	p.cmd = exec.Command(p.function.Command[0], p.function.Command[1:]...) //nolint:noctx // kill ends the whole group
	p.cmd.Dir, p.cmd.Env = dir, p.host.environment(p.function, dir, listener.Addr().String())
	p.cmd.Stdout, p.cmd.Stderr = output, output // one for both keeps the order of their lines
	p.cmd.SysProcAttr = ownGroup()
	err = p.cmd.Start()
	_ = output.Close()
	if err != nil {
		_, _ = log.Close(), listener.Close()
		started <- err
		return
	}
	p.pid, p.api = p.cmd.Process.Pid, listener.Addr().String()
	defer context.AfterFunc(p.host.ctx, p.kill)()
	started <- nil

	// Serve the API and read the output until the process ends.
	server := loopback.NewServer(p.runtimeAPI())
	server.MaxHeaderBytes = maxHeaders
	var parts sync.WaitGroup
	parts.Go(func() { _ = server.Serve(listener) })
	read := make(chan struct{})
	parts.Go(func() { defer close(read); p.readLog(log) })

	// Kill all that it has started before exited is closed.
	err = p.cmd.Wait()
	p.end()
	select {
	case <-read:
	case <-time.After(Allow(time.Second)): // a daemon that it has started could not be killed, and keeps its output open
	}
	_, _ = log.Close(), server.Close()
	parts.Wait()
	p.exit = err
	p.host.removeProcess(p)
	close(p.exited)
}

// kill ends the process and all that it has started, as Lambda does at the
// timeout. It does not wait.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		killGroup(p.cmd.Process)
	}
}

// end notes that the process has ended, and kills the processes that it has left behind: its group, and the daemons that
// have left that.
func (p *process) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	killGroup(p.cmd.Process)
	killDaemons(runtimeAPI + "=" + p.api)
}

// An invocation is one delivery of an event to a process.
type invocation struct {
	id, arn string
	trace   string
	payload []byte
	timeout time.Duration
	allowed time.Duration // the timeout multiplied for this machine, once the process has taken it
	exact   bool          // the function sees timeout
	waited  bool          // the function is told that no Create runs: see NoCreateRuns
	fault   Fault
	late    func(p *process) // called once the process has let it wait for slowStart
	invoked func(p *process) // called before the process gets it
	taken   chan struct{}    // closed after that
	done    chan outcome     // gets one, unless the process ends before; has room for it
}

var (
	errGone     = errors.New("host: the process ended before it asked for the event")
	errNotReady = errors.New("host: the process did not ask for the event in time")
)

// run gives the process an invocation as soon as it asks for one, and returns how it ended. The
// error is errGone, errNotReady, or the context's. The process has ended, or is about
// to end, unless the outcome is Succeeded or Errored.
func (p *process) run(ctx context.Context, inv *invocation, limit time.Duration) (outcome, error) {
	if err := p.give(ctx, inv, limit); err != nil {
		return outcome{}, err
	}
	p.function.worked.Store(true)
	if inv.fault == DieBefore {
		return p.crash(inv), nil
	}
	began := time.Now()
	o, allowed, err := p.await(ctx, inv)
	if allowed > inv.timeout {
		o.overtime = max(0, time.Since(began)-inv.timeout)
	}
	return o, err
}

// give waits until the process has taken an invocation. The error is one of run's.
func (p *process) give(ctx context.Context, inv *invocation, limit time.Duration) error {
	ready, slow := time.NewTimer(p.host.allowed(limit)), time.NewTimer(p.host.slowStart)
	defer ready.Stop()
	defer slow.Stop()
	for {
		select {
		case p.work <- inv:
			<-inv.taken
			return nil
		case <-p.exited:
			return errGone
		case <-slow.C:
			inv.late(p)
		case <-ready.C:
			p.kill()
			<-p.exited
			return errNotReady
		case <-ctx.Done():
			p.kill()
			return ctx.Err()
		}
	}
}

// await waits for the end of the process's invocation. It also returns how long that was
// allowed to take: more than at its beginning if the machine has become busier.
func (p *process) await(ctx context.Context, inv *invocation) (o outcome, allowed time.Duration, err error) {
	allowed = inv.allowed
	overtime := time.NewTimer(allowed)
	defer overtime.Stop()
	for {
		select {
		case o := <-inv.done: // it has responded
			if inv.fault == DieAfter {
				o = p.crash(inv)
			}
			return o, allowed, nil
		case <-p.exited: // it has ended
			select {
			case o := <-inv.done: // a response counts, whatever comes after it
				return o, allowed, nil
			default:
				return p.crash(inv), allowed, nil
			}
		case <-overtime.C: // its time is over, unless the machine has become busier
			if more := p.host.allowed(inv.timeout) - allowed; more > 0 {
				overtime.Reset(more)
				allowed += more
				continue
			}
			p.kill()
			<-p.exited
			return timedOut(inv.id, inv.timeout), allowed, nil
		case <-ctx.Done():
			p.kill()
			return outcome{}, allowed, ctx.Err()
		}
	}
}

// crash kills the process, if it has not ended on its own, and returns how it ended.
func (p *process) crash(inv *invocation) outcome {
	p.kill()
	<-p.exited
	return failure(Crashed, "Runtime.ExitError", inv.id, p.howItEnded())
}

// initFailure is the outcome where the process ended before it asked for an event.
func (p *process) initFailure(inv *invocation) outcome {
	<-p.exited
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.initErr != nil {
		return posted(InitFailed, p.initErr)
	}
	how := p.howItEnded()
	if len(p.tail) > 0 {
		how += ". Its last lines: " + strings.Join(p.tail, " / ")
	}
	return failure(InitFailed, "Runtime.ExitError", inv.id, how)
}

func (p *process) howItEnded() string {
	if p.exit == nil {
		return "Runtime exited without providing a reason"
	}
	return "Runtime exited with error: " + strings.TrimSpace(p.exit.Error())
}

// tailLines is how many of its last lines are reported if a process ends before it asks
// for an event.
const tailLines = 3

// readLog passes on what the process writes, line by line.
func (p *process) readLog(r io.Reader) {
	forEachLine(r, func(text string) {
		p.mu.Lock()
		p.tail = append(p.tail[max(0, len(p.tail)-tailLines+1):], fmt.Sprintf("%.200s", text))
		line := LogLine{Function: p.function.name, Text: text}
		if p.last != nil {
			line.Payload = p.last.payload
		}
		p.mu.Unlock()
		if p.host.config.Log == nil {
			return
		}
		p.host.logging.Lock()
		defer p.host.logging.Unlock()
		p.host.config.Log(line)
	})
}

// invoke gives an invocation to a process that is warm, or to a new one, and returns how it ended,
// and the ID of the process. The error is the context's.
func (h *Host) invoke(ctx context.Context, f *function, inv *invocation, event Event) (o outcome, pid int, err error) {
	run := func(p *process, limit time.Duration) error {
		o, err = p.run(ctx, inv, limit)
		if err == nil {
			h.keepWarm(p)
		}
		return err
	}

	// Try the warm processes. One that has ended, or hangs, since its last event is passed over.
	for p := h.idleProcess(f); p != nil; p = h.idleProcess(f) {
		err := run(p, h.initLimit)
		if passedOver := errors.Is(err, errGone) || errors.Is(err, errNotReady); !passedOver {
			return o, p.pid, err
		}
	}

	// Start one, and once more with the function's own timeout if it does not get ready. A function that
	// never got ready is started once in the next attempt, since an earlier start can have prepared it, as
	// go run does, and then no more.
	hung, limits, skipped := f.hung.Load(), []time.Duration{h.initLimit, min(f.Timeout, longestStart)}, h.initLimit+f.Timeout
	if !f.worked.Load() {
		limits = limits[:max(0, len(limits)-int(hung))]
	}
	for _, limit := range limits {
		p, err := h.start(f)
		switch {
		case errors.Is(err, errClosed):
			return outcome{}, 0, err
		case err != nil:
			return failure(InitFailed, "Runtime.InvalidEntrypoint", inv.id, err.Error()), 0, nil
		}
		event.Kind, event.PID = Started, p.pid
		h.report(event)
		switch err := run(p, limit); {
		case errors.Is(err, errGone):
			return p.initFailure(inv), p.pid, nil
		case errors.Is(err, errNotReady):
			pid, skipped = p.pid, skipped-limit
		default:
			return o, p.pid, err
		}
	}
	f.hung.CompareAndSwap(hung, hung+1) // once for attempts at the same time
	o = timedOut(inv.id, f.Timeout)
	o.skipped = skipped
	return o, pid, h.config.Clock.Wait(ctx, h.config.Clock.Now().Add(skipped))
}

// longestStart is how long the host waits at most for a process that may take longer to get ready.
const longestStart = 2 * time.Minute

// idleProcess returns the idle process that was busy most recently, or nil.
func (h *Host) idleProcess(f *function) *process {
	h.mu.Lock()
	defer h.mu.Unlock()
	last := len(f.idle) - 1
	if last < 0 {
		return nil
	}
	p := f.idle[last]
	f.idle = f.idle[:last]
	return p
}

// keepWarm keeps a process for the next event, unless it has ended or its function was replaced.
func (h *Host) keepWarm(p *process) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p.function.retired {
		p.kill()
		return
	}
	select {
	case <-p.exited:
	default:
		p.function.idle = append(p.function.idle, p)
	}
}

// removeProcess removes a process that has ended from its function's idle ones.
func (h *Host) removeProcess(p *process) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p.function.idle = slices.DeleteFunc(p.function.idle, func(q *process) bool { return q == p })
}

// maxLine is how long a line can be, in bytes, before it is cut into parts.
const maxLine = 256 << 10

// forEachLine calls do for every line of r, without its end, until r ends or fails.
func forEachLine(r io.Reader, do func(line string)) {
	lines := bufio.NewReaderSize(r, maxLine)
	for cut := false; ; {
		line, err := lines.ReadSlice('\n')
		text := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
		isEnd := cut && text == "" // of a line that was exactly maxLine long
		if len(line) > 0 && !isEnd {
			do(text)
		}
		cut = err == bufio.ErrBufferFull
		if err != nil && !cut {
			return
		}
	}
}
