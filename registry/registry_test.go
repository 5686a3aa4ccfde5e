package registry_test

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/guard"
	"github.com/cfnresource/sdk-go/registry"
)

const typeName = "Example::Shelf::Thing"

const stackARN = "arn:aws:cloudformation:eu-west-1:123456789012:stack/shop/8b1f4a50-0000-11f0-8000-0a1b2c3d4e5f"

// An event is a request of the registry's, as Lambda delivers it.
type event struct {
	action, token, stack string
	properties, previous string // JSON
	context              json.RawMessage
	more                 string // further members of requestData
}

func (e event) json() []byte {
	raw := `{"awsAccountId":"123456789012","region":"eu-west-1","bearerToken":"` + cmp.Or(e.token, "token-1") + `","action":"` + e.action +
		`","resourceType":"` + typeName + `","callbackContext":` + cmp.Or(string(e.context), "null") + `,"stackId":"` + e.stack +
		`","requestData":{"logicalResourceId":"Thing","resourceProperties":` + cmp.Or(e.properties, "null") + `,"previousResourceProperties":` + cmp.Or(e.previous, "null") + e.more + `}}`
	return []byte(raw)
}

type answer struct {
	Status               string
	ErrorCode            string
	Message              string
	CallbackContext      json.RawMessage
	CallbackDelaySeconds int
	ResourceModel        json.RawMessage
	ResourceModels       json.RawMessage
	NextToken            string
}

func invoke(t *testing.T, d *registry.Dispatcher, payload []byte) (a answer) {
	t.Helper()
	start := time.Now()
	raw, err := d.Invoke(t.Context(), payload)
	if err != nil {
		t.Fatalf("Invoke fails: %v", err)
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("a call took %s: CloudFormation waits a minute", took)
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		t.Fatalf("the answer is no JSON: %v: %s", err, raw)
	}
	return a
}

// play sends an event and its callbacks until it is done, each to the process
// that next starts, and counts the calls.
func play(t *testing.T, next func() *registry.Dispatcher, e event) (a answer, calls int) {
	t.Helper()
	for calls = 1; ; calls++ {
		if a = invoke(t, next(), e.json()); a.Status != "IN_PROGRESS" {
			return a, calls
		}
		if calls > 1000 {
			t.Fatal("the chain does not end")
		}
		e.context, e.properties = a.CallbackContext, string(a.ResourceModel)
		guard.Sleep(t.Context(), time.Duration(a.CallbackDelaySeconds)*time.Second)
	}
}

// LIST asks for a page of what its properties say, as the handlerSchema has it.
func TestListIsToldWhatIsAskedFor(t *testing.T) {
	l := &listed{door: &door{}}
	payload := strings.Replace(string(event{action: "LIST", properties: `{"Name":"a"}`}.json()), `"action"`, `"nextToken":"n","maxResults":7,"action"`, 1)
	invoke(t, registry.New(typeName, l), []byte(payload))
	if l.req == nil || string(l.req.Properties) != `{"Name":"a"}` || l.req.NextToken != "n" || l.req.MaxResults != 7 {
		t.Errorf("List is called with %+v", l.req)
	}
}

// listed keeps what List is called with.
type listed struct {
	*door
	req *registry.ListRequest
}

func (l *listed) List(_ context.Context, req *registry.ListRequest) ([]string, string, error) {
	l.req = req
	return nil, "", nil
}

func newType(t *testing.T, s *shelf) *registry.Dispatcher {
	t.Helper()
	d := registry.New(typeName, s)
	if err := d.Err(); err != nil {
		t.Fatal(err)
	}
	return d
}

func always(d *registry.Dispatcher) func() *registry.Dispatcher {
	return func() *registry.Dispatcher { return d }
}

const asked = `{"Name":"a","Size":"3","Rest":"60m","Password":"hush-hush"}`

// A resource goes through its life: the answers have the resource as Read shows
// it, texts as they came, and no secret; a DELETE's has none.
func TestLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		d := newType(t, s)
		const model = `{"Name":"a","PhysicalResourceId":"t-1","Rest":"60m","Size":"3","Url":"https://things.example/t-1"}`
		const changed = `{"Name":"a","Size":4,"PhysicalResourceId":"t-1","Url":"https://things.example/t-1"}`
		for _, step := range []struct {
			event
			want answer
		}{
			{event{action: "CREATE", properties: asked}, answer{Status: "SUCCESS", ResourceModel: json.RawMessage(model)}},
			{event{action: "READ", properties: `{"PhysicalResourceId":"t-1"}`}, answer{Status: "SUCCESS", ResourceModel: json.RawMessage(
				`{"Name":"a","PhysicalResourceId":"t-1","Rest":"1h","Size":3,"Url":"https://things.example/t-1"}`)}},
			{event{action: "LIST"}, answer{Status: "SUCCESS", ResourceModels: json.RawMessage(`[{"PhysicalResourceId":"t-1"}]`)}},
			{event{action: "UPDATE", token: "2", properties: changed, previous: model}, answer{Status: "SUCCESS", ResourceModel: json.RawMessage(
				`{"Name":"a","PhysicalResourceId":"t-1","Rest":"0s","Size":4,"Url":"https://things.example/t-1"}`)}},
			{event{action: "DELETE", token: "3", properties: `{"PhysicalResourceId":"t-1"}`}, answer{Status: "SUCCESS"}},
			{event{action: "LIST"}, answer{Status: "SUCCESS", ResourceModels: json.RawMessage(`[]`)}},
		} {
			got := invoke(t, d, step.json())
			if diff := gocmp.Diff(step.want, got); diff != "" {
				t.Errorf("%s is answered (-want +got):\n%s", step.action, diff)
			}
		}
	})
}
