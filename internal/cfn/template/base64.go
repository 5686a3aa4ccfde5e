package template

import (
	"encoding/base64"
	"iter"
)

// base64Text is Fn::Base64.
type base64Text struct {
	at     *node
	source expr
}

func (c *compiler) base64(at, argument *node) expr {
	return base64Text{at, c.textual(argument, "the argument of Fn::Base64")}
}

func (b base64Text) eval(ev *evaluation) (any, error) {
	source, err := ev.text(b.source, b.at, "the argument of Fn::Base64")
	if err != nil {
		return nil, err
	}
	if err := ev.spend(2*len(source), b.at); err != nil {
		return nil, err
	}
	return base64.StdEncoding.EncodeToString([]byte(source)), nil
}

func (b base64Text) parts(map[string]bool) iter.Seq[expr] { return each(b.source) }
