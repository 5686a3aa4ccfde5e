package local

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/cfnresource/sdk-go/internal/cfn/describe"
	"github.com/cfnresource/sdk-go/internal/cfn/host"
	"github.com/cfnresource/sdk-go/internal/cfn/mask"
	"github.com/cfnresource/sdk-go/internal/cfn/provider"
	"github.com/cfnresource/sdk-go/internal/cfn/record"
)

// readTypes reads the schemas of a deployment's types from their files, or else
// asks their functions.
func readTypes(ctx context.Context, d *record.Deployment, programs map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(d.Types)) {
		t := d.Types[name]
		var err error
		if t.File != "" {
			t.Schema, err = record.ReadFile(t.File)
		} else {
			t.Schema, err = describe.Schema(ctx, provider.TypeFunction(d, name, programs))
		}
		if err == nil {
			_, _, err = t.Read(name)
		}
		if err != nil {
			return &record.TypeError{Type: name, Err: err}
		}
		d.Types[name] = t
	}
	return nil
}

// call calls the handler of a registered type, and passes its answer on.
func (d *delivery) call(ctx context.Context) error {
	o, q := d.operation, &d.request
	result, err := o.host.Call(ctx, d.provider.ARN, q.Event(""))
	if err != nil {
		return err
	}
	waitedFor, err := o.live.Answer(q.RequestID, answerOf(result))
	if err == nil && !waitedFor {
		o.watcher.Note(unwaitedFor(d.name))
	}
	return err
}

// answerOf returns the answer that a call came to: a call without one failed [I].
func answerOf(result host.Result) []byte {
	if result.Kind == host.Succeeded {
		return result.Payload
	}
	var said struct{ ErrorMessage string }
	_ = json.Unmarshal(result.Payload, &said) // then it says nothing
	body, _ := json.Marshal(map[string]string{"status": "FAILED", "errorCode": "HandlerInternalFailure",
		"message": mask.Signatures(cmp.Or(said.ErrorMessage, string(result.Kind)))}) // strings always can be
	return body
}
