package host

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/google/uuid"
)

// invokePath is where Lambda's Invoke is (AWS Lambda API Reference, "Invoke").
const invokePath = "/2015-03-31/functions/{name}/invocations"

// maxSyncPayload is how long the payload of a synchronous invocation may be, in bytes.
const maxSyncPayload = 6 << 20

// invoke is Lambda's Invoke, for the process and what it starts. Signatures are
// not verified, and the function's role is not asked.
func (p *process) invoke(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Amzn-Requestid", uuid.NewString())
	kind := r.Header.Get("X-Amz-Invocation-Type")
	if kind == "" {
		kind = "RequestResponse"
	}
	d, err := p.read(w, r, kind)
	if err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("X-Amzn-Requestid", d.id)
	w.Header().Set("X-Amzn-Trace-Id", d.trace)
	switch kind {
	case "DryRun":
		w.WriteHeader(http.StatusNoContent)
	case "Event":
		p.host.accept(w, d, p.function.name)
	default:
		p.host.respond(w, d)
	}
}

// read returns what a call of Invoke asks for, with the next link of the caller's chain.
func (p *process) read(w http.ResponseWriter, r *http.Request, kind string) (*delivery, error) {
	arn, err := resolve(p.function.ARN, r.PathValue("name"), r.URL.Query().Get("Qualifier"))
	if err != nil {
		return nil, err
	}
	limit := maxSyncPayload
	switch kind {
	case "RequestResponse", "DryRun":
	case "Event":
		limit = MaxPayload
	default:
		return nil, invalid(kind, "invocationType", "Member must satisfy enum value set: [Event, RequestResponse, DryRun]")
	}
	payload, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(limit)))
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, tooLarge(kind == "Event", limit)
	case err != nil:
		return nil, errNoJSON // the caller is gone, or what it says was cut off
	case len(payload) == 0:
		payload = []byte("{}")
	case !json.Valid(payload):
		return nil, errNoJSON
	}
	if deploy := p.host.config.Deploy; deploy != nil {
		if err := deploy(arn); err != nil {
			return nil, err
		}
	}
	f := p.host.lookup(arn)
	if f == nil {
		return nil, &NotFoundError{arn}
	}
	so := readChain(r.Header.Get("X-Amzn-Trace-Id"))
	d := &delivery{function: f, id: uuid.NewString(), payload: payload, trace: so.header(arn), born: p.host.config.Clock.Now()}
	d.looped = so.count(arn) > maxChain && !f.Recursive
	return d, nil
}

// accept puts an event into its function's queue.
func (h *Host) accept(w http.ResponseWriter, d *delivery, caller string) {
	h.report(Event{Kind: Sent, Function: d.function.name, RequestID: d.id, Payload: d.payload, Text: caller})
	if faults := h.config.Faults; faults != nil && !d.looped {
		d.faults = faults(d.payload)
	}
	if err := h.enqueue(d); err != nil {
		refuse(w, err)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// respond invokes a function and answers with what came of it. It goes on if the
// caller does not wait.
func (h *Host) respond(w http.ResponseWriter, d *delivery) {
	if d.looped {
		refuse(w, errRecursive)
		return
	}
	result, err := h.call(context.Background(), d)
	if err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Amz-Executed-Version", latest)
	if result.Kind != Succeeded {
		w.Header().Set("X-Amz-Function-Error", "Unhandled")
	}
	_, _ = w.Write(result.Payload)
}
