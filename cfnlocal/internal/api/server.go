// Package api answers as CloudFormation's API does: the Query protocol of version
// 2010-05-15 over HTTP, on loopback. AWS's clients, given its URL as their endpoint, see
// the stacks of a [Source] with it, and order operations of a [Writer]'s Operator.
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
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

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
func Start(address string, source Source, writer *Writer, pages http.Handler) (*Server, error) {
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
	s := &Server{origin: "http://" + listener.Addr().String(), server: loopback.NewServer(withPages(newHandler(source, writer), pages))}
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

// A call is one request, with the source of its answer.
type call struct {
	*request
	source Source
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

// newHandler returns the handler of the API over a source. It does not keep strangers out:
// [Start] does. Without a writer it only reads.
func newHandler(source Source, writer *Writer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		action, result, err := answer(w, r, source, writer)
		respond(w, action, result, err)
	})
}

// answer returns the answer to a request. A panic becomes an error of the API, as it would at AWS.
func answer(w http.ResponseWriter, r *http.Request, source Source, writer *Writer) (action string, result any, err error) {
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
	c, v := &call{q, source}, q.text("Version")
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
