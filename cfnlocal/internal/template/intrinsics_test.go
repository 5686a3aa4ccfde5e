package template

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// TestIntrinsics holds each row against what its own example comes to: it compiles in one section
// at least, gives what the row says, and stands in a list or in a text only where that can be.
func TestIntrinsics(t *testing.T) {
	for name, row := range intrinsics {
		if _, ok := row.function.(elsewhere); ok {
			continue // it gives nothing here
		}
		for example := range strings.SplitSeq(row.example, " or ") {
			t.Run(example, func(t *testing.T) {
				if tag := "!" + strings.TrimPrefix(name, "Fn::"); !strings.HasPrefix(example, tag+" ") {
					t.Errorf("the example does not begin with %s", tag)
				}
				example = strings.ReplaceAll(example, "[condition", "[!Equals [a, a]")
				example = strings.ReplaceAll(example, ", condition", ", !Equals [a, a]")
				c, n := exampleIn(t, example)
				if name == "Fn::Contains" { // of one value; the others take a list of them
					c.settled.parameters["Parameter"] = "value"
				}
				e := c.expr(n)
				v, err := e.eval(&evaluation{decisions: c.settled, refs: fakeRefs{}, rules: true})
				if err != nil || len(c.Errors) > 0 {
					t.Fatal(err, c.Errors)
				}
				if is := resultOf(v); is != row.gives && is != anything && row.gives != anything {
					t.Errorf("it comes to %v, which is %d; the row says %d", v, is, row.gives)
				}
				c.listed(n, "this", "[a]")
				if refused := len(c.Errors) > 0; refused != (row.gives == aString || row.gives == aBoolean) {
					t.Errorf("refused as a list: %t", refused)
				}
				c.Errors = nil
				c.textual(n, "this")
				if refused := len(c.Errors) > 0; refused != (row.gives == aList) {
					t.Errorf("refused as a text: %t", refused)
				}
			})
		}
	}
}

// exampleIn is an example in the first section that has its function.
func exampleIn(t *testing.T, example string) (*compiler, *source.Node) {
	t.Helper()
	parsed, err := Parse("t.yaml", []byte(`
Parameters: {Parameter: {Type: CommaDelimitedList, Default: "value,other"}}
Mappings: {MapName: {TopLevelKey: {SecondLevelKey: value}}}
Conditions: {Name: !Equals [a, b], ConditionName: !Equals [a, b]}
Resources: {LogicalID: {Type: Test::Any::Queue}}
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []section{inConditions, inRules, inResources} {
		r := &source.Report{File: "t.yaml"}
		d := &decisions{
			report:     r,
			parameters: map[string]any{"Parameter": []any{"value", "other"}},
			pseudo:     testStack.pseudo(),
			conditions: map[string]bool{"Name": true},
			stack:      Stack{Exports: map[string]string{"name": "value"}},
		}
		c := &compiler{Report: r, names: parsed.names, section: s, settled: d}
		n := source.Read([]byte("Value: "+example), tags, r).Get("Value")
		if c.expr(n); len(r.Errors) == 0 {
			return c, n
		}
		if s == inResources {
			t.Fatal(r.Errors)
		}
	}
	panic("unreachable")
}

func resultOf(v any) result {
	if v == any(unknown{}) {
		return anything
	}
	if _, ok := source.Slice(v); ok {
		return aList
	}
	if _, ok := v.(bool); ok {
		return aBoolean
	}
	if _, ok := source.Text(v); ok {
		return aString
	}
	return anObject
}

// TestIntrinsicsHaveFiles: who looks for a function finds it, and nothing else, in one file.
func TestIntrinsicsHaveFiles(t *testing.T) {
	declaredIn := map[string]string{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				declaredIn[spec.Name.Name] = file
			}
			return true
		})
	}
	in := map[string]string{}
	for name, row := range intrinsics {
		of := reflect.TypeOf(row.function).Name()
		file := declaredIn[of]
		if file == "" || file == "intrinsics.go" || in[file] != "" && in[file] != of {
			t.Errorf("%s is %s in %q, beside %q: write it into a file of its own", name, of, file, in[file])
		}
		in[file] = of
	}
}

// TestIntrinsicsAreTested: a template that uses a function, and one that misuses it, are in
// testdata.
func TestIntrinsicsAreTested(t *testing.T) {
	for pattern, isMissing := range map[string]func(intrinsic) bool{
		"testdata/bad/*.txtar":  func(intrinsic) bool { return true },
		"testdata/good/*.txtar": func(row intrinsic) bool { return row.example != "" },
	} {
		var all strings.Builder
		for _, file := range archives(t, pattern) {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(body)
		}
		for name, row := range intrinsics {
			used := regexp.MustCompile(`(!|Fn::|{)` + strings.TrimPrefix(name, "Fn::") + `\b`)
			if isMissing(row) && !used.MatchString(all.String()) {
				t.Errorf("no template of %s has %s", pattern, name)
			}
		}
	}
}
