package enginetest

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// An Answer is what the handler says to a request, and how the request reaches it. The zero
// Answer is SUCCESS after a second.
type Answer struct {
	Verb       string // SUCCESS, FAILED, none, raw, refuse; or ""
	Text       string // of raw and refuse
	PhysicalID string // or "": the request's own, or a new one
	Reason     string // of FAILED
	Data       any
	NoEcho     bool

	After, Takes, Again time.Duration // of the delivery, and of the one after it, if any
	Lost                bool
}

func parseAnswer(line string) (a Answer, err error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return a, errors.New("a request has no answer: SUCCESS, FAILED, none, raw or refuse")
	}
	a = Answer{Verb: words[0], Takes: time.Second, Reason: "no"}
	_, a.Text, _ = strings.Cut(line, " ")
	for i, w := range words[1:] {
		key, value, assigned := strings.Cut(w, "=")
		switch {
		case a.Verb == "raw" || a.Verb == "refuse": // the text of these is none of ours
		case key == "Data":
			a.Data, err = decode([]byte(value))
		case key == "Reason":
			a.Reason = value
		case key == "after":
			a.After, err = time.ParseDuration(value)
		case key == "takes":
			a.Takes, err = time.ParseDuration(value)
		case key == "again":
			a.Again, err = time.ParseDuration(value)
		case w == "lost":
			a.Lost = true
		case w == "NoEcho":
			a.NoEcho = true
		case i == 0 && !assigned:
			a.PhysicalID = w
		}
		if err != nil {
			return a, err
		}
	}
	return a, nil
}

// Body returns what is PUT to the request's URL, or nil. A Create that the line gives no
// physical ID has the one that is given here.
func (a Answer) Body(r *engine.Request, created string) []byte {
	switch a.Verb {
	case "none":
		return nil
	case "raw":
		return []byte(strings.NewReplacer("{StackId}", r.StackID, "{RequestId}", r.RequestID, "{LogicalResourceId}", r.LogicalID,
			"{long}", strings.Repeat("x", engine.MaxAnswer)).Replace(a.Text))
	}
	id := r.PhysicalID
	switch {
	case a.PhysicalID != "":
		id = a.PhysicalID
	case r.RequestType == "Create":
		id = created
	}
	answer := map[string]any{"Status": "SUCCESS", "StackId": r.StackID, "RequestId": r.RequestID, "LogicalResourceId": r.LogicalID, "PhysicalResourceId": id}
	if a.Verb == "FAILED" {
		answer["Status"], answer["Reason"] = "FAILED", a.Reason
	}
	if a.Data != nil {
		answer["Data"] = a.Data
	}
	if a.NoEcho {
		answer["NoEcho"] = true
	}
	out, _ := json.Marshal(answer) // of texts and decoded JSON
	return out
}

// Deliveries returns how the request reaches the handler.
func (a Answer) Deliveries() []Delivery {
	first := Delivery{After: a.After, Takes: a.Takes, Lost: a.Lost}
	if a.Verb == "" {
		first.Takes = time.Second
	}
	if a.Again == 0 {
		return []Delivery{first}
	}
	return []Delivery{first, {After: a.After + a.Again, Takes: a.Takes}}
}
