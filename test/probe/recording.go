package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
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
	// Whoever reads a recording must learn nothing of the account: each text goes through the names.
	n := newNames(h)
	out := history{Updated: h.Updated}
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
			if r.LogicalResourceId == s.StackName { // a row about the stack itself
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

// otherTopic is after the topic's name in the ServiceToken of scenarios that change it.
const otherTopic = "-other"

// templateBody writes a scenario's template as CloudFormation takes it, with the topic as the
// ServiceToken. Templates of nested stacks are files in dir.
func templateBody(t *enginetest.Template, topic, dir string) (string, error) {
	parameters, resources, outputs := map[string]any{}, map[string]any{}, map[string]any{}
	// The resources, whose tokens become the probe's topic.
	for _, r := range t.Resources {
		properties := named(r.Properties, parameters).(map[string]any)
		switch {
		case r.Type == engine.StackType:
			file, _ := properties["TemplateURL"].(string)
			properties["TemplateURL"] = filepath.Join(dir, file+".json")
		case engine.IsCustomResource(r.Type):
			token := properties["ServiceToken"]
			if _, isText := token.(string); isText {
				properties["ServiceToken"] = topic + otherTopic
			} else if token == nil {
				properties["ServiceToken"] = topic
			}
		}
		declared := map[string]any{"Type": r.Type, "Properties": properties}
		for name, value := range map[string]string{"DeletionPolicy": r.DeletionPolicy, "UpdateReplacePolicy": r.UpdateReplacePolicy} {
			if value != "" {
				declared[name] = value
			}
		}
		if len(r.DependsOn) > 0 {
			declared["DependsOn"] = r.DependsOn
		}
		resources[r.LogicalID] = declared
	}
	for _, o := range t.Outputs {
		outputs[o.Name] = map[string]any{"Value": named(o.Value, parameters)}
	}
	// The template, without empty sections, which CloudFormation refuses.
	all := map[string]any{"Resources": resources}
	if len(outputs) > 0 {
		all["Outputs"] = outputs
	}
	if len(parameters) > 0 {
		all["Parameters"] = parameters
	}
	body, err := json.Marshal(all)
	return string(body), err
}

// named copies a value. In the place of each $Name it puts a reference to a parameter, which
// it adds to parameters.
func named(v any, parameters map[string]any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			out[key] = named(value, parameters)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			out[i] = named(value, parameters)
		}
		return out
	case json.Number:
		if strings.Contains(v.String(), ".") {
			return v.String() // how a template's reader writes a fraction is none of the engine's
		}
	case string:
		if name, ok := strings.CutPrefix(v, "$"); ok {
			parameters[name] = map[string]string{"Type": "String"}
			return map[string]any{"Ref": name}
		}
	}
	return v
}
