package host

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// An outcome is how an attempt ended.
type outcome struct {
	kind    Kind            // Succeeded, Errored, Crashed, TimedOut or InitFailed
	payload json.RawMessage // the response, or what Lambda says of the error; always JSON

	overtime time.Duration // how much longer than the timeout it took, on a busy machine
}

// failure is an outcome in Lambda's words.
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
		return "an error of another form than a runtime's"
	}
	text := strings.Trim(e.ErrorType+": "+e.ErrorMessage, ": ")
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return text
}
