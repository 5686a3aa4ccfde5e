package host

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// What cannot be invoked is refused at once, as CloudFormation is told.
func TestRefusedInvocations(t *testing.T) {
	b := start(t, Config{}, Function{})
	_, err := b.Invoke(prefix+"nobody", []byte(`{}`))
	if e := (*NotFoundError)(nil); !errors.As(err, &e) || e.ARN != prefix+"nobody" {
		t.Errorf("an unknown function: %v", err)
	}
	if _, err := b.Call(t.Context(), "arn:aws:sns:us-west-2:123456789012:topic", []byte(`{}`)); err == nil {
		t.Error("an unknown topic was called")
	}
	const topic = "arn:aws:sns:us-west-2:123456789012:requests"
	for arn, size := range map[string]int{topic: 0, topic + "-larger": 512 << 10} {
		if err := b.AddTopic(Topic{ARN: arn, MaxMessage: size}); err != nil {
			t.Fatal(err)
		}
	}
	text := func(size int) string { return `"` + strings.Repeat("x", size-2) + `"` }
	for _, test := range []struct {
		name, arn, payload, want string
		faults                   []Fault
	}{
		{"not JSON", prefix + "provider", "{", "Status Code: 400; Error Code: InvalidRequestContentException", nil},
		{"empty", prefix + "provider", "", "InvalidRequestContentException", nil},
		{"an event over Lambda's limit", prefix + "provider", text(maxPayload + 1),
			"1048577 byte payload is too large for the Event invocation type (limit 1048576 bytes) (Service: AWSLambda; Status Code: 413; Error Code: RequestEntityTooLargeException)", nil},
		{"the largest event", prefix + "provider", text(maxPayload), "", nil},
		{"a message over SNS's limit", topic, text(maxMessage + 1), "Invalid parameter: Message too long (Service: AmazonSNS; Status Code: 400; Error Code: InvalidParameter)", nil},
		{"the largest message", topic, text(maxMessage), "", nil},
		{"a topic with a limit of its own", topic + "-larger", text(maxMessage + 1), "", nil},
		{"no permission", prefix + "provider", "{}", "is not authorized to perform: lambda:InvokeFunction on resource: " + prefix + "provider", []Fault{Refuse}},
		{"no permission for a topic", topic, "{}", "is not authorized to perform: SNS:Publish on resource: " + topic, []Fault{Refuse}},
	} {
		_, err := b.Invoke(test.arn, []byte(test.payload), test.faults...)
		_, refused := errors.AsType[*RefusedError](err)
		if refused != (test.want != "") || refused && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %.300v, want %s", test.name, err, test.want)
		}
	}
	if _, err := b.Call(t.Context(), prefix+"provider", []byte("{")); err == nil {
		t.Error("no JSON was called with")
	}
}

// TestQualifiedFunction: a function is told the ARN that it was invoked by, and
// what is configured for one qualifier is for no other.
func TestQualifiedFunction(t *testing.T) {
	b := start(t, Config{}, Function{})
	b.add("provider:live", Function{OnFailure: prefix + "provider"})
	for _, arn := range []string{prefix + "provider", prefix + "provider:live"} {
		r, err := b.Call(t.Context(), arn, []byte(`{"Do":"context"}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := decode[struct{ ARN string }](t, r.Payload).ARN; got != arn {
			t.Errorf("invoked by %s, and told %s", arn, got)
		}
	}
	for arn, want := range map[string]string{prefix + "provider": "Invoked Errored Dropped", prefix + "provider:live": "Invoked Errored Recorded"} {
		id, err := b.Invoke(arn, []byte(`{"Do":"error"}`))
		if err != nil {
			t.Fatal(err)
		}
		b.settle()
		if got := b.story(id); got != want {
			t.Errorf("%s: %s, want %s", arn, got, want)
		}
	}
	record := func(got string) bool { return strings.Contains(got, `"functionArn":"`+prefix+`provider:live"`) }
	if got := b.got(5); !slices.ContainsFunc(got, record) {
		t.Errorf("the record is of another function: %s", got)
	}
}

// A function that cannot be is refused when it is added, and the error says what to do.
func TestRefusedFunctions(t *testing.T) {
	h := New(t.Context(), Config{})
	defer h.Close()
	good := Function{ARN: prefix + "f", Command: []string{binary}}
	for _, test := range []struct {
		name string
		edit func(*Function)
		want string
	}{
		{"no ARN", func(f *Function) { f.ARN = "" }, "function's ARN"},
		{"a topic's ARN", func(f *Function) { f.ARN = "arn:aws:sns:us-west-2:123456789012:topic" }, "function's ARN"},
		{"an empty alias", func(f *Function) { f.ARN += ":" }, "function's ARN"},
		{"no command", func(f *Function) { f.Command = nil }, "no command"},
		{"a command that is not there", func(f *Function) { f.Command = []string{"/nowhere/bootstrap"} }, "cannot be run"},
		{"a command that is not in PATH", func(f *Function) { f.Command = []string{"no-such-program"} }, "cannot be run"},
		{"a command that is not in its directory", func(f *Function) { f.Command, f.Dir = []string{"./bootstrap"}, "testdata" }, "cannot be run"},
		{"a reserved variable", func(f *Function) { f.Env = map[string]string{"AWS_REGION": "x"} }, "AWS_REGION"},
		{"a variable without a name", func(f *Function) { f.Env = map[string]string{"": "x"} }, "cannot be set"},
		{"a variable's value with a zero", func(f *Function) { f.Env = map[string]string{"A": "secret\x00"} }, `"A"`},
		{"too many retries", func(f *Function) { f.MaximumRetryAttempts = 3 }, "0 to 2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := good
			test.edit(&f)
			if err := h.Add(f); err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("Add: %v, want %s in it", err, test.want)
			}
		})
	}
	if err := h.AddTopic(Topic{ARN: prefix + "f"}); err == nil {
		t.Error("a function's ARN is a topic's")
	}
}

// With an endpoint of CloudFormation's API, a function can ask it as in Lambda: it has the endpoint
// and credentials of nobody. What it was given of its own comes before them, however it was given.
func TestCloudFormationEndpoint(t *testing.T) {
	const endpoint = "http://127.0.0.1:4000"
	for _, test := range []struct {
		name                   string
		own                    map[string]string
		endpoint               string
		placeholderCredentials bool
	}{
		{"nothing of its own", nil, endpoint, true},
		{"another endpoint", map[string]string{"AWS_ENDPOINT_URL_CLOUDFORMATION": "http://127.0.0.1:5000"}, "http://127.0.0.1:5000", true},
		{"another endpoint of Lambda's", map[string]string{"AWS_ENDPOINT_URL_LAMBDA": "http://127.0.0.1:5000"}, endpoint, true},
		{"credentials", map[string]string{"AWS_ACCESS_KEY_ID": "AKIAOWN", "AWS_SECRET_ACCESS_KEY": "own"}, endpoint, false},
		{"a profile", map[string]string{"AWS_PROFILE": "own"}, endpoint, false},
		{"a file with credentials", map[string]string{"AWS_SHARED_CREDENTIALS_FILE": "/own"}, endpoint, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := Host{config: Config{CloudFormation: endpoint}}
			env := h.environment(&function{Function: Function{Env: test.own}}, "", "127.0.0.1:1")
			if want := "AWS_ENDPOINT_URL_CLOUDFORMATION=" + test.endpoint; !slices.Contains(env, want) {
				t.Errorf("there is no %s in %q", want, env)
			}
			for name, value := range placeholderCredentials {
				if got := slices.Contains(env, name+"="+value); got != test.placeholderCredentials {
					t.Errorf("%s is made up: %t, want %t", name, got, test.placeholderCredentials)
				}
			}
			for name, value := range test.own {
				if !slices.Contains(env, name+"="+value) {
					t.Errorf("the function's own %s is not in %q", name, env)
				}
			}
		})
	}
	for _, variable := range new(Host).environment(new(function), "", "127.0.0.1:1") {
		if strings.HasPrefix(variable, "AWS_ENDPOINT_URL_CLOUDFORMATION") {
			t.Errorf("without an endpoint: %s", variable)
		}
	}
}
