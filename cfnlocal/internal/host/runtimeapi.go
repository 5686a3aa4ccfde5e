package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

// maxResponse is how long a response may be, in bytes.
const maxResponse = 6<<20 + 100

// maxHeaders is how long the headers of a request may be, in bytes: runtimes send the cause
// of an error in one, of up to 1 MiB.
const maxHeaders = 1<<20 + 64<<10

// runtimeAPI is the API that the process's runtime speaks (AWS Lambda Developer
// Guide, "Using the Lambda runtime API for custom runtimes"), and Lambda's Invoke,
// for the function's own calls.
func (p *process) runtimeAPI() http.Handler {
	mux := http.NewServeMux()
	const api = "/2018-06-01/runtime/"
	mux.HandleFunc("GET "+api+"invocation/next", p.next)
	mux.HandleFunc("POST "+api+"invocation/{id}/response", func(w http.ResponseWriter, r *http.Request) { p.answer(w, r, Succeeded) })
	mux.HandleFunc("POST "+api+"invocation/{id}/error", func(w http.ResponseWriter, r *http.Request) { p.answer(w, r, Errored) })
	mux.HandleFunc("POST "+api+"init/error", p.initError)
	mux.HandleFunc("POST "+invokePath, p.invoke)
	return mux
}

// next gives the process its next event, once there is one.
func (p *process) next(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	busy := p.current != nil
	p.mu.Unlock()
	if busy {
		reply(w, http.StatusForbidden, "InvalidStateTransition", "the last invocation has not been answered")
		return
	}
	select {
	case inv := <-p.work:
		if inv.allowed = inv.timeout; !inv.exact {
			inv.allowed = p.host.allowed(inv.timeout)
		}
		inv.invoked(p)
		close(inv.taken)
		if inv.fault == DieBefore {
			<-r.Context().Done() // it is about to be killed
			return
		}
		p.mu.Lock()
		p.current, p.last = inv, inv
		p.mu.Unlock()
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Lambda-Runtime-Aws-Request-Id", inv.id)
		h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(time.Now().Add(inv.allowed).UnixMilli(), 10))
		h.Set("Lambda-Runtime-Invoked-Function-Arn", inv.arn)
		h.Set("Lambda-Runtime-Trace-Id", inv.trace)
		if inv.waited {
			h.Set("Lambda-Runtime-Client-Context", `{"custom":{"cfnresource":"no-create-runs"}}`)
		}
		_, _ = w.Write(inv.payload)
	case <-r.Context().Done():
	}
}

// answer takes the response, or the error, of the current invocation.
func (p *process) answer(w http.ResponseWriter, r *http.Request, kind Kind) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxResponse))
	tooLarge := (*http.MaxBytesError)(nil)
	if err != nil && !errors.As(err, &tooLarge) {
		return // the process has ended, or its body was cut off and comes again
	}
	p.mu.Lock()
	inv := p.current
	if inv != nil && inv.id == r.PathValue("id") {
		p.current = nil
	} else {
		inv = nil
	}
	p.mu.Unlock()
	switch {
	case inv == nil:
		reply(w, http.StatusBadRequest, "InvalidRequestID", "Invalid request ID")
		return
	case tooLarge != nil:
		reply(w, http.StatusRequestEntityTooLarge, "RequestEntityTooLarge", "the response is too large")
		inv.done <- failure(Errored, "Function.ResponseSizeTooLarge", inv.id,
			fmt.Sprintf("Response payload size exceeded maximum allowed payload size (%d bytes).", maxResponse))
		return
	case inv.fault == DieAfter:
		inv.done <- posted(kind, body)
		<-r.Context().Done() // it is about to be killed
		return
	}
	accepted(w)
	inv.done <- posted(kind, body)
}

// initError takes the process's report of why it cannot start.
func (p *process) initError(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxResponse))
	if err != nil {
		return
	}
	p.mu.Lock()
	p.initErr = body
	p.mu.Unlock()
	accepted(w)
}

func accepted(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	_, _ = io.WriteString(w, `{"status":"OK"}`)
}

func reply(w http.ResponseWriter, status int, errorType, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"errorType":%q,"errorMessage":%q}`, errorType, message)
}

// An outcome is how an attempt ended.
type outcome struct {
	kind    Kind            // Succeeded, Errored, Crashed, TimedOut or InitFailed
	payload json.RawMessage // the response, or Lambda's description of the error; always JSON

	overtime time.Duration // how much longer than the timeout it took, if the timeout was multiplied
	skipped  time.Duration // the part of its time that was skipped
}

// failure returns an outcome with an error in Lambda's words.
func failure(kind Kind, errorType, requestID, message string) outcome {
	payload, _ := json.Marshal(struct { // strings always marshal
		ErrorType    string `json:"errorType"`
		ErrorMessage string `json:"errorMessage"`
	}{errorType, "RequestId: " + requestID + " Error: " + message})
	return outcome{kind: kind, payload: payload}
}

func timedOut(requestID string, limit time.Duration) outcome {
	return failure(TimedOut, "Sandbox.Timedout", requestID, fmt.Sprintf("Task timed out after %.2f seconds", limit.Seconds()))
}

// posted returns an outcome with a payload from a runtime, which may be invalid JSON.
func posted(kind Kind, body []byte) outcome {
	switch {
	case json.Valid(body):
		return outcome{kind: kind, payload: body}
	case len(body) == 0:
		return outcome{kind: kind, payload: json.RawMessage("null")}
	}
	text, _ := json.Marshal(string(body)) // strings always marshal
	return outcome{kind: kind, payload: text}
}

// maxText is how many bytes of an error's message are in an Event.
const maxText = 1000

// text says what went wrong: the error's type and message.
func (o outcome) text() string {
	if o.kind == Succeeded {
		return ""
	}
	var e struct{ ErrorType, ErrorMessage string }
	if err := json.Unmarshal(o.payload, &e); err != nil {
		return "an error that is not in a runtime's form"
	}
	return printable.Cut(strings.Trim(e.ErrorType+": "+e.ErrorMessage, ": "), maxText)
}
