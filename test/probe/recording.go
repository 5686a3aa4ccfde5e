package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A recording is what was seen of a scenario, in the form of internal/cfn/engine's
// testdata/aws-recorded.
type recording struct {
	Source   string  `json:"source"`
	License  string  `json:"license"`
	Recorded string  `json:"recorded"`
	Content  history `json:"content"`
}

// anonymous returns a history in which IDs are what they stand for: there are no
// accounts, no URLs and no RequestIds in it. Its text is that of the history.
func (h *history) anonymous() history {
	n := newNames(h)
	var out history
	for _, text := range h.Refused {
		out.Refused = append(out.Refused, n.readable(text))
	}
	for _, r := range h.Requests {
		r.RequestId, r.PhysicalResourceId = n.readable(r.RequestId), n.readable(r.PhysicalResourceId)
		r.ResourceProperties, r.OldResourceProperties = engine.Properties(n.readable(string(r.ResourceProperties))), engine.Properties(n.readable(string(r.OldResourceProperties)))
		out.Requests = append(out.Requests, r)
	}
	for _, s := range h.Stacks {
		s.StackId, s.StackStatusReason = n.readable(s.StackId), n.readable(s.StackStatusReason)
		outputs, rows := s.Outputs, s.StackEvents
		s.Outputs, s.StackEvents = nil, nil
		for _, o := range outputs {
			s.Outputs = append(s.Outputs, output{o.OutputKey, n.readable(o.OutputValue)})
		}
		for _, r := range rows {
			if r.LogicalResourceId == s.StackName {
				r.LogicalResourceId = s.StackId
			}
			r.PhysicalResourceId, r.ResourceStatusReason = n.readable(r.PhysicalResourceId), n.readable(r.ResourceStatusReason)
			s.StackEvents = append(s.StackEvents, r)
		}
		s.StackName = s.StackId
		out.Stacks = append(out.Stacks, s)
	}
	return out
}

// record writes a recording for each outcome.
func record(dir string, all []*outcome, source string, now time.Time) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	for _, o := range all {
		if o.err != nil {
			continue
		}
		r := recording{Source: "test/probe, " + o.Name + ", " + source, License: "Apache-2.0", Recorded: now.UTC().Format(time.DateOnly), Content: o.history.anonymous()}
		text, err := json.MarshalIndent(r, "", " ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, o.Name+".json"), append(text, '\n'), 0o600); err != nil {
			return err
		}
	}
	return nil
}
