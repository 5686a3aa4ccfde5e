package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	neturl "net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	fakeID    = "123456789012"
	fakeTopic = "arn:aws:sns:us-east-1:" + fakeID + ":" + ourName
)

// A fakeAccount stands for an AWS account: the calls of SNS, SQS and STS that the probe makes, and
// before a cfnlocal, which is its CloudFormation, a proxy that notes the calls. It does to the probe
// what AWS may: each message is delivered twice, the latest first, an action is throttled once if it
// is listed, and a queue's name is refused once after a deletion. It evaluates no policy, so that
// the one in docs/probe.md is not tried by it, and a message in flight does not come back.
type fakeAccount struct {
	cloudFormation http.Handler

	mu       sync.Mutex
	calls    map[string]bool     // such as sns:CreateTopic
	throttle map[string]bool     // the actions to throttle, once
	topics   map[string][]string // the names of their queues, by ARN
	queues   map[string][]*delivery
	flying   map[string]*delivery // by receipt
	deleted  map[string]bool      // the queues that cannot be made yet
	changed  chan struct{}        // closed, and made anew, when a message comes
}

type delivery struct {
	body string
	done func()
}

// startAccount starts an account, and leads the AWS SDK to it.
func startAccount(t *testing.T, throttle ...string) *fakeAccount {
	t.Helper()
	if err := build(); err != nil {
		t.Fatal(err)
	}
	a := &fakeAccount{calls: map[string]bool{}, throttle: map[string]bool{}, topics: map[string][]string{}, queues: map[string][]*delivery{},
		flying: map[string]*delivery{}, deleted: map[string]bool{}, changed: make(chan struct{})}
	for _, action := range throttle {
		a.throttle[action] = true
	}

	w := localWorld(t.TempDir())
	w.topic = fakeTopic
	socket := filepath.Join(w.dir, "socket")
	relays, err := listen(t.Context(), socket, a.publish, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	l, err := startLocal(t.Context(), cfnlocal, w, socket)
	if err != nil {
		t.Fatal(err)
	}
	at, _ := neturl.Parse(*w.client.Options().BaseEndpoint)
	key, _ := w.client.Options().Credentials.Retrieve(t.Context())
	a.cloudFormation = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(at)
		r.Out.Host = r.In.Host // which is signed
	}}
	server := httptest.NewServer(a)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		if err := errors.Join(l.stop(), relays.Close()); err != nil {
			t.Error(err)
		}
	})
	for name, value := range map[string]string{"AWS_ENDPOINT_URL": server.URL, "AWS_REGION": "us-east-1", "AWS_PROFILE": "", "AWS_CONFIG_FILE": "/nowhere",
		"AWS_SHARED_CREDENTIALS_FILE": "/nowhere", "AWS_ACCESS_KEY_ID": key.AccessKeyID, "AWS_SECRET_ACCESS_KEY": key.SecretAccessKey, "AWS_SESSION_TOKEN": ""} {
		t.Setenv(name, value)
	}
	return a
}

// publish is the function of the topic. It delivers a message as SNS does, and holds until it is deleted.
func (a *fakeAccount) publish(ctx context.Context, id, text string) error {
	body, err := json.Marshal(map[string]string{"Type": "Notification", "MessageId": id, "Message": text})
	ctx, done := context.WithCancel(ctx)
	d := &delivery{string(body), done}
	a.mu.Lock()
	a.calls["sns:Publish"] = true
	for _, queue := range a.topics[fakeTopic] {
		a.queues[queue] = append([]*delivery{d, d}, a.queues[queue]...)
	}
	close(a.changed)
	a.changed = make(chan struct{})
	a.mu.Unlock()
	<-ctx.Done()
	return err
}

// receive takes up to ten messages, once there are any.
func (a *fakeAccount) receive(ctx context.Context, queue string) (all []map[string]string) {
	for ctx.Err() == nil && len(all) == 0 {
		a.mu.Lock()
		changed, there := a.changed, a.queues[queue]
		n := min(len(there), 10)
		for _, d := range there[:n] {
			receipt := fmt.Sprint("receipt-", len(a.flying))
			a.flying[receipt] = d
			all = append(all, map[string]string{"ReceiptHandle": receipt, "Body": d.body})
		}
		if n > 0 {
			a.queues[queue] = there[n:]
		}
		a.mu.Unlock()
		if n == 0 {
			select {
			case <-changed:
			case <-ctx.Done():
			}
		}
	}
	return all
}

func (a *fakeAccount) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	form, _ := neturl.ParseQuery(string(body))
	service, action := "cloudformation", form.Get("Action")
	if target, ok := strings.CutPrefix(r.Header.Get("X-Amz-Target"), "AmazonSQS."); ok {
		service, action = "sqs", target
	} else if action == "GetCallerIdentity" {
		service = "sts"
	} else if slices.Contains([]string{"CreateTopic", "Subscribe", "ListTopics", "DeleteTopic"}, action) {
		service = "sns"
	}
	called := service + ":" + action
	a.mu.Lock()
	throttled := a.throttle[called]
	a.calls[called] = true
	delete(a.throttle, called)
	a.mu.Unlock()
	switch {
	case throttled:
		http.Error(w, "<ErrorResponse><Error><Type>Sender</Type><Code>Throttling</Code><Message>Rate exceeded</Message></Error></ErrorResponse>", http.StatusBadRequest)
	case service == "cloudformation":
		r.Body = io.NopCloser(bytes.NewReader(body))
		a.cloudFormation.ServeHTTP(w, r)
	case service == "sqs":
		a.sqs(w, r, action, body)
	default:
		a.query(w, action, form)
	}
}

// query answers SNS and STS.
func (a *fakeAccount) query(w http.ResponseWriter, action string, form neturl.Values) {
	a.mu.Lock()
	defer a.mu.Unlock()
	result, topic := "", form.Get("TopicArn")
	switch action {
	case "GetCallerIdentity":
		result = "<Account>" + fakeID + "</Account>"
	case "CreateTopic":
		topic = "arn:aws:sns:us-east-1:" + fakeID + ":" + form.Get("Name")
		a.topics[topic] = append([]string{}, a.topics[topic]...)
		result = "<TopicArn>" + topic + "</TopicArn>"
	case "Subscribe":
		queue := form.Get("Endpoint")[strings.LastIndex(form.Get("Endpoint"), ":")+1:]
		if !slices.Contains(a.topics[topic], queue) {
			a.topics[topic] = append(a.topics[topic], queue)
		}
	case "ListTopics":
		var b strings.Builder
		for arn := range maps.Keys(a.topics) {
			b.WriteString("<member><TopicArn>" + arn + "</TopicArn></member>")
		}
		result = "<Topics>" + b.String() + "</Topics>"
	case "DeleteTopic":
		delete(a.topics, topic)
	}
	_, _ = io.WriteString(w, xml.Header+"<"+action+"Response><"+action+"Result>"+result+"</"+action+"Result></"+action+"Response>")
}

func (a *fakeAccount) sqs(w http.ResponseWriter, r *http.Request, action string, body []byte) {
	var in struct {
		QueueName, QueueUrl, ReceiptHandle string
		WaitTimeSeconds                    int
	}
	_ = json.Unmarshal(body, &in) // it is the SDK's
	name := cmp.Or(in.QueueName, in.QueueUrl[strings.LastIndex(in.QueueUrl, "/")+1:])
	at := map[string]any{"QueueUrl": "http://" + r.Host + "/" + fakeID + "/" + name}
	if action == "ReceiveMessage" {
		ctx, end := context.WithTimeout(r.Context(), time.Duration(in.WaitTimeSeconds)*time.Second)
		defer end()
		at = map[string]any{"Messages": a.receive(ctx, name)}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	_, there := a.queues[name]
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	refuse := func(code string) { // as SQS writes what it has written since the query protocol
		w.Header().Set("X-Amzn-Query-Error", "AWS.SimpleQueueService."+code+";Sender")
		w.WriteHeader(http.StatusBadRequest)
		at = map[string]any{"__type": "com.amazonaws.sqs#" + code}
	}
	switch {
	case action == "CreateQueue" && a.deleted[name]:
		delete(a.deleted, name)
		refuse("QueueDeletedRecently")
	case action == "CreateQueue" && there:
		refuse("QueueNameExists")
	case action == "CreateQueue":
		a.queues[name] = []*delivery{}
	case action == "DeleteQueue":
		delete(a.queues, name)
		a.deleted[name] = true
	case action == "ListQueues":
		at = map[string]any{"QueueUrls": slices.Collect(maps.Keys(a.queues))}
	case action == "DeleteMessage":
		a.flying[in.ReceiptHandle].done()
	}
	_ = json.NewEncoder(w).Encode(at)
}
