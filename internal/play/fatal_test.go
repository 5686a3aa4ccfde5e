package play_test

import (
	"bytes"
	"context"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// callsLogFatal ends the process by log.Fatal.
type callsLogFatal struct{ named }

func (callsLogFatal) Create(context.Context, *creation) (data boxData, err error) {
	log.Fatal("no depot here")
	return data, err
}

// panicsInGoroutine panics where nobody can recover.
type panicsInGoroutine struct{ named }

func (panicsInGoroutine) Create(context.Context, *creation) (data boxData, err error) {
	go func() { panic("no depot here") }()
	select {}
}

// waitsForConnection waits for a reply on a network connection, which virtual time does not see.
type waitsForConnection struct{ named }

func (waitsForConnection) Create(ctx context.Context, _ *creation) (data boxData, err error) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return data, err
	}
	c, err := new(net.Dialer).DialContext(ctx, "tcp", silent.Addr().String())
	if err == nil {
		_, err = c.Read(make([]byte, 1))
	}
	return data, err
}

// besideServer has the depot behind a server on a socket, which its handler does not even call.
func besideServer() play.Contract {
	return withService(namedBoxes, func(*play.Service) { httptest.NewServer(http.NotFoundHandler()) })
}

// A handler, or a service, with a socket would hang until the go command's own limit, which is ten minutes, and print nothing
// until then. The last line is what whoever runs the test reads first.
func TestASocketInVirtualTimeEndsTheTest(t *testing.T) {
	contracts := map[string]func() play.Contract{
		"waitsForConnection.Create": func() play.Contract {
			return adapted(func(h named) waitsForConnection { return waitsForConnection{h} })
		},
		"httptest.(*Server)": besideServer,
	}
	if which := os.Getenv("PLAY_SOCKET"); which != "" {
		play.TestHandler(t, contracts[which]())
		return
	}
	for shown := range contracts {
		t.Run(shown, func(t *testing.T) {
			t.Parallel() // it waits for a process that waits
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestASocketInVirtualTimeEndsTheTest$")
			cmd.Env = append(os.Environ(), "PLAY_SOCKET="+shown)
			began := time.Now()
			out, err := cmd.CombinedOutput()
			if took := time.Since(began); err == nil || took > 20*time.Second {
				t.Errorf("it ended after %v with %v", took, err)
			}
			text := strings.TrimSpace(string(out))
			last := text[strings.LastIndexByte(text, '\n')+1:]
			transport, realTime := strings.Index(last, "ServeHTTP"), strings.Index(last, "RealTime")
			if transport < 0 || realTime < transport || !strings.Contains(last, "EndsTheTest/create-delete") {
				t.Errorf("the last line is %q: want the check, a transport, and only then RealTime", last)
			}
			if !strings.Contains(text, shown) || strings.Count(text, "\n") > 60 {
				t.Errorf("no %s, or too much, in\n%s", shown, text)
			}
		})
	}
}

var deadly = map[string]play.Contract{
	"log.Fatal":                       adapted(func(h named) callsLogFatal { return callsLogFatal{h} }),
	"panic in a goroutine of its own": adapted(func(h named) panicsInGoroutine { return panicsInGoroutine{h} }),
}

// A process that the handler ends says by which check, or by which history, and why.
func TestTheLastWordsOfAProcessNameTheCheckAndTheHistory(t *testing.T) {
	if play := os.Getenv("PLAY_DEADLY"); play != "" {
		dieOf(t, play)
		return
	}
	for how := range deadly {
		for what, want := range map[string]string{
			"check":   "TheHistory/create-delete",
			"history": "TheHistory: v0",
		} {
			cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
			cmd.Env = append(os.Environ(), "PLAY_DEADLY="+what+" "+how)
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Fatalf("%s, %s: the process goes on: %s", how, what, out)
			}
			for _, part := range []string{want, "no depot here", ".Create"} {
				if !strings.Contains(string(out), part) {
					t.Errorf("%s, %s: no %q in\n%s", how, what, part, out)
				}
			}
		}
	}
}

func dieOf(t *testing.T, words string) {
	what, how, _ := strings.Cut(words, " ")
	if what == "check" {
		play.TestHandler(t, deadly[how])
	}
	play.Explore(t, deadly[how], play.ExploreOptions{})
}

// neither is right, as far as its kind can be: its boxes have IDs of the depot's, and
// nothing on them leads back to the stack.
type neither struct{ d *depot }

func (h neither) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id, err := h.d.assign(ctx, box{room: req.Properties.Room})
	if err != nil {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), h.d.fill(ctx, id, req.Properties.filling())
}

func (h neither) Update(ctx context.Context, req *updating) (boxData, error) {
	return found(h).Update(ctx, req)
}

func (h neither) Delete(ctx context.Context, req *deletion) error {
	return found(h).Delete(ctx, req)
}

var neitherBoxes = neitherContract(func(d *depot) simulate.Function { return process(neither{d}) })

func neitherContract(process func(d *depot) simulate.Function) play.Contract {
	c := depotContract(process)
	c.Replacing, c.Neither = nil, true
	return c
}

// A Contract that says Neither has what no handler of the kind can hold left out, by name.
func TestWhatTheKindNeitherCannotHoldIsLeftOutByName(t *testing.T) {
	var left []string
	for _, r := range play.RunChecks(t, neitherBoxes) {
		if r.Outcome == "failed" || r.Outcome == "unjudged" {
			t.Errorf("%s %s: %s", r.Name, r.Outcome, r.Text)
		}
		if strings.Contains(r.Text, "neither") {
			left = append(left, r.Name)
		}
	}
	want := []string{
		"create-redelivered-one-resource", "create-error-after-making", "create-out-of-time-nothing-left", "create-died-half-way-is-finished",
		"create-refused-nothing-left", "create-cancelled-while-running", "delete-lost-create", "warm-process-recovers", "among-others",
	}
	if diff := cmp.Diff(want, left); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	if e := play.Exploration(t, neitherBoxes, play.ExploreOptions{Depth: 2, Histories: testrun.Share(300, 0)}); len(e.Findings) > 0 {
		t.Errorf("%d of %d histories do harm: %s", len(e.Findings), e.Played, e.Findings[0])
	}
	undeclared := neitherBoxes
	undeclared.Neither = false
	if text, _ := play.RunCheck(t, undeclared, "delete-lost-create"); text == "" {
		t.Error("without Neither, what cannot be held is not told")
	}
}

// The kind excuses nothing that it can hold.
func TestTheKindNeitherDoesNotExcuseALateCreated(t *testing.T) {
	c := neitherContract(func(d *depot) simulate.Function { return process(neitherNamesLate{neither{d}}) })
	c.Refused = nil
	e := play.Exploration(t, c, play.ExploreOptions{Depth: 1})
	if want := "v0!fail-at-step:3@1"; len(e.Lines) == 0 || e.Lines[0] != want {
		t.Errorf("found %q, want %s first", e.Lines, want)
	}
}

// neitherNamesLate calls Created behind its last effect.
type neitherNamesLate struct{ neither }

func (h neitherNamesLate) Create(ctx context.Context, req *creation) (data boxData, err error) {
	id, err := h.d.assign(ctx, box{room: req.Properties.Room})
	if err != nil {
		return data, err
	}
	if err := h.d.fill(ctx, id, req.Properties.filling()); err != nil {
		return data, err
	}
	req.Created(id)
	return req.Properties.data(), nil
}

// The log of events that are to fail would hide that of a failure.
func TestTheLogIsQuietAndPutBack(t *testing.T) {
	var seen bytes.Buffer
	writer := log.Writer()
	log.SetOutput(&seen) // and so slog's, whose default goes there
	defer log.SetOutput(writer)
	play.RunChecks(t, adapted(same))
	if seen.Len() > 0 {
		t.Errorf("logged: %s", seen.String())
	}
	log.Print("one")
	slog.Info("two")
	if got := seen.String(); !strings.Contains(got, "one") || !strings.Contains(got, "two") {
		t.Errorf("afterwards the log gets %q", got)
	}
}

// What is logged in one test is not taken for another's, and goes where it went
// before when all have ended.
func TestParallelTestsPutTheLogBack(t *testing.T) {
	was := slog.Default()
	t.Cleanup(func() { slog.SetDefault(was) })
	mine := slog.New(slog.DiscardHandler)
	slog.SetDefault(mine)
	c := adapted(func(h named) logsCreate { return logsCreate{h} })
	ok := runTest(func(t *testing.T) {
		for range testrun.Share(2, 4) {
			t.Run("explore", func(t *testing.T) { t.Parallel(); play.Explore(t, c, play.ExploreOptions{Histories: 50}) })
			t.Run("ask", func(t *testing.T) { t.Parallel(); play.TestHandler(t, c) })
		}
	})
	if !ok {
		t.Error("a test fails")
	}
	if slog.Default() != mine {
		t.Error("the log goes elsewhere after the tests")
	}
}

// logsAndForgets logs what it does, and ignores that a Delete fails.
type logsAndForgets struct{ named }

func (h logsAndForgets) Create(ctx context.Context, req *creation) (boxData, error) {
	slog.InfoContext(ctx, "a box is built", "room", req.Properties.Room)
	return h.named.Create(ctx, req)
}

func (h logsAndForgets) Delete(ctx context.Context, req *deletion) error {
	slog.InfoContext(ctx, "a box is removed and forgotten")
	_ = h.named.Delete(ctx, req)
	return nil
}

// A check plays many stacks, and one of them shows the fault.
func TestTheLogOfAFailureIsThatOfTheOnePlay(t *testing.T) {
	_, log := play.RunCheck(t, adapted(func(h named) logsAndForgets { return logsAndForgets{h} }), "delete-failed-is-told")
	if n := strings.Count(log, "a box is built"); n != 1 {
		t.Errorf("%d boxes are built, want one, in\n%s", n, log)
	}
	if lines := strings.Count(log, "\n") + 1; lines > 8 {
		t.Errorf("there are %d lines:\n%s", lines, log)
	}
}
