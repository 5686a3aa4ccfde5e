package simulate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/response"
)

// Follow invokes a function with a payload. While the function continues, Follow invokes it again
// with the payload that it sent itself. Each invocation has as much time as ctx, and its own process if
// function makes one. The phase is that of a stack that waits for the answer; whether a Create can still
// run, the hook.Chain of ctx says. Follow returns the
// answers, and the number of invocations up to the first that failed.
func Follow(ctx context.Context, function func() Function, requestType string, payload []byte) (bodies [][]byte, invocations int, err error) {
	happened.Add(1)
	var box mailbox
	var next []byte
	given, _ := hook.ChainOf(ctx)
	base := hook.WithSender(ctx, &box)
	base = hook.WithChain(base, hook.Chain{
		Continue: func(_ context.Context, payload []byte) error {
			next = bytes.Clone(payload)
			return nil
		},
		Phase:        func(string) lifecycle.Phase { return phaseOf[requestType] },
		NoCreateRuns: given.NoCreateRuns,
	})
	// Each invocation has the time that the first one has.
	timeout := time.Hour
	if deadline, ok := ctx.Deadline(); ok {
		timeout = time.Until(deadline)
	}
	_, err = function().Invoke(base, payload)
	for invocations = 1; err == nil && next != nil; invocations++ {
		payload, next = next, nil
		err = invokeWithin(base, timeout, function(), payload)
	}
	return box.take(), invocations, err
}

// invokeWithin invokes a function with a timeout of its own.
func invokeWithin(ctx context.Context, timeout time.Duration, f Function, payload []byte) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	_, err := f.Invoke(ctx, payload)
	return err
}

// phaseOf has, by request type, the phase of a stack that waits for the answer.
var phaseOf = map[string]lifecycle.Phase{
	"Create": lifecycle.PhaseCreating,
	"Update": lifecycle.PhaseUpdating,
	"Delete": lifecycle.PhaseDeleting,
}

// A mailbox is a response.Sender that keeps the answers. A handler that goes on after
// its answer may send another one.
type mailbox struct {
	mu     sync.Mutex
	bodies [][]byte
}

// Send keeps the body of an answer.
func (m *mailbox) Send(_ context.Context, _ response.URL, body []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bodies = append(m.bodies, bytes.Clone(body))
	return nil
}

func (m *mailbox) take() [][]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bodies
}

// NativeValues returns the event with numbers and booleans as a template has them.
// It returns event itself if there are none.
func NativeValues(event []byte, props any) []byte {
	var written map[string]any
	d := json.NewDecoder(bytes.NewReader(JSON(props)))
	d.UseNumber()
	if d.Decode(&written) != nil {
		return event
	}
	sent := Properties(props)
	changed := false
	// Templates write numbers and booleans as texts: what differs from that is native.
	for name, value := range written {
		if value == nil || reflect.DeepEqual(sent[name], value) {
			continue
		}
		text, _ := sent[name].(string)
		if _, number := value.(json.Number); number && text != fmt.Sprint(value) {
			continue // a time.Duration, which templates write with its unit
		}
		changed = true
		sent[name] = value
	}
	var fields map[string]json.RawMessage
	if !changed || json.Unmarshal(event, &fields) != nil {
		return event
	}
	sent["ServiceToken"] = serviceToken
	fields["ResourceProperties"] = JSON(sent)
	return JSON(fields)
}

// HasNative reports whether NativeValues changes an event with properties.
func HasNative(props any) bool {
	event := NewEvent("Create", "", props, nil).Encode()
	return string(event) != string(NativeValues(event, props))
}

// Unreadable returns the event with properties, or with old ones, of another shape: field is the name of either.
func Unreadable(event []byte, field string) []byte {
	return rewrite(event, field, func(props map[string]any) map[string]any {
		delete(props, "ServiceToken")
		other := Undecodable(props)
		other["ServiceToken"] = serviceToken
		return other
	})
}

// Undecodable returns properties of the same names, each of another shape than the
// original, as an older program may have defined them.
func Undecodable(props any) map[string]any {
	out := Properties(props)
	for name, value := range out {
		if _, ok := value.(string); ok {
			out[name] = []any{map[string]any{"Shape": "another"}}
		} else {
			out[name] = "another shape"
		}
	}
	return out
}
