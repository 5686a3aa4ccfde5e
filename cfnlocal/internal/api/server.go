package query

import (
	"errors"
	"fmt"
	"net"
	"net/http"
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
		return nil, fmt.Errorf("query: %s is no address: %w", address, err)
	}
	if !to.IP.IsLoopback() {
		return nil, fmt.Errorf("%s is not a loopback address, and whoever reaches it can read the stacks", address)
	}
	listener, err := net.ListenTCP("tcp", to)
	if err != nil {
		return nil, fmt.Errorf("query: %s cannot be listened on: %w", address, err)
	}
	s := &Server{origin: "http://" + listener.Addr().String(), server: loopback.NewServer(withPages(NewHandler(source, writer), pages))}
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
