package template

import "github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"

// findInMap is Fn::FindInMap: a value of a mapping.
type findInMap struct{}

func (findInMap) compile(c *compiler, f call) expr {
	items := c.arguments(f, 3, 4)
	if items == nil {
		return invalidExpr{}
	}
	var fallback expr // what stands for a missing entry, or nil
	if len(items) == 4 {
		value := items[3].Get("DefaultValue")
		if value == nil || len(items[3].Fields) != 1 {
			c.Errorf(items[3], "the fourth argument of Fn::FindInMap is {DefaultValue: value}")
			return invalidExpr{}
		}
		fallback, items = c.expr(value), items[:3]
	}
	var keys []expr
	for _, item := range items {
		if name, _, isCall := c.function(item); isCall && c.settled == nil && name != "Ref" && name != "Fn::FindInMap" {
			c.Checkf(item, "a key of Fn::FindInMap is made with Ref or Fn::FindInMap, and here is %s; add Transform: %s", source.Shorten(name), languageExtensions)
		}
		keys = append(keys, c.textual(item, "a key of Fn::FindInMap"))
	}
	if fallback == nil {
		c.findWritten(keys, items)
	}
	// What the keys lead to, once they are known.
	mappings := c.mappings
	return applied{append(keys, fallback), func(ev *evaluation) (any, error) {
		var words [3]string
		for i, key := range keys {
			word, err := ev.text(key, f.at, "a key of Fn::FindInMap")
			if err != nil {
				return nil, err
			}
			words[i] = word
		}
		missing, hint := mappings.find(words[:])
		if missing >= 0 && fallback != nil {
			return fallback.eval(ev)
		}
		if missing >= 0 {
			if _, written := keys[missing].(literal); !written {
				// The key may be a parameter's value: say where it comes from, not what it is.
				return nil, ev.fail(f.at, "Fn::FindInMap finds no entry in the mapping %s for the value of key %d; add the entry, or allow only keys that are there with AllowedValues", source.Shorten(words[0]), missing+1)
			}
			return nil, ev.fail(f.at, "%s", hint)
		}
		return ev.copy(mappings[words[0]][words[1]][words[2]], f.at)
	}}
}

// findWritten looks up as far as the keys are written out.
func (c *compiler) findWritten(keys []expr, items []*source.Node) {
	var words []string
	for _, key := range keys {
		l, ok := key.(literal)
		if !ok {
			break
		}
		word, _ := source.Text(l.value)
		words = append(words, word)
	}
	if len(words) == 0 {
		return
	}
	if missing, hint := c.mappings.find(words); missing >= 0 {
		c.Errorf(items[missing], "%s", hint)
	}
}
