package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/examples/bucketcontents/fakes3/server"
)

// A bed is an S3 server in memory to test on, with two buckets.
type bed struct {
	*server.Server
	delay     time.Duration              // that a request takes
	answers   time.Duration              // that its answer takes, after it has had its effect
	intercept func(*http.Request) string // if not empty, the answer to a request, with its status unless it is 200

	mu        sync.Mutex
	now, most int // requests at once
	cut       int // requests that the client did not wait for
}

func newBed(versioned bool) *bed {
	b := &bed{Server: &server.Server{}}
	b.MakeBucket(site.Bucket, versioned)
	b.MakeBucket(other.Bucket, versioned)
	return b
}

var (
	site = Props{Bucket: "site", Objects: []Object{
		{Key: "index.html", Body: "<h1>Orders</h1>", ContentType: "text/html"},
		{Key: "css/site.css", Body: "h1 { color: teal }", ContentType: "text/css"},
		{Key: "robots.txt", Body: "User-agent: *"},
	}}
	changed = Props{Bucket: "site", Objects: []Object{
		{Key: "index.html", Body: "<h1>Returns</h1>", ContentType: "text/html"},
		{Key: "img/logo.svg", Body: "<svg/>", ContentType: "image/svg+xml"},
	}}
	other = Props{Bucket: "other", Objects: site.Objects}
)

// contents returns a handler, as after a cold start.
func (b *bed) contents() *Contents {
	cfg := clientConfig("http://s3.example.com", "key", "secret", "us-east-1")
	return &Contents{s3: newClient(cfg, cfntest.Steps(inProcess{b})), workers: workers}
}

func clientConfig(endpoint, key, secret, region string) aws.Config {
	return aws.Config{
		Region:       region,
		BaseEndpoint: aws.String(endpoint),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: key, SecretAccessKey: secret}, nil
		}),
	}
}

func (b *bed) function() *cfnresource.Dispatcher { return cfnresource.New(b.contents()) }

func (b *bed) service() cfntest.Service {
	return cfntest.Service{
		Function: func() cfntest.Function { return b.function() },
		State:    b.state,
		List:     b.list,
	}
}

// state returns the objects under a physical ID, or nil.
func (b *bed) state(id string) any {
	bucket, prefix, _ := strings.Cut(id, "/")
	if objects := b.Objects(bucket, prefix); prefix != "" && len(objects) > 0 {
		return objects
	}
	return nil
}

// list returns the physical IDs of all sets of which there is anything, versions
// and delete markers included.
func (b *bed) list() (ids []string) {
	for _, key := range b.Keys() {
		bucket, key, _ := strings.Cut(key, "/")
		if id := bucket + "/" + prefixOf(key); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// prefixOf returns the prefix of the set that a key belongs to.
func prefixOf(key string) string {
	parts := strings.SplitN(key, "/", 3) // the folder, the StableID, and the object's own key
	return strings.Join(parts[:min(2, len(parts))], "/") + "/"
}

// want returns what properties make.
func want(p Props) map[string]server.Object {
	objects := map[string]server.Object{}
	for _, o := range p.Objects {
		made := server.Object{Body: o.Body, ContentType: o.ContentType}
		if made.ContentType == "" {
			made.ContentType = "text/plain; charset=utf-8"
		}
		objects[o.Key] = made
	}
	return objects
}

// many returns a set of so many objects.
func many(n int) Props {
	p := Props{Bucket: site.Bucket}
	for i := range n {
		p.Objects = append(p.Objects, Object{Key: fmt.Sprintf("page/%04d", i), Body: fmt.Sprintf("page number %d", i)})
	}
	return p
}

// inProcess is a transport that calls the server without a network.
type inProcess struct{ *bed }

func (p inProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	p.begin()
	defer p.end()
	select {
	case <-time.After(p.delay):
	case <-req.Context().Done():
		p.cutOff()
		return nil, req.Context().Err()
	}
	if req.Body == nil {
		req = req.Clone(req.Context())
		req.Body = http.NoBody
	}
	reply := httptest.NewRecorder()
	if p.intercept != nil {
		if text := p.intercept(req); text != "" {
			status := http.StatusOK
			if n, err := fmt.Sscan(text[:3], &status); n == 1 && err == nil {
				text = text[3:]
			}
			reply.WriteHeader(status)
			_, _ = reply.WriteString(text)
			return reply.Result(), nil
		}
	}
	p.ServeHTTP(reply, req)
	select { // what is stored is stored, whether or not anybody waits for the answer
	case <-time.After(p.answers):
	case <-req.Context().Done():
		p.cutOff()
		return nil, req.Context().Err()
	}
	return reply.Result(), nil
}

func (b *bed) begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now++
	b.most = max(b.most, b.now)
}

func (b *bed) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now--
}

func (b *bed) cutOff() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cut++
}
