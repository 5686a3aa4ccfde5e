package simulate

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// What has CloudFormation take properties for others is the kit's own: no event has it, wherever it stands among them.
func TestNoEventHasTheMark(t *testing.T) {
	for with, want := range map[string]string{
		`{"A":"1","cfntest:again":"12","z":"2"}`:              `{"A":"1","z":"2"}`,
		`{"A":"1","cfntest:again":"1"}`:                       `{"A":"1"}`,
		`{"cfntest:again":"1","z":"2"}`:                       `{"z":"2"}`,
		`{"cfntest:again":"1"}`:                               `{}`,
		`{"A":"1","z":"2"}`:                                   `{"A":"1","z":"2"}`,
		`{"A":"\"cfntest:again\":\"1\"","z":"cfntest:again"}`: `{"A":"\"cfntest:again\":\"1\"","z":"cfntest:again"}`,
	} {
		q := &engine.Request{RequestType: "Update", Properties: engine.Properties(with), OldProperties: engine.Properties(with)}
		var sent struct{ ResourceProperties, OldResourceProperties json.RawMessage }
		if err := json.Unmarshal(withoutMark(q.Event("")), &sent); err != nil {
			t.Errorf("%s: %v", with, err)
		}
		if string(sent.ResourceProperties) != want || string(sent.OldResourceProperties) != want {
			t.Errorf("%s is sent as %s, and as the old properties %s", with, sent.ResourceProperties, sent.OldResourceProperties)
		}
	}
}

// A test reads Data as it would read an answer, and may change what it gets.
func TestDataIsDecodedAsJSON(t *testing.T) {
	var attributes engine.Attributes
	const text = `{"n":1.5,"big":12345678901234567890,"list":["a",{"b":null}],"empty":[],"none":{},"yes":true}`
	if err := json.Unmarshal([]byte(text), &attributes); err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	got, _ := decoded(map[string]any(attributes)).(map[string]any)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-encoding/json +got):\n%s", diff)
	}
	got["list"].([]any)[0] = "changed"
	if attributes["list"].([]any)[0] != "a" {
		t.Error("a change of what was read has changed the stack")
	}
	if none, _ := decoded(map[string]any(nil)).(map[string]any); none != nil {
		t.Errorf("of no Data there is %v", none)
	}
}
