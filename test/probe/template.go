package main

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
)

// otherTopic is after the topic's name in the ServiceToken of scenarios that change it.
const otherTopic = "-other"

// templateBody writes a scenario's template as CloudFormation takes it, with the topic as the
// ServiceToken. Templates of nested stacks are files in dir.
func templateBody(t *enginetest.Template, topic, dir string) (string, error) {
	parameters, resources, outputs := map[string]any{}, map[string]any{}, map[string]any{}
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
