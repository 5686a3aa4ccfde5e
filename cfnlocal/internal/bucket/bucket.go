// Package bucket stands for the Amazon S3 bucket in which CloudFormation awaits
// the answers of custom resources. It listens on a loopback address, makes one
// signed URL per request, and takes a PUT to it, or refuses it, as S3 does.
//
// # What is as in S3
//
// The key is StackId|LogicalResourceId|RequestId with its colons and bars
// escaped. The URL lives for two hours and is signed with signature version 4
// and the host as the only signed header, as CloudFormation does since about
// 2020. Method, key and host are covered by the signature; expiry, the presence
// of a Content-Length, a Content-MD5 and X-Amz headers that are not signed are
// checked. Errors are S3's documents with S3's words. An object that is written
// again is overwritten.
//
// # What is not
//
// The URL is http and has the loopback address for its host: no name on a loopback address can have
// the bucket's as its first label. A URL is for one PUT's key, so that nothing can be read, and
// S3's answers to reading (NoSuchKey) never occur: a GET is refused for its signature, as in S3.
// Bodies are limited to 1 MiB instead of 5 GB. There is no checksum but Content-MD5, no HTTP/2 (S3
// has none), no redirect to another host, and the Authorization header is read only to refuse it
// beside a signed URL.
package bucket

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/loopback"
)

// Config configures a bucket. The zero value is a bucket in us-east-1 that only stores.
type Config struct {
	// Region is in the bucket's name and in the scope of signatures; us-east-1 if it is empty.
	Region string
	// Now is the time at which URLs are signed and by which they expire. Handlers
	// read it from the URL, so it should be theirs. Nil is time.Now.
	Now func() time.Time
	// Stored is called for every stored body, one at a time, in the order in which
	// they are stored. The client gets its answer only when it has returned. It must not
	// call Close.
	Stored func(Upload)
	// Refused is called for every request that is not answered with success, as
	// Stored is. It must not call Close.
	Refused func(Refusal)
}

const (
	// life is how long a URL can be used, as CloudFormation's can be.
	life = 2 * time.Hour
	// maxBody is how long a body may be, in bytes. S3 takes 5 GB; the limit of
	// 4096 bytes is CloudFormation's, not the bucket's.
	maxBody = 1 << 20
)

// A Request is what a URL is signed for. CloudFormation can use a RequestId
// again; two requests that agree in all three are one object.
type Request struct {
	StackID, LogicalID, RequestID string
}

func (r Request) key() string { return r.StackID + "|" + r.LogicalID + "|" + r.RequestID }

// An Upload is a body that was PUT to a request's URL.
type Upload struct {
	Request Request
	Body    []byte
	Count   int // 1 for the first to this request, 2 for what overwrote it, and so on
}

// A Refusal is a request to the bucket that stored nothing, or whose client did not learn
// that it did.
type Refusal struct {
	Request Request // zero if no URL was made for the key
	Method  string
	Code    string // S3's, such as SignatureDoesNotMatch; "" if there was no answer
	Message string // S3's; never a signature
}

// A Bucket is a response bucket. Its keys are its own: a URL that another one
// has signed is refused.
type Bucket struct {
	config Config
	origin string
	name   string
	keys   keys
	server *http.Server
	served sync.WaitGroup

	reporting sync.Mutex // held while Stored or Refused is called, and before mu

	mu      sync.Mutex
	closed  bool               // no request is served any more
	signed  map[string]Request // by key
	objects map[Request][][]byte
	faults  map[Request][]Fault
}

// Start returns a bucket that listens on a free port of 127.0.0.1 until it is closed.
func Start(c Config) (*Bucket, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it waits for nothing
	if err != nil {
		return nil, fmt.Errorf("bucket: no port of 127.0.0.1 can be listened on: %w", err)
	}
	b := newBucket("http://"+listener.Addr().String(), c)
	b.server = loopback.NewServer(b)
	b.server.ReadTimeout = 5 * time.Minute
	b.served.Go(func() { _ = b.server.Serve(listener) })
	return b, nil
}

func newBucket(origin string, c Config) *Bucket {
	c.Region = cmp.Or(c.Region, "us-east-1")
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Bucket{
		config:  c,
		origin:  origin,
		name:    "cloudformation-custom-resource-response-" + strings.ReplaceAll(c.Region, "-", ""),
		keys:    keys{access: "AKIA" + rand.Text()[:16], secret: rand.Text()},
		signed:  make(map[string]Request),
		objects: make(map[Request][][]byte),
		faults:  make(map[Request][]Fault),
	}
}

// Origin is where the bucket is, as http://127.0.0.1:PORT: what a handler must
// list to be allowed to answer to it.
func (b *Bucket) Origin() string { return b.origin }

// Close stops listening, breaks the connections that there are, and waits until none is served.
func (b *Bucket) Close() error {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	var err error
	if b.server != nil {
		err = b.server.Close()
	}
	b.served.Wait()
	return err
}

// Sign returns a URL that takes one request's answers by PUT.
func (b *Bucket) Sign(r Request) (url string) { return b.SignAt(r, b.config.Now()) }

// SignAt is Sign at a time that may be ahead: that of a stack whose waits are skipped.
func (b *Bucket) SignAt(r Request, at time.Time) (url string) {
	b.mu.Lock()
	b.signed[r.key()] = r
	b.mu.Unlock()
	path := "/" + escape(r.key(), true)
	return b.origin + path + "?" + b.keys.query(b.host(), path, b.config.Region, at, life)
}

func (b *Bucket) host() string { return strings.TrimPrefix(b.origin, "http://") }

// Inject has the next requests to r's URL meet these faults, one each, after those that
// were injected before.
func (b *Bucket) Inject(r Request, faults ...Fault) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults[r] = append(b.faults[r], faults...)
}

// Bodies returns what was PUT to r's URL, in order: the last is the object.
func (b *Bucket) Bodies(r Request) [][]byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.objects[r])
}

// A Fault is something that goes wrong with one request to a URL. Those that
// answer with an error store nothing.
type Fault string

// The faults. Each is met by one request, whatever it would have come to else.
const (
	InternalError       Fault = "500"      // 500 InternalError, which S3 asks to try again
	SlowDown            Fault = "503"      // 503 SlowDown: there are too many requests
	Expired             Fault = "expired"  // 403 AccessDenied, Request has expired
	Reset               Fault = "reset"    // the connection is reset when the body has come
	LostAcknowledgement Fault = "lost-ack" // the body is stored and the connection reset: the client cannot know
)

// answer is the error that a fault answers with, or nil if it does something else.
func (f Fault) answer(b *Bucket) *s3Error {
	switch f {
	case InternalError:
		return refusal(http.StatusInternalServerError, "InternalError", "We encountered an internal error. Please try again.")
	case SlowDown:
		return refusal(http.StatusServiceUnavailable, "SlowDown", "Please reduce your request rate.")
	case Expired:
		now := b.config.Now()
		return expired(now, now)
	default:
		return nil
	}
}
