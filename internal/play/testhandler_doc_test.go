package play

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What go doc says of TestHandler lists the checks, with their rules. Users write the
// names into Skip and into go test -run: they stay.
func TestTheChecksAreThoseOfTheDocumentation(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../cfntest/testhandler.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var text string
	for _, d := range file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == "TestHandler" {
			text = fn.Doc.Text()
		}
	}
	_, list, _ := strings.Cut(text, "subtest:\n\n")
	list, _, _ = strings.Cut(list, "\n\n")
	var got []string
	for _, item := range strings.Split(list, "  - ")[1:] {
		got = append(got, strings.Join(strings.Fields(item), " "))
	}
	var want []string
	for _, k := range checks {
		want = append(want, k.name+": "+k.rule)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-table +documentation):\n%s", diff)
	}
}

// Each check builds on one that runs before it, and says what would happen.
func TestTheTableOfChecks(t *testing.T) {
	asked := map[string]bool{}
	for _, k := range checks {
		if k.after != "" && !asked[k.after] {
			t.Errorf("%s builds on %s, which does not run before it", k.name, k.after)
		}
		if asked[k.name] || k.rule == "" || k.harm == "" || k.verify == nil {
			t.Errorf("%s is not as it should be", k.name)
		}
		asked[k.name] = true
	}
}

func TestAContractThatSaysTooLittleIsRefused(t *testing.T) {
	empty := func(testing.TB) Service { return Service{} }
	for want, c := range map[string]Contract{
		"has no New":            {Properties: struct{}{}},
		"has no Properties":     {New: empty},
		"no check of that name": {New: empty, Properties: struct{}{}, Skip: map[string]string{"create-and-delete": "why not"}},
		"without a reason":      {New: empty, Properties: struct{}{}, Skip: map[string]string{"create-delete": ""}},
	} {
		if err := c.check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got the error %v, want %q in it", err, want)
		}
	}
	c := Contract{New: empty, Properties: struct{}{}, Skip: map[string]string{"create-delete": "there is no Delete"}}
	if err := c.check(); err != nil {
		t.Error(err)
	}
}

// Advice is about a check that exists, and each page that it names exists, with the heading.
func TestAdviceNamesItsPages(t *testing.T) {
	page := regexp.MustCompile(`docs/[a-z/_.-]+(#[a-z-]+)?`)
	heading := regexp.MustCompile(`(?m)^#+ (.*)$`)
	for check, text := range advice {
		if checkNamed(check) == nil {
			t.Errorf("there is no check %s", check)
		}
		named := page.FindAllString(text, -1)
		if len(named) == 0 {
			t.Errorf("%s: no page is named", check)
		}
		for _, link := range named {
			file, anchor, _ := strings.Cut(strings.TrimRight(link, "."), "#")
			content, err := os.ReadFile("../../" + file)
			if err != nil {
				t.Errorf("%s: %v", check, err)
			}
			there := slices.ContainsFunc(heading.FindAllStringSubmatch(string(content), -1), func(h []string) bool {
				return strings.ReplaceAll(strings.ToLower(h[1]), " ", "-") == anchor
			})
			if anchor != "" && !there {
				t.Errorf("%s: %s has no heading %s", check, file, anchor)
			}
		}
	}
}
