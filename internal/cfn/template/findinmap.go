package template

import (
	"github.com/cfnresource/sdk-go/internal/cfn/template/mapping"
	"github.com/cfnresource/sdk-go/internal/cfn/template/source"
)

type findInMap struct {
	at       *source.Node
	mappings mapping.Mappings
	keys     [3]expr
	fallback expr // what stands for a missing entry, or nil
}

func (findInMap) compile(c *compiler, f call) expr {
	most := 3
	if c.settled != nil {
		most = 4
	} else if f.argument.Kind == source.List && len(f.argument.Items) == 4 {
		c.Errorf(f.argument.Items[3], "a default value for Fn::FindInMap belongs to AWS::LanguageExtensions; add Transform: %s", languageExtensions)
		return invalidExpr{}
	}
	items := c.arguments(f, 3, most)
	if items == nil {
		return invalidExpr{}
	}
	find := findInMap{at: f.at, mappings: c.mappings}
	if len(items) == 4 {
		value := items[3].Get("DefaultValue")
		if value == nil || len(items[3].Fields) != 1 {
			c.Errorf(items[3], "the fourth argument of Fn::FindInMap is {DefaultValue: value}")
			return invalidExpr{}
		}
		find.fallback, items = c.expr(value), items[:3]
	}
	for i, item := range items {
		find.keys[i] = c.textual(item, "a key of Fn::FindInMap")
	}
	if find.fallback == nil {
		find.checkLiterals(c.Report, items)
	}
	return find
}

// checkLiterals looks up as far as the keys are written out.
func (f findInMap) checkLiterals(r *source.Report, items []*source.Node) {
	var keys []string
	for _, key := range f.keys {
		l, ok := key.(literal)
		if !ok {
			break
		}
		word, _ := source.Text(l.value)
		keys = append(keys, word)
	}
	if len(keys) == 0 {
		return
	}
	if missing, hint := f.mappings.Find(keys); missing >= 0 {
		r.Errorf(items[missing], "%s", hint)
	}
}

func (f findInMap) eval(ev *evaluation) (any, error) {
	keys := make([]string, len(f.keys))
	for i, e := range f.keys {
		key, err := ev.text(e, f.at, "a key of Fn::FindInMap")
		if err != nil {
			return nil, err
		}
		keys[i] = key
	}
	missing, hint := f.mappings.Find(keys)
	if missing >= 0 && f.fallback != nil {
		return f.fallback.eval(ev)
	}
	if missing >= 0 {
		if _, written := f.keys[missing].(literal); !written {
			// The key may be a parameter's value: say where it comes from, not what it is.
			return nil, ev.fail(f.at, "Fn::FindInMap finds no entry in the mapping %s for the value of key %d; add the entry, or allow only keys that are there with AllowedValues", source.Shorten(keys[0]), missing+1)
		}
		return nil, ev.fail(f.at, "%s", hint)
	}
	return ev.copy(f.mappings[keys[0]][keys[1]][keys[2]], f.at)
}

func (f findInMap) parts(map[string]bool) []expr {
	return []expr{f.keys[0], f.keys[1], f.keys[2], f.fallback}
}
