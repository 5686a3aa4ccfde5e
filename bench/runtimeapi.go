package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"
)

// A runtimeAPI is the part of Lambda that a function asks for work, for one function at a time.
type runtimeAPI struct {
	*httptest.Server
	requests chan time.Time // when the function asked for work
	payloads chan []byte    // what it gets
	ended    chan struct{}
}

func newRuntimeAPI() *runtimeAPI {
	a := &runtimeAPI{requests: make(chan time.Time, 1), payloads: make(chan []byte), ended: make(chan struct{})}
	a.Server = httptest.NewServer(a)
	return a
}

// host returns the API's HOST:PORT.
func (a *runtimeAPI) host() string { return a.Listener.Addr().String() }

func (a *runtimeAPI) stop() {
	close(a.ended)
	a.Close()
}

// waitForRequest waits until the function asks for work, and returns when it did.
func (a *runtimeAPI) waitForRequest(ctx context.Context) (time.Time, error) {
	select {
	case at := <-a.requests:
		return at, nil
	case <-time.After(timeout):
		return time.Time{}, errors.New("the function does not ask for work")
	case <-ctx.Done():
		return time.Time{}, ctx.Err()
	}
}

// send gives the function that asks for work an event.
func (a *runtimeAPI) send(ctx context.Context, payload []byte) error {
	select {
	case a.payloads <- payload:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (a *runtimeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/invocation/next") { // the outcome, which nobody here needs
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	select {
	case a.requests <- time.Now():
	case <-r.Context().Done():
		return
	}
	select {
	case payload := <-a.payloads:
		h := w.Header()
		h.Set("Lambda-Runtime-Aws-Request-Id", "8476a536-e9f4-11e8-9739-2dfe598c3fcd")
		h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(time.Now().Add(timeout).UnixMilli(), 10))
		h.Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:us-west-2:123456789012:function:bench")
		_, _ = w.Write(payload)
	case <-r.Context().Done(): // it was ended
	case <-a.ended:
	}
}
