package stepfunctions

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// An interpreter runs executions of state machines, one at a time: testdata/machine.js under Node.
type interpreter struct {
	mu  sync.Mutex
	in  io.Writer
	out *bufio.Scanner
}

// A failure is what a task throws: an error such as Lambda.TooManyRequestsException, and its cause.
type failure struct{ name, cause string }

func (f failure) Error() string { return f.name + ": " + f.cause }

// newInterpreter starts one, or skips the test if it is not here.
func newInterpreter(t *testing.T) *interpreter {
	t.Helper()
	modules := os.Getenv("TEST_STEPFUNCTIONS")
	if modules == "" {
		t.Skip("TEST_STEPFUNCTIONS names no directory in which aws-local-stepfunctions is installed; .ci/with-stepfunctions go -C cfnlocal/test/stepfunctions test -v . installs it and runs this test")
	}
	node := exec.CommandContext(t.Context(), "node", "testdata/machine.js")
	node.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(modules, "node_modules"), "AWS_REGION=us-east-1")
	node.Stderr = t.Output()
	in, err := node.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := node.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := node.Start(); err != nil {
		t.Fatalf("%v; install Node, with apt-get install nodejs for one", err)
	}
	t.Cleanup(func() {
		_ = in.Close() // which ends it
		_ = node.Wait()
	})
	m := &interpreter{in: in, out: bufio.NewScanner(out)}
	m.out.Buffer(nil, 1<<20)
	return m
}

// validate returns what is wrong with a definition.
func (m *interpreter) validate(definition string) error {
	return m.do(map[string]any{"definition": json.RawMessage(definition)}, nil)
}

// run runs an execution, whose tasks call does. The error is what it failed with.
func (m *interpreter) run(definition, input string, call func(task []byte) error) error {
	return m.do(map[string]any{"definition": json.RawMessage(definition), "input": json.RawMessage(input)}, call)
}

func (m *interpreter) do(message map[string]any, call func(task []byte) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.write(message); err != nil {
		return err
	}
	for m.out.Scan() {
		var said struct {
			Task   json.RawMessage
			Failed string
		}
		if err := json.Unmarshal(m.out.Bytes(), &said); err != nil {
			return fmt.Errorf("%w: %s", err, m.out.Bytes())
		}
		switch {
		case said.Failed != "":
			return errors.New(said.Failed)
		case said.Task == nil:
			return nil
		}
		answer := map[string]any{"result": map[string]int{"StatusCode": 202}}
		if err := call(said.Task); err != nil {
			answer = map[string]any{"error": "Lambda.SdkClientException", "cause": err.Error()}
			if f, ok := errors.AsType[failure](err); ok {
				answer = map[string]any{"error": f.name, "cause": f.cause}
			}
		}
		if err := m.write(answer); err != nil {
			return err
		}
	}
	return errors.Join(errors.New("the interpreter has ended"), m.out.Err())
}

func (m *interpreter) write(message map[string]any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = m.in.Write(append(line, '\n'))
	return err
}
