package play_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/cfn"
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/response"
)

// A cfnBoxes is what named is, written on aws-lambda-go/cfn by somebody who has read AWS's
// documents and meets what is known to go wrong: a name that is computed again from each event, a
// Create that finishes what is there, a replacement that is undone if it fails, the old ID in the
// answer to an Update that failed, a Delete of what is gone, a Delete with an ID that
// CloudFormation made up, panics, and time that runs out.
//
// Without care it has the name and the idempotent methods only.
type cfnBoxes struct {
	d    *depot
	care bool
}

const cfnPrefix = "box-"

// name returns the name of the box that an event's properties ask for.
func (h cfnBoxes) name(e cfn.Event) string {
	room, _ := e.ResourceProperties["Room"].(string)
	sum := sha256.Sum256([]byte(e.StackID + "|" + e.LogicalResourceID + "|" + room))
	return cfnPrefix + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))
}

// handle is a cfn.CustomResourceFunction.
func (h cfnBoxes) handle(ctx context.Context, e cfn.Event) (id string, data map[string]any, err error) {
	if deadline, ok := ctx.Deadline(); ok && h.care { // the answer takes time as well
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-5*time.Second))
		defer cancel()
	}
	if id = e.PhysicalResourceID; e.RequestType == cfn.RequestCreate {
		id = h.name(e)
	}
	defer func() {
		if r := recover(); r != nil {
			if !h.care {
				panic(r)
			}
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	// The kit's faults come in here, as they do between the dispatcher and a handler's methods.
	call := hook.Call{Method: string(e.RequestType), PhysicalID: e.PhysicalResourceID}
	done, err := hook.Do(ctx, call, func() (string, error) { return h.work(ctx, e) })
	if err != nil || e.RequestType == cfn.RequestDelete {
		return id, nil, err
	}
	password, _ := e.ResourceProperties["Password"].(string)
	return done, map[string]any{"Key": "key:" + password}, nil
}

func (h cfnBoxes) work(ctx context.Context, e cfn.Event) (id string, err error) {
	switch e.RequestType {
	case cfn.RequestCreate:
		_, err = h.put(ctx, h.name(e), e)
		return h.name(e), err
	case cfn.RequestUpdate:
		id = h.name(e)
		made, err := h.put(ctx, id, e)
		if err != nil && made && h.care {
			_ = h.d.remove(ctx, id) // a replacement that failed: CloudFormation goes back to the old box
		}
		return id, err
	case cfn.RequestDelete:
		id = e.PhysicalResourceID
		if err = gone(h.d.remove(ctx, id)); err == nil && h.care && !strings.HasPrefix(id, cfnPrefix) {
			err = gone(h.d.remove(ctx, h.name(e))) // CloudFormation never learned the ID
		}
		return id, err
	}
	return "", fmt.Errorf("there is no request type %q", e.RequestType)
}

// put makes a box, or brings the one that there is to the properties.
func (h cfnBoxes) put(ctx context.Context, name string, e cfn.Event) (made bool, err error) {
	text := func(key string) string { s, _ := e.ResourceProperties[key].(string); return s }
	size, err := strconv.Atoi(text("Size"))
	if err != nil {
		return false, errors.New("Size is no number")
	}
	err = h.d.build(ctx, name, box{room: text("Room"), owner: e.LogicalResourceID})
	if err != nil && !errors.Is(err, errTaken) {
		return false, err
	}
	return err == nil, h.d.fill(ctx, name, filling{Size: size, Frozen: text("Frozen") == "true"})
}

// A cfnFunction is a process whose handler is a cfn.CustomResourceFunction. It
// adapts one thing: LambdaWrap sends its answers through http.DefaultClient and
// without a context, so each invocation's URL is marked to tell whose it is.
type cfnFunction struct {
	handle cfn.CustomResourceFunction
	wire   *wire
}

func (f cfnFunction) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	var event map[string]json.RawMessage
	if err := json.Unmarshal(payload, &event); err != nil {
		return nil, err
	}
	var url string
	if json.Unmarshal(event["ResponseURL"], &url) == nil && url != "" {
		url, done := f.wire.mark(ctx, url)
		defer done()
		var err error
		if event["ResponseURL"], err = json.Marshal(url); err != nil {
			return nil, err
		}
		if payload, err = json.Marshal(event); err != nil {
			return nil, err
		}
	}
	return lambda.NewHandler(cfn.LambdaWrap(f.handle)).Invoke(ctx, payload)
}

// A wire is the transport of http.DefaultClient: it hands what is PUT to the
// response bucket of the invocation that it comes from.
type wire struct {
	mu    sync.Mutex
	from  map[string]context.Context
	count int
}

const markName = "&invocation="

func (w *wire) mark(ctx context.Context, url string) (marked string, done func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count++
	key := strconv.Itoa(w.count)
	w.from[key] = ctx //nolint:fatcontext // one for each invocation, and taken out at its end
	return url + markName + key, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.from, key)
	}
}

func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	raw, key, _ := strings.Cut(req.URL.String(), markName)
	w.mu.Lock()
	ctx := w.from[key]
	w.mu.Unlock()
	if ctx == nil {
		return nil, errors.New("the invocation is over")
	}
	url, err := response.ParseURL(raw)
	if err != nil {
		return nil, err
	}
	bucket, ok := hook.Sender(ctx)
	if !ok {
		return nil, errors.New("no response bucket")
	}
	if err := bucket.Send(ctx, url, body); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(nil)), Request: req}, nil
}

// newWire returns the transport of http.DefaultClient until the end of the test.
func newWire(t *testing.T) *wire {
	w := &wire{from: make(map[string]context.Context)}
	before := http.DefaultTransport
	http.DefaultTransport = w
	t.Cleanup(func() { http.DefaultTransport = before })
	return w
}

// boxes returns what makes processes of the function.
func (w *wire) boxes(care bool) func(*depot) simulate.Function {
	return func(d *depot) simulate.Function { return cfnFunction{cfnBoxes{d, care}.handle, w} }
}
