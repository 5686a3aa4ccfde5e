package clients

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/api"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// The command, killed at any moment of an order, goes on with it when it is started
// again, and ends it as if nothing had been.
func TestServeDeployIsKilled(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "cfnlocal")
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", program, ".")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	type kind struct {
		name   string
		before []order
		order  order // at which the function waits
		ends   string
	}
	for _, test := range testrun.Sample(4, []kind{
		{"create", nil, create("Create"), "CREATE_COMPLETE"},
		{"update", []order{create("Never"), rests("CREATE_COMPLETE")}, update("Id", "two", "Gate", "gate", "At", "Update"), "UPDATE_COMPLETE"},
		{"delete", []order{create("Delete"), rests("CREATE_COMPLETE")}, remove, "DELETE_COMPLETE"},
		{"update that fails", []order{create("Update"), rests("CREATE_COMPLETE")}, update("Fail", "Update"), "UPDATE_ROLLBACK_COMPLETE"},
		{"cancel", []order{create("Never"), rests("CREATE_COMPLETE"), update("Gate", "gate", "At", "Update")}, cancel, "UPDATE_ROLLBACK_COMPLETE"},
		{"rollback", []order{create("Update"), rests("CREATE_COMPLETE"), keeps("Fail", "Update"), rests("UPDATE_FAILED")}, rollBack, "UPDATE_ROLLBACK_COMPLETE"},
		{"continue", []order{create("Update"), rests("CREATE_COMPLETE"), breaks, update("Fail", "Update"), rests("UPDATE_ROLLBACK_FAILED"), mends}, goOn, "UPDATE_ROLLBACK_COMPLETE"},
	}) {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			const never, taken, anytime = "never", "once it was taken", "at any moment"
			play := func(killed string) []string {
				d := startKillable(t, program)
				defer func() { d.kill() }()
				for _, do := range test.before {
					if err := do(d); err != nil {
						t.Fatal(err)
					}
				}
				answered := make(chan error, 1)
				go func(d killable) { answered <- test.order(&d) }(*d)
				moment := make(<-chan time.Time)
				if killed == anytime {
					moment = time.After(rand.N(600 * time.Millisecond))
				}
				select {
				case err := <-answered:
					if err != nil {
						t.Fatal(err)
					}
				case <-moment:
				}
				if killed != never {
					d.kill()
					d.start()
				}
				if killed == anytime {
					_ = test.order(d) // as a client does who got no answer
				}
				return d.end(test.ends)
			}
			want := play(never)
			for _, killed := range []string{taken, anytime} {
				if diff := cmp.Diff(want, play(killed)); diff != "" {
					t.Errorf("killed %s (-never +killed):\n%s", killed, diff)
				}
			}
		})
	}
}

// A killable is a process of cfnlocal serve --deploy, whose function waits at a gate.
type killable struct {
	t            *testing.T
	program, dir string
	gate         *gate
	cmd          *exec.Cmd
	c            *cloudformation.Client
}

func startKillable(t *testing.T, program string) *killable {
	d := &killable{t: t, program: program, dir: t.TempDir(), gate: newGate(t)}
	d.start()
	return d
}

func (d *killable) start() {
	d.t.Helper()
	handler, err := os.Executable()
	if err != nil {
		d.t.Fatal(err)
	}
	d.cmd = exec.CommandContext(d.t.Context(), d.program, "--json", "serve", "--deploy", "--function", "Fn='"+handler+"'", "--env", handlerVariable+"=yes")
	d.cmd.Dir, d.cmd.Stderr = d.dir, os.Stderr
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	var said struct{ Endpoint, AccessKeyID, SecretAccessKey string }
	for in := json.NewDecoder(out); said.Endpoint == ""; { // what it resumes is told as well
		if err := in.Decode(&said); err != nil {
			d.t.Fatal(err)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	d.c = clientOf(said.Endpoint, api.Key{ID: said.AccessKeyID, Secret: said.SecretAccessKey})
}

func (d *killable) kill() {
	_ = d.cmd.Process.Kill()
	_ = d.cmd.Wait()
}

// end opens the gate, awaits a status, and returns the stack's events.
func (d *killable) end(status string) (rows []string) {
	d.t.Helper()
	out, err := d.c.DescribeStacks(d.t.Context(), &cloudformation.DescribeStacksInput{StackName: shop})
	if err != nil {
		d.t.Fatal(err)
	}
	id := out.Stacks[0].StackId
	d.gate.open()
	await(d.t, d.c, *id, status)
	events, err := d.c.DescribeStackEvents(d.t.Context(), &cloudformation.DescribeStackEventsInput{StackName: id})
	if err != nil {
		d.t.Fatal(err)
	}
	for _, e := range events.StackEvents {
		row := fmt.Sprint(*e.LogicalResourceId, " ", e.ResourceStatus)
		if *e.LogicalResourceId == "Thing" {
			row += " " + aws.ToString(e.PhysicalResourceId)
		}
		rows = append(rows, row)
	}
	return rows
}

// An order is what a client orders, or awaits, or does to what the function depends on.
type order func(*killable) error

var shop = aws.String("shop")

// create makes the stack, whose function waits at requests of a type.
func create(at string) order {
	return func(d *killable) error {
		_, err := d.c.CreateStack(d.t.Context(), &cloudformation.CreateStackInput{StackName: shop, TemplateBody: aws.String(oneResource),
			Parameters: parameters("Gate", d.gate.url, "At", at, "Fail", d.broken())})
		return err
	}
}

func update(pairs ...string) order { return updates(false, pairs) }
func keeps(pairs ...string) order  { return updates(true, pairs) }

// updates updates the stack to parameters, of which the value gate is the gate's URL.
func updates(disableRollback bool, pairs []string) order {
	return func(d *killable) error {
		in := &cloudformation.UpdateStackInput{StackName: shop, UsePreviousTemplate: aws.Bool(true), DisableRollback: &disableRollback, Parameters: parameters(pairs...)}
		for i := range in.Parameters {
			if *in.Parameters[i].ParameterValue == "gate" {
				in.Parameters[i].ParameterValue = &d.gate.url
			}
		}
		_, err := d.c.UpdateStack(d.t.Context(), in)
		return err
	}
}

func remove(d *killable) error {
	_, err := d.c.DeleteStack(d.t.Context(), &cloudformation.DeleteStackInput{StackName: shop})
	return err
}

func cancel(d *killable) error {
	_, err := d.c.CancelUpdateStack(d.t.Context(), &cloudformation.CancelUpdateStackInput{StackName: shop})
	return err
}

func rollBack(d *killable) error {
	_, err := d.c.RollbackStack(d.t.Context(), &cloudformation.RollbackStackInput{StackName: shop})
	return err
}

func goOn(d *killable) error {
	_, err := d.c.ContinueUpdateRollback(d.t.Context(), &cloudformation.ContinueUpdateRollbackInput{StackName: shop})
	return err
}

func rests(status string) order {
	return func(d *killable) error { await(d.t, d.c, "shop", status); return nil }
}

// While there is the file broken, what the stack was made with fails.
func (d *killable) broken() string { return filepath.Join(d.dir, "broken") }
func breaks(d *killable) error     { return os.WriteFile(d.broken(), nil, 0o600) }
func mends(d *killable) error      { return os.Remove(d.broken()) }
