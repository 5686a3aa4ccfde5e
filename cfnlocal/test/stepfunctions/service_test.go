package stepfunctions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
)

// A service is the API of Step Functions for the state machine of a stack, whose
// tasks are Lambda's Invoke.
type service struct {
	machine   *interpreter
	home      *local.Home
	stack     string
	started   func(executions int) // is called before each execution
	throttled int                  // how many tasks are throttled by Lambda

	mu     sync.Mutex
	inputs []string          // of the executions
	tasks  []json.RawMessage // what the functions were invoked with
	failed []error           // the executions
}

// serve returns the command that runs a function with this service as its
// endpoint. Its path says where the function's process finds Lambda.
func (s *service) serve(t *testing.T, program string) (command string) {
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return fmt.Sprintf(`env "AWS_ENDPOINT_URL_SFN=%s/$AWS_LAMBDA_RUNTIME_API" '%s'`, server.URL, program)
}

// ServeHTTP is StartExecution. It answers when the execution is over, which is
// not as in AWS: the local CloudFormation waits no longer than anything works on
// a request, and does not know that a state machine does.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct{ StateMachineArn, Input string }
	if target := r.Header.Get("X-Amz-Target"); target != "AWSStepFunctions.StartExecution" || json.NewDecoder(r.Body).Decode(&in) != nil {
		http.Error(w, `{"__type": "UnknownOperationException"}`, http.StatusBadRequest)
		return
	}
	arn, definition, err := s.definition()
	if err != nil || arn != in.StateMachineArn {
		http.Error(w, `{"__type": "StateMachineDoesNotExist"}`, http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.inputs = append(s.inputs, in.Input)
	executions := len(s.inputs)
	s.mu.Unlock()
	s.started(executions)
	if err := s.machine.run(definition, in.Input, func(task []byte) error { return s.invoke(r, task) }); err != nil {
		s.mu.Lock()
		s.failed = append(s.failed, err)
		s.mu.Unlock()
	}
	_, _ = fmt.Fprintf(w, `{"executionArn": "%s:1", "startDate": 1}`, arn)
}

// definition is that of the stack's state machine, as it was deployed.
func (s *service) definition() (arn, text string, err error) {
	record, err := s.home.Stack(s.stack)
	if err != nil {
		return "", "", err
	}
	for _, r := range record.Stack.Resources {
		if r.Type == "AWS::StepFunctions::StateMachine" {
			text, _ = r.Properties.Map()["DefinitionString"].(string)
			values, _ := r.Properties.Map()["DefinitionSubstitutions"].(map[string]any)
			for name, value := range values {
				text = strings.ReplaceAll(text, "${"+name+"}", fmt.Sprint(value))
			}
			return r.PhysicalID, text, nil
		}
	}
	return "", "", errors.New("the stack has no state machine")
}

// invoke is the task arn:aws:states:::lambda:invoke, which needs a FunctionName.
func (s *service) invoke(r *http.Request, task []byte) error {
	s.mu.Lock()
	s.tasks = append(s.tasks, task)
	throttled := len(s.tasks) <= s.throttled
	s.mu.Unlock()
	if throttled {
		return failure{"Lambda.TooManyRequestsException", "Rate Exceeded."}
	}
	var in struct {
		FunctionName, InvocationType string
		Payload                      json.RawMessage
	}
	if err := json.Unmarshal(task, &in); err != nil {
		return err
	}
	lambda, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	to := "http://" + lambda + "/2015-03-31/functions/" + url.PathEscape(in.FunctionName) + "/invocations"
	req, err := http.NewRequestWithContext(r.Context(), http.MethodPost, to, bytes.NewReader(in.Payload))
	if err != nil {
		return err
	}
	req.Header.Set("X-Amz-Invocation-Type", in.InvocationType)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode >= http.StatusBadRequest {
		body, err := io.ReadAll(resp.Body)
		return errors.Join(failure{"Lambda." + resp.Header.Get("X-Amzn-Errortype"), string(body)}, err)
	}
	return nil
}
