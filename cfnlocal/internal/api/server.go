// Package api answers as CloudFormation's API does: the Query protocol of version
// 2010-05-15 over HTTP, on loopback. AWS's clients, given its URL as their endpoint, see
// the stacks of a [Reader] with it, and order operations of a [Writer]'s Operator.
//
// A rule that AWS's API reference does not make plain carries a label, as in package engine.
//
// # Limits
//
// Without a Writer it refuses every action that would change something; with one it takes
// those that are signed with its key. It does not check the signatures of the others: any
// credentials work, and anyone who can connect can read. Therefore it listens only on loopback,
// and answers only requests whose Host is loopback. It has no change sets, no
// drift and no hooks, and describes stacks without them. A
// template that has a transform is returned as it was written, at both stages. A deleted
// stack is known until its name is used again, instead of 90 days.
package api

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/loopback"
)

// A Server answers on a port of this machine.
type Server struct {
	origin string
	server *http.Server
	served sync.WaitGroup
	err    error // of Serve, once it has ended
}

// Start listens on an address of loopback, such as 127.0.0.1:0, which is a free port, and answers
// until it is closed. Every other address is an error. pages answers what asks for no action, as
// browsers do; nil has nothing for them. Without a writer it only reads.
func Start(address string, reader Reader, writer *Writer, pages http.Handler) (*Server, error) {
	to, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%s is not an address: %w", address, err)
	}
	if !to.IP.IsLoopback() {
		return nil, fmt.Errorf("%s is not a loopback address, and anyone who reached it could read the stacks", address)
	}
	listener, err := net.ListenTCP("tcp", to)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be listened on: %w", address, err)
	}
	s := &Server{origin: "http://" + listener.Addr().String(), server: loopback.NewServer(withPages(newHandler(reader, writer), pages))}
	s.server.ReadHeaderTimeout, s.server.ReadTimeout = 10*time.Second, 30*time.Second
	s.server.WriteTimeout, s.server.IdleTimeout = time.Minute, time.Minute
	if writer != nil {
		s.server.WriteTimeout = 15 * time.Minute // functions are built before an order is answered
	}
	s.served.Go(func() { s.err = s.server.Serve(listener) })
	return s, nil
}

// withPages passes a GET or HEAD without an action to pages, and everything else to the API.
func withPages(api, pages http.Handler) http.Handler {
	if pages == nil {
		return api
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		if reads && !r.URL.Query().Has("Action") {
			pages.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	})
}

// Origin is where the server is, as http://127.0.0.1:PORT: what a client takes
// as CloudFormation's endpoint.
func (s *Server) Origin() string { return s.origin }

// Wait returns when the server has ended, and why if it was not closed.
func (s *Server) Wait() error {
	s.served.Wait()
	if errors.Is(s.err, http.ErrServerClosed) {
		return nil
	}
	return s.err
}

// Close stops listening and breaks the connections that there are.
func (s *Server) Close() error {
	return errors.Join(s.server.Close(), s.Wait())
}

// version is that of the API. There has been no other.
const version = "2010-05-15"

// A call is one request, with what it is answered from.
type call struct {
	*request
	reader Reader
}

// actions are the actions, each with the method that answers it: it returns the content
// of the element <ACTION>Result.
var actions = map[string]func(*call) (any, error){
	"DescribeStacks":         (*call).describeStacks,
	"ListStacks":             (*call).listStacks,
	"DescribeStackEvents":    (*call).describeStackEvents,
	"DescribeStackResource":  (*call).describeStackResource,
	"DescribeStackResources": (*call).describeStackResources,
	"ListStackResources":     (*call).listStackResources,
	"GetTemplateSummary":     (*call).getTemplateSummary,
	"GetTemplate":            (*call).getTemplate,
}

// A Writer accepts orders that are signed with a key, and starts them.
type Writer struct {
	Key      Key // that orders are signed with
	Operator Operator
}

// newHandler returns the handler of the API over a reader. It does not keep strangers out:
// [Start] does. Without a writer it only reads.
func newHandler(reader Reader, writer *Writer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		action, result, err := answer(w, r, reader, writer)
		respond(w, action, result, err)
	})
}

// answer returns the answer to a request. A panic becomes an error of the API, as it would at AWS.
func answer(w http.ResponseWriter, r *http.Request, reader Reader, writer *Writer) (action string, result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			action, result, err = "", nil, internal(p, debug.Stack())
		}
	}()
	q, err := read(w, r)
	if err != nil {
		return "", nil, err
	}
	if action = q.text("Action"); action == "" {
		return "", nil, errMissingAction
	}
	// Reading is open to whoever reaches the server. An order runs programs, so it must be signed.
	c, v := &call{q, reader}, q.text("Version")
	does := actions[action]
	ordered, is := orders[action]
	switch {
	case v == version && does != nil:
		result, err = does(c)
		return action, result, err
	case v == version && is && writer != nil:
		if err := writer.Key.verify(r, q.body, "cloudformation", time.Now()); err != nil {
			return action, nil, err
		}
		result, err = c.order(r.Context(), writer.Operator, action, ordered)
		return action, result, err
	}
	return "", nil, noAction(action, v, writer != nil)
}

// skew is how far a request's time may be from ours, as at AWS.
const skew = 15 * time.Minute

// The errors for an order that the key has not signed. Codes and statuses are AWS's common ones. They do
// not say which part of a signature is wrong.
var (
	errUnsigned   = &RefusalError{http.StatusForbidden, "MissingAuthenticationToken", "Request is missing Authentication Token"}
	errUnreadable = &RefusalError{http.StatusBadRequest, "IncompleteSignature", "The request signature does not conform to AWS standards."}
	errKey        = &RefusalError{http.StatusForbidden, "InvalidClientTokenId", "The security token included in the request is invalid: cfnlocal serve prints another key each time that it starts."}
	errTime       = &RefusalError{http.StatusBadRequest, "RequestExpired", "The request's time is more than 15 minutes from this machine's."}
	errSignature  = &RefusalError{http.StatusForbidden, "SignatureDoesNotMatch", "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method."}
)

// A Key is an access key and its secret, with which clients sign their orders as AWS has it (AWS
// General Reference, "Signature Version 4").
type Key struct{ ID, Secret string }

// NewKey makes a Key at random.
func NewKey() Key { return Key{"AKIA" + rand.Text()[:16], rand.Text() + rand.Text()} }

// authorization is compiled when it is needed: that takes 2 ms, and most commands start no API.
var authorization = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=([A-Za-z0-9]{1,128})/(\d{8})/([a-z0-9-]{1,64})/([a-z0-9-]{1,64})/aws4_request, ?SignedHeaders=([a-z0-9;-]{1,1000}), ?Signature=([0-9a-f]{64})$`)
})

const amzDate = "20060102T150405Z"

// verify returns nil if the key signed a request with a body for a service, at about now, and
// otherwise the reason for rejecting it.
func (k Key) verify(r *http.Request, body []byte, service string, now time.Time) error {
	header := r.Header.Get("Authorization")
	if header == "" {
		return errUnsigned
	}
	parts := authorization().FindStringSubmatch(header)
	at, err := time.Parse(amzDate, r.Header.Get("X-Amz-Date"))
	switch {
	case parts == nil, err != nil, parts[2] != at.Format("20060102"), parts[4] != service:
		return errUnreadable
	}
	if parts[1] != k.ID {
		return errKey
	}
	if at.Sub(now).Abs() > skew {
		return errTime
	}

	// Sign the request again, over the headers that the client signed.
	signed := strings.Split(parts[5], ";")
	again := &http.Request{Method: r.Method, Host: r.Host, Header: http.Header{}, URL: &url.URL{Scheme: "http", Host: r.Host, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}}
	for _, name := range signed {
		switch name {
		case "host":
		case "content-length":
			again.ContentLength = r.ContentLength
		default:
			again.Header[http.CanonicalHeaderKey(name)] = r.Header.Values(name)
		}
	}
	if isBound := slices.Contains(signed, "host") && slices.Contains(signed, "x-amz-date"); !isBound { // to where and when it goes
		return errUnreadable
	}

	// The two signatures must be equal.
	sum := sha256.Sum256(body)
	err = v4.NewSigner().SignHTTP(context.Background(), aws.Credentials{AccessKeyID: k.ID, SecretAccessKey: k.Secret}, again, hex.EncodeToString(sum[:]), service, parts[3], at)
	if err != nil {
		return errUnreadable
	}
	ours := authorization().FindStringSubmatch(again.Header.Get("Authorization"))
	if ours == nil || ours[5] != parts[5] || subtle.ConstantTimeCompare([]byte(ours[6]), []byte(parts[6])) != 1 {
		return errSignature
	}
	return nil
}
