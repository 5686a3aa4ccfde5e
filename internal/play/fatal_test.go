package play_test

import (
	"context"
	"log"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/play"
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

// A handler that does real I/O would hang until the go command's own limit, which
// is ten minutes, and print nothing until then.
func TestRealIOInVirtualTimeEndsTheTest(t *testing.T) {
	if os.Getenv("PLAY_BLOCKED") != "" {
		play.TestHandler(t, adapted(func(h named) waitsForConnection { return waitsForConnection{h} }))
		return
	}
	testrun.OnlyThorough(t, "it takes half a minute")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "PLAY_BLOCKED=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "set RealTime") || !strings.Contains(string(out), "waitsForConnection.Create") {
		t.Errorf("%v: %.2000s", err, out)
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
