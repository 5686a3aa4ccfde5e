package play_test

import (
	"context"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Each type here is a right handler with one fault, which shows in a process that handles
// more than one event.

// A memory is what a process remembers from one event to the next.
type memory[V any] map[string]V

// remember returns what is remembered under a key, and remembers v if that is nothing.
func (m memory[V]) remember(key string, v V) V {
	if before, ok := m[key]; ok {
		return before
	}
	m[key] = v
	return v
}

// mergesDefaults reads properties into what is left of those of the last event.
type mergesDefaults struct {
	named

	last *boxProps
}

func (h mergesDefaults) Create(ctx context.Context, req *creation) (boxData, error) {
	*h.last = req.Properties
	return h.named.Create(ctx, req)
}

func (h mergesDefaults) Update(ctx context.Context, req *updating) (boxData, error) {
	merged := *req
	merged.Properties.Frozen = req.Properties.Frozen || h.last.Frozen // what is false is left out
	*h.last = merged.Properties
	return h.named.Update(ctx, &merged)
}

var _ = wrong(wrongHandler{
	name:    "mergesDefaults",
	process: func(d *depot) simulate.Function { return process(mergesDefaults{named{d}, new(boxProps)}) },
	checks:  []string{"warm-process-serves-several"},
	why:     "no process in a history has a second event",
})

// remembersRequests takes a request whose RequestID it has seen for a second delivery.
type remembersRequests struct {
	named

	done memory[boxData]
}

func (h remembersRequests) Update(ctx context.Context, req *updating) (boxData, error) {
	if data, ok := h.done[req.RequestID]; ok {
		return data, nil
	}
	data, err := h.named.Update(ctx, req)
	if err == nil {
		h.done[req.RequestID] = data
	}
	return data, err
}

var _ = wrong(wrongHandler{
	name:    "remembersRequests",
	process: func(d *depot) simulate.Function { return process(remembersRequests{named{d}, memory[boxData]{}}) },
	checks:  []string{"warm-process-serves-several"},
	why:     "no process in a history has a second event",
})

// remembersDeletes deletes a resource's thing once.
type remembersDeletes struct {
	named

	done memory[string] // the RequestID, by logical ID
}

func (h remembersDeletes) Delete(ctx context.Context, req *deletion) error {
	if h.done.remember(req.LogicalID, req.RequestID) != req.RequestID {
		return nil
	}
	return h.named.Delete(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "remembersDeletes",
	process: func(d *depot) simulate.Function { return process(remembersDeletes{named{d}, memory[string]{}}) },
	checks:  []string{"warm-process-serves-several"},
	why:     "no process in a history has a second event",
})

// sizeData are other Data after an Update in place.
type sizeData struct{ Size int }

// tellsSize is a right handler.
type tellsSize struct{ named }

func (h tellsSize) Create(ctx context.Context, req *creation) (sizeData, error) {
	_, err := h.named.Create(ctx, req)
	return sizeData{req.Properties.Size}, err
}

func (h tellsSize) Update(ctx context.Context, req *updating) (sizeData, error) {
	_, err := h.named.Update(ctx, req)
	return sizeData{req.Properties.Size}, err
}

// remembersAnswers answers a resource's Data as it was first.
type remembersAnswers struct {
	tellsSize

	answers memory[sizeData]
}

func (h remembersAnswers) Create(ctx context.Context, req *creation) (sizeData, error) {
	data, err := h.tellsSize.Create(ctx, req)
	return h.answers.remember(req.LogicalID, data), err
}

func (h remembersAnswers) Update(ctx context.Context, req *updating) (sizeData, error) {
	data, err := h.tellsSize.Update(ctx, req)
	return h.answers.remember(req.LogicalID, data), err
}

var _ = wrong(wrongHandler{
	name: "remembersAnswers",
	process: func(d *depot) simulate.Function {
		return process(remembersAnswers{tellsSize{named{d}}, memory[sizeData]{}})
	},
	checks: []string{"warm-process-serves-several"},
	why:    "no process in a history has a second event",
})
