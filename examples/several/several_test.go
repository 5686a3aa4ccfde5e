package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/examples/several/fakebroker/server"
)

// discard is where the metrics of most tests go.
func discard(p []byte) (int, error) { return len(p), nil }

type object = map[string]any

// A fake is a broker in memory, as a transport that needs no network.
type fake struct{ *server.Broker }

func newFake(t testing.TB) fake {
	t.Helper()
	b, err := server.New("")
	if err != nil {
		t.Fatal(err)
	}
	return fake{b}
}

// RoundTrip implements [http.RoundTripper].
func (f fake) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	return w.Result(), nil
}

// broker is a client of the fake, as another program is.
func (f fake) broker() *Broker {
	return &Broker{URL: "http://broker", Client: &http.Client{Transport: f}}
}

// over returns the function over a broker.
func over(transport http.RoundTripper) *cfnresource.Dispatcher {
	b := &Broker{URL: "http://broker", User: "u", Password: "p", Client: &http.Client{Transport: transport}}
	return function(func(context.Context) (*Broker, error) { return b, nil }, discard)
}

func ofType(name string) func(*cfntest.Event) {
	return func(e *cfntest.Event) { e.ResourceType, e.LogicalID = "Custom::"+name, name }
}

func TestAQueueInAVirtualHost(t *testing.T) {
	broker := newFake(t)
	m := over(broker)
	host := cfntest.Invoke(t, m, cfntest.CreateEvent(HostProps{Description: "shop"}, ofType("VirtualHost"))).PhysicalResourceID
	props := QueueProps{VirtualHost: host, Type: "quorum", MaxLength: 100, MessageTTL: time.Minute}
	queue := cfntest.Invoke(t, m, cfntest.CreateEvent(props, ofType("Queue")))
	vhost, name := split(queue.PhysicalResourceID)
	if queue.Status != "SUCCESS" || queue.Data["Name"] != name {
		t.Fatalf("Create answered %+v", queue)
	}
	wantQueue := object{"durable": true, "arguments": object{"x-queue-type": "quorum"}}
	if diff := cmp.Diff(wantQueue, broker.Queues()[vhost+" "+name]); vhost != host || diff != "" {
		t.Errorf("queue in %q (-want +got):\n%s", vhost, diff)
	}
	wantPolicy := object{"pattern": "^" + name + "$", "apply-to": "queues", "definition": object{"max-length": 100.0, "message-ttl": 60000.0}}
	if diff := cmp.Diff(wantPolicy, broker.Policies()[vhost+" "+name]); diff != "" {
		t.Errorf("policy (-want +got):\n%s", diff)
	}

	unlimited := QueueProps{VirtualHost: host, Type: "quorum"}
	updated := cfntest.Invoke(t, m, cfntest.UpdateEvent(queue.PhysicalResourceID, unlimited, props, ofType("Queue")))
	if updated.PhysicalResourceID != queue.PhysicalResourceID || len(broker.Policies()) != 0 {
		t.Errorf("Update answered %+v and left the policies %v", updated, broker.Policies())
	}
	for kind, id := range map[string]string{"Queue": queue.PhysicalResourceID, "VirtualHost": host} {
		if got := cfntest.Invoke(t, m, cfntest.DeleteEvent(id, unlimited, ofType(kind))); got.Status != "SUCCESS" {
			t.Errorf("Delete of the %s answered %+v", kind, got)
		}
	}
	if len(broker.Queues())+len(broker.Policies()) != 0 || len(broker.VirtualHosts()) != 1 {
		t.Errorf("left are %v, %v, %v", broker.Queues(), broker.Policies(), broker.VirtualHosts())
	}
}

func TestAMistakeInTheTemplateMakesNothing(t *testing.T) {
	for name, props := range map[string]object{
		"no virtual host":            {"Type": "classic"},
		"a virtual host that is not": {"VirtualHost": "none"},
		"a type that is not":         {"VirtualHost": "/", "Type": "lazy"},
		"a negative limit":           {"VirtualHost": "/", "MaxLength": -1},
		"a bare number for a time":   {"VirtualHost": "/", "MessageTtl": 30},
	} {
		t.Run(name, func(t *testing.T) {
			broker := newFake(t)
			created := cfntest.Invoke(t, over(broker), cfntest.CreateEvent(props, ofType("Queue")))
			if created.Status != "FAILED" || len(broker.Queues()) != 0 {
				t.Errorf("Create answered %+v and made %v", created, broker.Queues())
			}
		})
	}
}

func TestATypeWithoutAHandlerIsAnswered(t *testing.T) {
	got := cfntest.Invoke(t, over(newFake(t)), cfntest.CreateEvent(object{}, ofType("Unknown")))
	if got.Status != "FAILED" || !strings.Contains(got.Reason, "Custom::Unknown") {
		t.Errorf("answered %+v", got)
	}
}

func TestMissingSettingsAreAnswered(t *testing.T) {
	got := cfntest.Invoke(t, function(open, discard), cfntest.CreateEvent(HostProps{}, ofType("VirtualHost")))
	if got.Status != "FAILED" || !strings.Contains(got.Reason, "BROKER_URL") {
		t.Errorf("answered %+v", got)
	}
}

// What CloudWatch's embedded metric format asks for, to the byte.
func TestMetrics(t *testing.T) {
	for _, tc := range []struct {
		name string
		next func(context.Context) error
		want string // after the metadata
	}{
		{"a success", func(context.Context) error { return nil }, `"Errors":0}`},
		{"a failure", func(context.Context) error { return errors.New("password=hunter2") }, `"Errors":1}`},
		{"a failure with a code", func(context.Context) error { return cfnresource.Errorf(cfnresource.CodeThrottling, "slow down") }, `"Errors":1,"ErrorCode":"Throttling"}`},
		{"a panic", func(context.Context) error { panic("oh") }, `"Errors":1}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				op := &cfnresource.Operation{Request: cfnresource.Request{ResourceType: "Custom::Queue", LogicalID: "Orders"}, Name: "Create"}
				func() {
					defer func() { _ = recover() }()
					_ = Metrics(out.Write)(t.Context(), op, func(ctx context.Context) error {
						<-time.After(1500 * time.Microsecond) // of virtual time
						return tc.next(ctx)
					})
				}()
				want := `{"_aws":{"Timestamp":946684800000,"CloudWatchMetrics":[{"Namespace":"CustomResources","Dimensions":[["ResourceType","Operation"]],` +
					`"Metrics":[{"Name":"Duration","Unit":"Milliseconds"},{"Name":"Errors","Unit":"Count"}]}]},` +
					`"ResourceType":"Custom::Queue","Operation":"Create","Duration":1.5,` + tc.want + "\n"
				if diff := cmp.Diff(want, out.String()); diff != "" {
					t.Errorf("wrote (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// The metadata names members that are there, which is all that makes a log line a metric.
func TestMetricsNameWhatTheLineHolds(t *testing.T) {
	var out bytes.Buffer
	b := &Broker{Client: &http.Client{Transport: newFake(t)}} // whose URL is none
	m := function(func(context.Context) (*Broker, error) { return b, nil }, out.Write)
	cfntest.Invoke(t, m, cfntest.CreateEvent(HostProps{}, ofType("VirtualHost")))
	var got struct {
		Metadata metadata `json:"_aws"`
	}
	var members object
	if err := errors.Join(json.Unmarshal(out.Bytes(), &got), json.Unmarshal(out.Bytes(), &members)); err != nil {
		t.Fatal(err)
	}
	for _, d := range got.Metadata.CloudWatchMetrics {
		for _, name := range d.Dimensions[0] {
			if _, ok := members[name].(string); !ok {
				t.Errorf("the dimension %s is %v in %s", name, members[name], out.String())
			}
		}
		for _, m := range d.Metrics {
			if _, ok := members[m.Name].(float64); !ok {
				t.Errorf("the metric %s is %v in %s", m.Name, members[m.Name], out.String())
			}
		}
	}
}

// TestRabbitMQ goes through the handlers' whole life with a real broker.
func TestRabbitMQ(t *testing.T) {
	// A virtual host.
	b := realBroker(t)
	m := function(func(context.Context) (*Broker, error) { return b, nil }, discard)
	shop := HostProps{Description: "shop", Tags: []string{"a"}}
	host := cfntest.Invoke(t, m, cfntest.CreateEvent(shop, ofType("VirtualHost")))
	if host.Status != "SUCCESS" {
		t.Fatalf("Create of the virtual host answered %+v", host)
	}
	if got := cfntest.Invoke(t, m, cfntest.UpdateEvent(host.PhysicalResourceID, HostProps{}, shop, ofType("VirtualHost"))); got.Status != "SUCCESS" {
		t.Errorf("Update of the virtual host answered %+v", got)
	}

	// The queues in it: made twice, looked at, deleted twice.
	for _, kind := range []QueueType{"classic", "quorum"} {
		props := QueueProps{VirtualHost: host.PhysicalResourceID, Type: kind, MaxLength: 10, MessageTTL: time.Second}
		event := cfntest.CreateEvent(props, ofType("Queue"))
		queue := cfntest.Invoke(t, m, event)
		if queue.Status != "SUCCESS" {
			t.Fatalf("Create of a %s queue answered %+v", kind, queue)
		}
		again := function(func(context.Context) (*Broker, error) { return b, nil }, discard) // another process
		if got := cfntest.Invoke(t, again, event); got.Status != "SUCCESS" || got.PhysicalResourceID != queue.PhysicalResourceID {
			t.Errorf("the second delivery of the Create answered %+v, the first %+v", got, queue)
		}
		var policy struct {
			Definition map[string]int `json:"definition"`
		}
		vhost, name := split(queue.PhysicalResourceID)
		if _, err := b.do(t.Context(), http.MethodGet, []string{"policies", vhost, name}, nil, &policy); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]int{"max-length": 10, "message-ttl": 1000}, policy.Definition); diff != "" {
			t.Errorf("policy of the %s queue (-want +got):\n%s", kind, diff)
		}
		for range 2 {
			if got := cfntest.Invoke(t, m, cfntest.DeleteEvent(queue.PhysicalResourceID, props, ofType("Queue"))); got.Status != "SUCCESS" {
				t.Errorf("Delete of the %s queue answered %+v", kind, got)
			}
		}
		if there, err := b.has(t.Context(), "queues", vhost, name); there || err != nil {
			t.Errorf("after Delete the %s queue is there: %t, %v", kind, there, err)
		}
	}

	// Its end.
	if got := cfntest.Invoke(t, m, cfntest.DeleteEvent(host.PhysicalResourceID, HostProps{}, ofType("VirtualHost"))); got.Status != "SUCCESS" {
		t.Errorf("Delete of the virtual host answered %+v", got)
	}
	if there, err := b.has(t.Context(), "vhosts", host.PhysicalResourceID); there || err != nil {
		t.Errorf("after Delete the virtual host is there: %t, %v", there, err)
	}
}

// realBroker returns the broker of RABBITMQ_TEST_URL.
func realBroker(t *testing.T) *Broker {
	t.Helper()
	address := os.Getenv("RABBITMQ_TEST_URL")
	if address == "" {
		t.Skip("RABBITMQ_TEST_URL is not set: give it the management API of a broker for tests, as http://USER:PASSWORD@HOST:15672, or use .ci/with-rabbitmq, which starts one")
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := req.URL.User.Password()
	return &Broker{URL: "http://" + req.URL.Host, User: req.URL.User.Username(), Password: password, Client: &http.Client{Timeout: 10 * time.Second}}
}
