package cfnresource

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/physicalid"
	"github.com/cfnresource/sdk-go/response"
)

func TestTheLastCreatedCounts(t *testing.T) {
	var id createdID
	if got := id.get(); got != "" {
		t.Errorf("before Set: %q", got)
	}
	id.set("a")
	id.set("b")
	id.set("")
	if got := id.get(); got != "b" {
		t.Errorf("got %q, want b", got)
	}
}

func TestCreatedAfterTheAnswerIsReported(t *testing.T) {
	var id createdID
	id.set("a")
	var late []string
	if got, _ := id.close(func(id string) { late = append(late, id) }); got != "a" || late != nil {
		t.Errorf("Close returned %q and reported %q", got, late)
	}
	id.set("b")
	id.set("")
	if len(late) != 1 || late[0] != "b" || id.get() != "b" {
		t.Errorf("late %q, the ID %q", late, id.get())
	}
}

// Nothing is lost between the goroutines that set and the one that closes:
// what Close did not return was reported.
func TestCreatedWhileItIsAnswered(t *testing.T) {
	for range 100 {
		var id createdID
		var late []string
		var wg sync.WaitGroup
		wg.Go(func() { id.set("a") })
		got, _ := id.close(func(id string) { late = append(late, id) })
		wg.Wait()
		if (got == "a") == (len(late) == 1) {
			t.Fatalf("Close returned %q, and %q was reported", got, late)
		}
	}
}

// The tokens of requests that are under way must survive a new version.
func TestTokensStay(t *testing.T) {
	if got, want := tokenOf("stack", "R", "request"), "c7ce3fa0-7d03-52bb-ba3f-afcc039b8444"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPartsAreKeptApart(t *testing.T) {
	if tokenOf("a", "bc") == tokenOf("ab", "c") || tokenOf("a") == tokenOf("a", "") {
		t.Error("two requests have one token")
	}
}

func TestPointer(t *testing.T) {
	if got := logPointer(context.Background()); got != "" {
		t.Errorf("outside Lambda: %q", got)
	}
	defer func(group, stream string) {
		lambdacontext.LogGroupName, lambdacontext.LogStreamName = group, stream
	}(lambdacontext.LogGroupName, lambdacontext.LogStreamName)
	lambdacontext.LogGroupName, lambdacontext.LogStreamName = "/aws/lambda/F", "2026/[1]"
	if got, want := logPointer(context.Background()), "(log group /aws/lambda/F, stream 2026/[1])"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	ctx := lambdacontext.NewContext(context.Background(), &lambdacontext.LambdaContext{AwsRequestID: "id"})
	if got, want := logPointer(ctx), "(log group /aws/lambda/F, stream 2026/[1], request id)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// An event whose sending is not known, or is still to come by another clock, counts
// as sent when it arrived.
func TestClockKnowsTheEventsAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		for _, tt := range []struct {
			name           string
			signed         time.Time
			sentAt, sentBy time.Duration // from now
			late           bool
		}{
			{"unknown", time.Time{}, 0, 0, false},
			{"to come", now.Add(time.Hour), 0, time.Second, false},
			{"young", now.Add(-time.Minute), -time.Minute, -59 * time.Second, false},
			{"old", now.Add(-61 * time.Second), -61 * time.Second, -time.Minute, true},
		} {
			c := newClock(t.Context(), &event.Event{SentAt: tt.signed, ServiceTimeout: time.Hour}, 0)
			c.cancel()
			if at, by := c.sentAt().Sub(now), c.sentBy().Sub(now); at != tt.sentAt || by != tt.sentBy || c.late() != tt.late {
				t.Errorf("%s: sent at %s, by %s, late: %t; want %s, %s, %t", tt.name, at, by, c.late(), tt.sentAt, tt.sentBy, tt.late)
			}
		}
	})
}

// The handler's context ends in time for the answer, with a cause that says so;
// useMargin gives it half of the answer's time, once.
func TestClockDividesTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		c := newClock(ctx, &event.Event{ServiceTimeout: time.Hour}, 10*time.Second)
		defer func() { c.cancel() }()
		for _, want := range []time.Duration{50 * time.Second, 55 * time.Second, 55 * time.Second} {
			if got, _ := c.handler.Deadline(); got.Sub(start) != want {
				t.Errorf("the handler's time ends after %s, want %s", got.Sub(start), want)
			}
			c.useMargin()
		}
		<-c.handler.Done()
		if cause := context.Cause(c.handler); cause != guard.ErrOutOfTime || c.invocation.Err() != nil {
			t.Errorf("the handler's context ends with %v, the invocation's with %v", cause, c.invocation.Err())
		}
	})
}

type misnamed interface {
	Find(*Request) (string, error)
}

type (
	forgets   struct{}
	returns   struct{}
	unrelated struct{}
	none      struct{}
)

func (forgets) Find(Request) string { return "" }
func (returns) Find() *Request      { return nil }
func (unrelated) Find(string) bool  { return false }

// A method that is meant to implement the interface and does not is told; one
// that has nothing to do with it is not.
func TestMissed(t *testing.T) {
	for _, tt := range []struct {
		v    any
		want string
	}{
		{forgets{}, "it is func(cfnresource.Request) string, make it func(*cfnresource.Request) (string, error)"},
		{returns{}, "it is func() *cfnresource.Request, make"},
		{unrelated{}, ""},
		{none{}, ""},
	} {
		err := checkFind(reflect.TypeOf(tt.v), reflect.TypeFor[misnamed]())
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%T: %v, want one that says %q", tt.v, err, tt.want)
		}
	}
}

// A broken resource panics where no code of the user's runs.
type brokenResource struct{ resource }

type keeping struct{ body []byte }

func (k *keeping) Send(_ context.Context, _ response.URL, body []byte) error {
	k.body = body
	return nil
}

// A bug of this package's is answered too, with an ID that CloudFormation takes.
func TestPanicOfThePackageIsAnswered(t *testing.T) {
	d := NewDispatcher()
	d.resources[anyType] = brokenResource{}
	var to keeping
	_, err := d.Invoke(hook.WithSender(t.Context(), &to), []byte(`{"RequestType": "Create", "ResponseURL": "https://bucket.example/?X-Amz-Signature=5ec2e7",
		"StackId": "arn:aws:cloudformation:us-west-2:123456789012:stack/shop/1", "RequestId": "r1", "LogicalResourceId": "Topic", "ResourceType": "Custom::Topic"}`))
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Status, PhysicalResourceId string }
	if err := json.Unmarshal(to.body, &got); err != nil || got.Status != "FAILED" || got.PhysicalResourceId != physicalid.NotCreated {
		t.Errorf("%s, %v: want FAILED %s", to.body, err, physicalid.NotCreated)
	}
}

// Each request to delete a resource has a number of its own, but one that is made a single time
// shares it with the next: the token of a request that is tried again must not change.
func TestDeletionsAreNumbered(t *testing.T) {
	var tr tries
	for i, tt := range []struct {
		id   string
		once bool
		want int
	}{
		{"a", true, 0}, {"a", true, 0}, {"a", false, 0}, {"a", false, 1}, {"b", false, 0}, {"a", true, 2},
	} {
		if got := tr.deletion(tt.id, tt.once); got != tt.want {
			t.Errorf("%d: the deletion of %s has the number %d, want %d", i, tt.id, got, tt.want)
		}
	}
}

// Only the call that failed last says when to try again.
func TestRetryAfterIsOfTheLastCall(t *testing.T) {
	var tr tries
	if got := tr.retryAfter(); got != 0 {
		t.Errorf("%s before any call", got)
	}
	tr.failure = &failure{retryAfter: time.Second}
	if got := tr.retryAfter(); got != time.Second {
		t.Errorf("%s, want a second", got)
	}
}

// A result without a cause has no code: the rules themselves refused the event.
func TestCodeOfAResult(t *testing.T) {
	var r result
	if code := r.code(); code != "" {
		t.Errorf("the code is %q", code)
	}
	r.failure = failed(CodeThrottling, "slow down")
	if code := r.code(); code != CodeThrottling {
		t.Errorf("the code is %q", code)
	}
}
