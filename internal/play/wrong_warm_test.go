package play_test

import (
	"context"
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

var _ = wrong(func(d *depot) mergesDefaults { return mergesDefaults{named{d}, new(boxProps)} },
	unexplored("no process in a history has a second event"), "warm-process-serves-several")

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

var _ = wrong(func(d *depot) remembersRequests { return remembersRequests{named{d}, memory[boxData]{}} },
	unexplored("no process in a history has a second event"), "warm-process-serves-several")

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

var _ = wrong(func(d *depot) remembersDeletes { return remembersDeletes{named{d}, memory[string]{}} },
	unexplored("no process in a history has a second event"), "warm-process-serves-several")

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

var _ = wrong(func(d *depot) remembersAnswers { return remembersAnswers{tellsSize{named{d}}, memory[sizeData]{}} },
	unexplored("no process in a history has a second event"), "warm-process-serves-several")
