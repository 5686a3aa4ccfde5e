package template

import (
	"encoding/base64"

	"github.com/cfnresource/sdk-go/internal/cfn/template/source"
)

type base64Text struct {
	at     *source.Node
	source expr
}

func (base64Text) compile(c *compiler, f call) expr {
	return base64Text{f.at, c.textual(f.argument, "the argument of Fn::Base64")}
}

func (b base64Text) eval(ev *evaluation) (any, error) {
	text, err := ev.text(b.source, b.at, "the argument of Fn::Base64")
	if err != nil {
		return nil, err
	}
	if err := ev.spend(2*len(text), b.at); err != nil {
		return nil, err
	}
	return base64.StdEncoding.EncodeToString([]byte(text)), nil
}

func (b base64Text) parts(map[string]bool) []expr { return []expr{b.source} }
