package template

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// writeNode is a node as JSON, with the fields of objects in their order.
func writeNode(n *source.Node) string {
	var parts []string
	switch n.Kind {
	case source.List:
		for _, item := range n.Items {
			parts = append(parts, writeNode(item))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case source.Object:
		for _, f := range n.Fields {
			parts = append(parts, f.Name()+":"+writeNode(f.Value))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	text, err := json.Marshal(n.Value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// writtenItems is the collection as it is written.
func writtenItems(n *source.Node) (all []string) {
	for _, item := range n.Items {
		text, _ := item.Text()
		all = append(all, text)
	}
	return all
}

// Each row is the Resources section of a template, and what its loops come to.
func TestLoops(t *testing.T) {
	for name, tt := range map[string]struct{ written, want, refused string }{
		"no loop":                        {written: `{A: {Type: T}}`, want: `{A:{Type:"T"}}`},
		"an item in keys and values":     {written: `{Fn::ForEach::L: [N, [a, b], {"X${N}": {Is: "${N}!"}}]}`, want: `{Xa:{Is:"a!"},Xb:{Is:"b!"}}`},
		"Ref of the identifier":          {written: `{Fn::ForEach::L: [N, [a], {X: {Is: {Ref: N}, Other: {Ref: M}}}]}`, want: `{X:{Is:"a",Other:{Ref:"M"}}}`},
		"letters and digits":             {written: `{Fn::ForEach::L: [N, ["a.b-1"], {"X&{N}": "${N}"}]}`, want: `{Xab1:"a.b-1"}`},
		"beside what is no loop":         {written: `{A: 1, Fn::ForEach::L: [N, [b], {"${N}": 2}], C: 3}`, want: `{A:1,b:2,C:3}`},
		"a loop in a loop":               {written: `{Fn::ForEach::L: [N, [a, b], {Fn::ForEach::M: [O, [x, y], {"${N}${O}": 1}]}]}`, want: `{ax:1,ay:1,bx:1,by:1}`},
		"a collection of the outer loop": {written: `{Fn::ForEach::L: [N, [a], {Fn::ForEach::M: [O, ["${N}1"], {"${O}": 1}]}]}`, want: `{a1:1}`},
		"an empty collection":            {written: `{Fn::ForEach::L: [N, [], {X: 1}], Y: 1}`, want: `{Y:1}`},
		"another identifier stays":       {written: `{Fn::ForEach::L: [N, [a], {X: "${M} ${N}"}]}`, want: `{X:"${M} a"}`},

		"a key twice":              {written: `{Fn::ForEach::L: [N, [a, b], {X: 1}]}`, refused: "the loops make the key X twice"},
		"two of three":             {written: `{Fn::ForEach::L: [N, [a]]}`, refused: "an identifier, a collection and an object"},
		"no object":                {written: `{Fn::ForEach::L: [N, [a], X]}`, refused: "an identifier, a collection and an object"},
		"an identifier of symbols": {written: `{Fn::ForEach::L: ["N-1", [a], {X: 1}]}`, refused: "a word of letters and digits"},
		"too deep":                 {written: strings.Repeat(`{Fn::ForEach::L: [N, [a], `, 6) + "{X: 1}" + strings.Repeat("]}", 6), refused: "at most 5 loops"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &source.Report{File: "t.yaml"}
			root := source.Read([]byte("Resources: "+tt.written), nil, r)
			if err := r.Err(); err != nil {
				t.Fatal(err)
			}
			got := expandLoops(root, r, writtenItems)
			switch err := r.Err(); {
			case tt.refused != "":
				if err == nil || !strings.Contains(err.Error(), tt.refused) {
					t.Errorf("%v, want %s", err, tt.refused)
				}
			case err != nil:
				t.Error(err)
			case writeNode(got.Get("Resources")) != tt.want:
				t.Errorf("%s, want %s", writeNode(got.Get("Resources")), tt.want)
			}
		})
	}
}

// Loops stand in three sections. In others, nothing is written out.
func TestLoopsStandInThreeSections(t *testing.T) {
	const loop = `: {Fn::ForEach::L: [N, [a], {"${N}": 1}]}` + "\n"
	r := &source.Report{File: "t.yaml"}
	root := source.Read([]byte("Conditions"+loop+"Resources"+loop+"Outputs"+loop+"Metadata"+loop), nil, r)
	const want = `{Conditions:{a:1},Resources:{a:1},Outputs:{a:1},Metadata:{Fn::ForEach::L:["N",["a"],{${N}:1}]}}`
	if got := writeNode(expandLoops(root, r, writtenItems)); got != want || r.Err() != nil {
		t.Errorf("%s and %v, want %s", got, r.Err(), want)
	}
}
