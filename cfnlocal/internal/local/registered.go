package local

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
)

// call calls the handler of a registered type, and passes its answer on.
func (d *delivery) call(ctx context.Context) error {
	o, q := d.operation, &d.request
	result, err := o.host.Call(ctx, d.provider.arn, q.Event(""))
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
