package repo

import (
	"errors"
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/repo/quote"
)

// The documents' quotations match their sources: whole files, a file from a given
// line on, and diagrams of scenarios.
func TestQuotationsAreWhatIsThere(t *testing.T) {
	sources := map[string]quote.Source{
		"file": func(args []string) (string, error) {
			if len(args) != 1 {
				return "", errors.New("want one file")
			}
			return read(t, args[0]), nil
		},
		"snippet": func(args []string) (string, error) {
			if len(args) < 3 || args[1] != "from:" {
				return "", errors.New("want a file, the word from: and a line")
			}
			line := strings.Join(args[2:], " ")
			_, rest, found := strings.Cut("\n"+read(t, args[0]), "\n"+line+"\n")
			if !found {
				return "", fmt.Errorf("%s has no line %q", args[0], line)
			}
			return line + "\n" + rest, nil
		},
		"picture": func(args []string) (string, error) {
			return sequenceDiagram(t, read(t, scenarios+args[0]+".txtar")), nil
		},
	}
	quotations := 0
	for _, d := range documents(t) {
		quotations += quote.Check(t, d.path, sources, *update)
	}
	if quotations == 0 {
		t.Error("no quotations were found: is the pattern right?")
	}
}

var quotedPart = regexp.MustCompile("(?s)<!-- quoted: (\\S+) -->\n```\\w*\n(.*?)```")

// The part of a file that a document quotes is in that file, apart from indentation
// and Go comments.
func TestQuotedPartsAreThere(t *testing.T) {
	parts := 0
	for _, d := range documents(t) {
		for _, m := range quotedPart.FindAllStringSubmatch(d.text, -1) {
			if parts++; !strings.Contains(stripIndent(read(t, m[1])), stripIndent(m[2])) {
				t.Errorf("%s quotes %s, where this does not stand:\n%s", d.path, m[1], m[2])
			}
		}
	}
	if parts == 0 {
		t.Error("no quotations were found: is the pattern right?")
	}
}

var goBlock = regexp.MustCompile("(?m)(^<!-- (?:snippet|quoted|file|step|output)[^\n]*-->\n)?^```go$")

// Each block of Go code in a document names the file that it comes from, which
// compiles.
func TestCodeComesFromFiles(t *testing.T) {
	blocks := 0
	for _, d := range documents(t) {
		for _, m := range goBlock.FindAllStringSubmatchIndex(d.text, -1) {
			if blocks++; m[2] < 0 {
				t.Errorf("%s:%d: say with a comment which file the code is from", d.path, strings.Count(d.text[:m[0]], "\n")+1)
			}
		}
	}
	if blocks == 0 {
		t.Error("no code was found: is the pattern right?")
	}
}

// stripIndent returns text without indentation and Go comments.
func stripIndent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimLeft(line, " \t"); !strings.HasPrefix(line, "//") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// The documentation of each public package begins with a complete program that
// compiles, or a complete test in the case of cfntest. The packages in quotedPrograms
// are checked by the test below.
func TestPackageDocumentationBeginsWithAProgram(t *testing.T) {
	dirs := []string{"registry"}
	for _, p := range loadPublic(t) {
		dirs = append(dirs, strings.TrimPrefix(p.Path(), module+"/"))
	}
	for _, dir := range dirs {
		if _, ok := quotedPrograms[dir]; ok {
			continue
		}
		t.Run(dir, func(t *testing.T) {
			from, err := exports()
			if dir == "registry" { // a module of its own
				from, err = importerOf(filepath.Join(root, dir), "-export", "-deps", ".", "github.com/aws/aws-lambda-go/lambda")
			}
			if err != nil {
				t.Fatal(err)
			}
			fset, code := token.NewFileSet(), firstCode(t, dir)
			file, err := parser.ParseFile(fset, "main.go", code, parser.SkipObjectResolution)
			if err == nil {
				_, err = (&types.Config{Importer: from}).Check("main", fset, []*ast.File{file}, nil)
			}
			if err != nil || file.Name.Name != "main" && !strings.Contains(code, "\nfunc Test") {
				t.Errorf("%v: this is no complete program:\n%s", err, code)
			}
		})
	}
}

// quotedPrograms has the tested program that a package's documentation quotes, wholly or in part.
var quotedPrograms = map[string]string{
	"cfnresource":            "internal/repo/programs/folder/main.go",
	"cfnresource/stackphase": "internal/repo/programs/archive/main.go",
	"cfnresource/selfinvoke": "internal/repo/programs/export/main.go",
}

func TestPackageDocumentationQuotesWhatIsTested(t *testing.T) {
	for dir, program := range quotedPrograms {
		_, whole, _ := strings.Cut(read(t, program), "\npackage main\n")
		code := firstCode(t, dir)
		if rest, ok := strings.CutPrefix(code, "package main\n"); ok {
			if diff := cmp.Diff(whole, rest); diff != "" {
				t.Errorf("the documentation of %s differs from %s (-program +documentation):\n%s", dir, program, diff)
			}
			continue
		}
		for _, code := range codeBlocks(t, dir) {
			functions, ok := strings.CutPrefix(strings.TrimSpace(code), "func ")
			for part := range strings.SplitSeq(functions, "\n\nfunc ") {
				if ok && !strings.Contains(whole, "func "+part) {
					t.Errorf("the documentation of %s has what is not in %s:\nfunc %s", dir, program, part)
				}
			}
		}
	}
}

// firstCode returns the first block of code in a package's documentation.
func firstCode(t *testing.T, dir string) string {
	t.Helper()
	all := codeBlocks(t, dir)
	if len(all) == 0 {
		t.Fatalf("the documentation of %s has no code", dir)
	}
	return all[0]
}

func codeBlocks(t *testing.T, dir string) (all []string) {
	t.Helper()
	for name, text := range code(t) {
		if path.Dir(name) != dir {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if file.Doc == nil {
			continue
		}
		for _, block := range new(doc.Package).Parser().Parse(file.Doc.Text()).Content {
			if code, ok := block.(*comment.Code); ok {
				all = append(all, code.Text)
			}
		}
	}
	return all
}
