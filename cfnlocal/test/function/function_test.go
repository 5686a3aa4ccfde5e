// Package function plays functions as users write them, with the AWS SDK's clients: their processes
// are the local CloudFormation's, and ask it why a request came (phase_test.go), or go on by invoking
// themselves through its Lambda (long_test.go).
package function

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/selfinvoke"
	"github.com/cfnresource/sdk-go/cfnresource/stackphase"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// TestMain: as a function of the local CloudFormation, the tests' program is the handler.
func TestMain(m *testing.M) {
	switch os.Getenv("HANDLER") {
	case "asks":
		lambda.Start(cfnresource.New(&Asking{newClient()}, stackphase.FromEnvironment))
	case "takes long":
		lambda.Start(cfnresource.New(&Long{}, stackphase.FromEnvironment, selfinvoke.FromEnvironment))
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // they wait, and need hardly a processor
		panic(err)
	}
	os.Exit(m.Run())
}

// A scene is one stack with a function.
type scene struct {
	*local.Home
	t       *testing.T
	handler string // see TestMain
	timeout int    // the function's, in seconds
	dir     string // what the handler makes and writes is in
	faults  []local.Fault

	mu    sync.Mutex
	links int
	log   []string
}

func newScene(t *testing.T, handler string, timeout int) *scene {
	t.Helper()
	home, err := local.Open(filepath.Join(t.TempDir(), "stacks"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = home.Close() })
	return &scene{Home: home, t: t, handler: handler, timeout: timeout, dir: t.TempDir()}
}

func (s *scene) Event(engine.Row) {}

func (s *scene) Note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text == "Fn invokes itself, asynchronously" {
		s.links++
	}
}

func (s *scene) Log(_, line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, line)
}

// template declares the function and things, each "ID PROPERTIES". In turn, each waits for the one before.
func (s *scene) template(inTurn bool, things []string) *record.Revision {
	var b strings.Builder
	fmt.Fprintf(&b, "Resources:\n  Fn: {Type: AWS::Lambda::Function, Properties: {Handler: x, Runtime: provided.al2023, Role: r, Timeout: %d, Code: {S3Bucket: b, S3Key: k}}}\n", s.timeout)
	before := "Fn"
	for _, thing := range things {
		id, properties, _ := strings.Cut(thing, " ")
		fmt.Fprintf(&b, "  %s: {Type: Custom::Thing, DependsOn: %s, Properties: {ServiceToken: !GetAtt Fn.Arn, ServiceTimeout: 75, %s}}\n", id, before, properties)
		if inTurn {
			before = id
		}
	}
	return &record.Revision{File: filepath.Join(s.dir, "t.yaml"), Body: b.String(), Dir: s.dir,
		Substitutes: record.Substitutes{
			Commands: map[string]string{"Fn": "'" + os.Args[0] + "'"}, Env: map[string]string{"HANDLER": s.handler, "SCENE": s.dir},
		}}
}

// settings are those of an operation, with the scene's faults.
func (s *scene) settings() local.Settings {
	return local.Settings{Options: engine.Options{Seed: 1}, Watcher: s, Faults: local.NewFaults(1, s.faults...), ExactTimeouts: true}
}

func (s *scene) delete(want string) {
	s.t.Helper()
	s.expectStatus(want)(s.Delete(s.t.Context(), "shop", nil, false, s.settings()))
}

func (s *scene) expectStatus(want string) func(*engine.Stack, error) {
	return func(stack *engine.Stack, err error) {
		s.t.Helper()
		if err != nil {
			s.t.Fatal(err)
		}
		log := strings.Join(s.log, "\n")
		if stack.Status != want {
			s.t.Fatalf("the stack is in %s, want %s: %s\n%s", stack.Status, want, stack.StatusReason, log)
		}
		if strings.Contains(log, "X-Amz-Signature") {
			s.t.Errorf("the signed URL is in the log: %s", log)
		}
	}
}

// ofScene is the path of a file of the scene, for its handler.
func ofScene(name string) string { return filepath.Join(os.Getenv("SCENE"), name) }

// note writes a line to a file of the scene.
func note(file, format string, args ...any) error {
	f, err := os.OpenFile(ofScene(file), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, format+"\n", args...)
	return errors.Join(err, f.Close())
}
