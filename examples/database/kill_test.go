//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/response"
)

// The tests of this file kill the function's process, by SIGKILL, at every message of every
// operation: before it is sent, and when it is sent but its answer was not read, so that PostgreSQL
// works on it after the process's death. The process is this program, run with the variables below.
const (
	envKill  = "DATABASE_TEST_KILL" // "before 3", "sent 3"
	envPhase = "DATABASE_TEST_PHASE"
)

func TestMain(m *testing.M) {
	if at, ok := os.LookupEnv(envKill); ok {
		child(at)
		return
	}
	os.Exit(m.Run())
}

// child works on the event from its standard input, and ends without an answer.
func child(at string) {
	// Which statement is the last, and whether it is sent.
	when, number, _ := strings.Cut(at, " ")
	last, _ := strconv.ParseInt(number, 10, 64)
	var sent atomic.Int64
	die := func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL); select {} }

	// A server whose connections end the process at that statement.
	config, err := pgx.ParseConfig(os.Getenv("DATABASE_TEST_DSN"))
	if err != nil {
		panic(err)
	}
	key := secret{
		Host: config.Host, Port: int(config.Port), Username: config.User, Password: config.Password,
		Database: config.Database, Key: testKey,
	}
	s := &server{
		secret: func(context.Context) (secret, error) { return key, nil },
		connect: func(ctx context.Context, config *pgx.ConnConfig) (conn, error) {
			dial := config.DialFunc
			config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
				c, err := dial(ctx, network, address)
				return mortal{Conn: c, write: func(write func() (int, error)) (int, error) {
					number := sent.Add(1)
					if when == "before" && number == last {
						die()
					}
					n, err := write()
					if when == "sent" && number == last {
						die()
					}
					return n, err
				}}, err
			}
			return connect(ctx, config)
		},
	}

	// The event.
	d := cfnresource.New(&Database{s}, func(o *cfnresource.Options) {
		o.Phase = always(lifecycle.Phase(os.Getenv(envPhase)))
		o.Sender = nobody{}
	})
	event, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, _ = d.Invoke(ctx, event)
}

type nobody struct{}

func (nobody) Send(context.Context, response.URL, []byte) error { return nil }

// A mortal connection calls write for each statement that is sent: a query, or one of the two
// messages of a statement with arguments. ("Message Formats" in PostgreSQL's documentation.)
type mortal struct {
	net.Conn
	write func(write func() (int, error)) (int, error)
}

func (m mortal) Write(b []byte) (int, error) {
	if len(b) == 0 || !bytes.ContainsAny(b[:1], "QPB") {
		return m.Conn.Write(b)
	}
	return m.write(func() (int, error) { return m.Conn.Write(b) })
}

// kill has a process work on the event and die there, and reports whether it lived to the end.
func (b *bed) kill(event []byte, phase lifecycle.Phase, at string) (lived bool) {
	b.t.Helper()
	self, err := os.Executable()
	if err != nil {
		b.t.Fatal(err)
	}
	cmd := exec.CommandContext(b.t.Context(), self)
	cmd.Env = append(os.Environ(), envKill+"="+at, envPhase+"="+string(phase), "DATABASE_TEST_DSN="+b.dsn)
	cmd.Stdin = bytes.NewReader(event)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return true
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		b.t.Fatalf("the process ended with %v:\n%s", err, out)
	}
	return false
}

// deaths kills a process at every message that event takes, on a server that
// prepare has made ready, and hands over to then.
func deaths(t *testing.T, prepare func(b *bed) (event []byte, phase lifecycle.Phase), then map[string]func(t *testing.T, b *bed, event []byte)) {
	t.Helper()
	if testing.Short() {
		t.Skip("it kills a hundred processes: run it without -short")
	}
	newBed(t) // or skip
	const most = 60
	for name, then := range then {
		for _, when := range []string{"before", "sent"} {
			for number := 1; ; number++ {
				if number > most {
					t.Fatalf("the process sends more than %d messages", most)
				}
				at := fmt.Sprintf("%s %d", when, number)
				lived := false
				t.Run(at+" then "+name, func(t *testing.T) {
					b := newBed(t)
					event, phase := prepare(b)
					lived = b.kill(event, phase, at)
					then(t, b, event)
				})
				if lived {
					if number < 4 {
						t.Errorf("nobody was killed: the process sent %d messages", number-1)
					}
					break
				}
			}
		}
	}
}

// expect checks what there is of a database, and that there is nothing else.
func (b *bed) expect(want map[string]any) {
	b.t.Helper()
	got := map[string]any{}
	for _, name := range b.list() {
		got[name] = b.state(name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		b.t.Errorf("there are (-want +got):\n%s", diff)
	}
}

func (b *bed) succeed(event []byte, phase lifecycle.Phase) cfntest.Response {
	b.t.Helper()
	a := cfntest.Invoke(b.t, b.function(phase), event)
	if a.Status != "SUCCESS" {
		b.t.Errorf("answered %+v", a)
	}
	return a
}

func whole(owner string) made { return made{Owner: owner, Limit: -1, Marked: true, Closed: true} }

func TestKilledInCreate(t *testing.T) {
	deaths(t, func(b *bed) ([]byte, lifecycle.Phase) {
		return cfntest.CreateEvent(b.orders()), lifecycle.PhaseCreating
	}, map[string]func(*testing.T, *bed, []byte){
		"Lambda tries again": func(_ *testing.T, b *bed, event []byte) {
			p := b.orders()
			b.succeed(event, lifecycle.PhaseCreating)
			b.expect(map[string]any{p.Name: whole(p.Owner)})
			b.succeed(cfntest.DeleteEvent(p.Name, p), lifecycle.PhaseDeleting)
			b.nothing()
		},
		// The on-failure destination answers with the StableID.
		"the stack rolls back": func(_ *testing.T, b *bed, _ []byte) {
			p := b.orders()
			b.succeed(cfntest.DeleteEvent(b.stable(p), p), lifecycle.PhaseCreateRollback)
			b.nothing()
		},
	})
}

func TestKilledInUpdate(t *testing.T) {
	changed := func(b *bed) Props {
		p := b.orders()
		p.Owner, p.ConnectionLimit = b.prefix+"web", 5
		return p
	}
	deaths(t, func(b *bed) ([]byte, lifecycle.Phase) {
		b.create(b.orders())
		b.runIn(b.orders().Name, `CREATE TABLE kept (id int)`)
		return cfntest.UpdateEvent(b.orders().Name, changed(b), b.orders()), lifecycle.PhaseUpdating
	}, map[string]func(*testing.T, *bed, []byte){
		"Lambda tries again": func(_ *testing.T, b *bed, event []byte) {
			b.succeed(event, lifecycle.PhaseUpdating)
			after := whole(changed(b).Owner)
			after.Limit = 5
			b.expect(map[string]any{b.orders().Name: after})
			b.runIn(b.orders().Name, `SELECT 'kept'::regclass`)
		},
		"the stack rolls back": func(_ *testing.T, b *bed, _ []byte) {
			b.succeed(cfntest.UpdateEvent(b.orders().Name, b.orders(), changed(b)), lifecycle.PhaseUpdateRollback)
			b.expect(map[string]any{b.orders().Name: whole(b.orders().Owner)})
			b.runIn(b.orders().Name, `SELECT 'kept'::regclass`)
		},
	})
}

func TestKilledInAReplacement(t *testing.T) {
	deaths(t, func(b *bed) ([]byte, lifecycle.Phase) {
		b.create(b.orders())
		b.runIn(b.orders().Name, `CREATE TABLE kept (id int)`)
		return cfntest.UpdateEvent(b.orders().Name, b.returns(), b.orders()), lifecycle.PhaseUpdating
	}, map[string]func(*testing.T, *bed, []byte){
		"Lambda tries again": func(t *testing.T, b *bed, event []byte) {
			if a := b.succeed(event, lifecycle.PhaseUpdating); a.PhysicalResourceID != b.returns().Name {
				t.Errorf("answered %+v", a)
			}
			b.succeed(cfntest.DeleteEvent(b.orders().Name, b.orders()), lifecycle.PhaseReplacementCleanup)
			b.expect(map[string]any{b.returns().Name: whole(b.returns().Owner)})
		},
		"the stack rolls back": func(t *testing.T, b *bed, _ []byte) {
			if a := b.succeed(cfntest.UpdateEvent(b.orders().Name, b.orders(), b.returns()), lifecycle.PhaseUpdateRollback); a.PhysicalResourceID != b.orders().Name {
				t.Errorf("the rollback answered %+v", a)
			}
			b.expect(map[string]any{b.orders().Name: whole(b.orders().Owner)})
			b.runIn(b.orders().Name, `SELECT 'kept'::regclass`)
		},
		// Where nobody knows that it is a rollback, the next update to the new
		// one goes on with what there is of it.
		"the stack rolls back unseen, and is updated again": func(_ *testing.T, b *bed, _ []byte) {
			b.succeed(cfntest.UpdateEvent(b.orders().Name, b.orders(), b.returns()), lifecycle.PhaseUnknown)
			b.succeed(cfntest.UpdateEvent(b.orders().Name, b.returns(), b.orders()), lifecycle.PhaseUnknown)
			b.succeed(cfntest.DeleteEvent(b.orders().Name, b.orders()), lifecycle.PhaseReplacementCleanup)
			b.expect(map[string]any{b.returns().Name: whole(b.returns().Owner)})
		},
	})
}

func TestKilledInDelete(t *testing.T) {
	for phase, data := range map[lifecycle.Phase]bool{lifecycle.PhaseDeleting: true, lifecycle.PhaseCreateRollback: false} {
		deaths(t, func(b *bed) ([]byte, lifecycle.Phase) {
			b.create(b.orders())
			if data {
				b.runIn(b.orders().Name, `CREATE TABLE gone (id int)`)
			}
			return cfntest.DeleteEvent(b.orders().Name, b.orders()), phase
		}, map[string]func(*testing.T, *bed, []byte){
			string(phase) + ": it is deleted again": func(_ *testing.T, b *bed, event []byte) {
				b.succeed(event, phase)
				b.nothing()
			},
		})
	}
}

func TestKilledInTheDeleteOfARollbackThatKeepsData(t *testing.T) {
	deaths(t, func(b *bed) ([]byte, lifecycle.Phase) {
		b.create(b.orders())
		b.runIn(b.orders().Name, `CREATE TABLE kept (id int)`)
		return cfntest.DeleteEvent(b.orders().Name, b.orders()), lifecycle.PhaseCreateRollback
	}, map[string]func(*testing.T, *bed, []byte){
		"Lambda tries again": func(_ *testing.T, b *bed, event []byte) {
			b.succeed(event, lifecycle.PhaseCreateRollback)
			b.expect(map[string]any{b.orders().Name: whole(b.orders().Owner)})
			b.runIn(b.orders().Name, `SELECT 'kept'::regclass`)
		},
	})
}
