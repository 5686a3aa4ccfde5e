package template

import "encoding/base64"

// base64Text is Fn::Base64.
type base64Text struct{}

func (base64Text) compile(c *compiler, f call) expr {
	source := c.textual(f.argument, "the argument of Fn::Base64")
	return applied{[]expr{source}, func(ev *evaluation) (any, error) {
		text, err := ev.text(source, f.at, "the argument of Fn::Base64")
		if err != nil {
			return nil, err
		}
		if err := ev.spend(2*len(text), f.at); err != nil {
			return nil, err
		}
		return base64.StdEncoding.EncodeToString([]byte(text)), nil
	}}
}
