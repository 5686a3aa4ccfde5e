package event

import (
	"encoding/json"
	"errors"
	"fmt"
)

// The envelopes that an event arrives in, beside none: the records of an SNS
// notification, and the record that an asynchronous invocation's on-failure
// destination gets of an event whose process died (Lambda developer guide,
// "Capturing records of asynchronous invocations").
type envelope struct {
	Records []struct {
		SNS struct{ Message string } `json:"Sns"`
	}
	RequestPayload json.RawMessage `json:"requestPayload"`
	RequestContext struct {
		Condition string `json:"condition"`
	} `json:"requestContext"`
	ResponsePayload struct {
		ErrorMessage string `json:"errorMessage"`
	} `json:"responsePayload"`
}

// Read returns the events of a payload that can be answered, and an
// error for those that cannot.
func Read(payload []byte) ([]*Event, error) {
	var env envelope
	_ = json.Unmarshal(payload, &env) // a plain event may have such fields of any type
	if env.RequestPayload == nil {
		return readRecords(payload, env)
	}

	if env.RequestContext.Condition == "Success" {
		return nil, errors.New("the payload is the record of an invocation that succeeded: make this function the on-failure destination only")
	}
	var failed envelope
	_ = json.Unmarshal(env.RequestPayload, &failed)
	events, err := readRecords(env.RequestPayload, failed)
	for _, ev := range events {
		ev.Died = "the function ended before it answered"
		if env.RequestContext.Condition != "" {
			ev.Died += " (" + env.RequestContext.Condition + ")"
		}
		if env.ResponsePayload.ErrorMessage != "" {
			ev.Died += ": " + env.ResponsePayload.ErrorMessage
		}
	}
	return events, err
}

func readRecords(payload []byte, env envelope) ([]*Event, error) {
	if len(env.Records) == 0 {
		ev, err := readOne(payload)
		if err != nil {
			return nil, err
		}
		return []*Event{ev}, nil
	}
	var events []*Event
	var errs []error
	for i, record := range env.Records {
		ev, err := readOne([]byte(record.SNS.Message))
		if err != nil {
			errs = append(errs, fmt.Errorf("record %d of %d: %w", i+1, len(env.Records), err))
			continue
		}
		events = append(events, ev)
	}
	return events, errors.Join(errs...)
}
