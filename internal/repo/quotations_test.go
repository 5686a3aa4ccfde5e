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
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

// The documents' quotations match their sources: whole files, a file from a given
// line on, and diagrams of scenarios.
func TestQuotationsAreWhatIsThere(t *testing.T) {
	sources := map[string]testrun.Source{
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
		quotations += testrun.Quoted(t, d.path, sources, *update)
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
			from := got(t, exports)
			if dir == "registry" {
				from = got(t, registryExports)
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

// registryExports imports the packages of the registry's module, and what they link.
var registryExports = sync.OnceValues(func() (types.Importer, error) {
	return importerOf(filepath.Join(root, "registry"), "-export", "-deps", "./...", "testing", "github.com/aws/aws-lambda-go/lambda")
})

// goCode matches Go, and nothing else that comments show.
var goCode = regexp.MustCompile(`\b[a-z]+\.[A-Z]\w*[(\[{]`)

// What comments show of a package's use compiles, apart from names that are the reader's.
func TestCodeInCommentsCompiles(t *testing.T) {
	from := map[string]types.Importer{"registry": got(t, registryExports), "registry/registrytest": got(t, registryExports)}
	for _, p := range loadPublic(t) {
		from[strings.TrimPrefix(p.Path(), module+"/")] = got(t, exports)
	}
	parts := 0
	for dir, importer := range from {
		for _, code := range codeBlocks(t, dir, true) {
			if strings.HasPrefix(code, "package ") || !goCode.MatchString(code) {
				continue
			}
			if parts++; checkPart(importer, code) != nil {
				t.Errorf("the documentation of %s: %v:\n%s", dir, checkPart(importer, code), code)
			}
		}
	}
	if parts == 0 {
		t.Error("no code was found: is the pattern right?")
	}
}

// checkPart type-checks declarations or statements, which need not declare all that they use.
func checkPart(from types.Importer, code string) error {
	header := "package main\n"
	for _, p := range []string{"context", "errors", "io/fs", "path/filepath", "testing", "testing/synctest", "time", "github.com/aws/aws-lambda-go/lambda",
		"github.com/aws/aws-sdk-go-v2/service/cloudformation", module + "/cfnresource", module + "/cfnresource/schema", module + "/cfnresource/selfinvoke",
		module + "/cfnresource/stackphase", module + "/cfntest", module + "/lifecycle", module + "/registry", module + "/registry/registrytest"} {
		if strings.Contains(code, path.Base(p)+".") {
			header += fmt.Sprintf("import %q\n", p)
		}
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", header+code, parser.SkipObjectResolution)
	if err != nil {
		file, err = parser.ParseFile(fset, "", header+"func _() {\n"+code+"\n}", parser.SkipObjectResolution)
	}
	if err != nil {
		return err
	}
	undeclared := regexp.MustCompile(`^undefined: \w+$`)
	config := types.Config{Importer: from, Error: func(wrong error) {
		if e, ok := errors.AsType[types.Error](wrong); ok && !e.Soft && !undeclared.MatchString(e.Msg) {
			err = errors.Join(err, e)
		}
	}}
	_, _ = config.Check("main", fset, []*ast.File{file}, nil)
	return err
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
		for _, code := range codeBlocks(t, dir, false) {
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
	all := codeBlocks(t, dir, false)
	if len(all) == 0 {
		t.Fatalf("the documentation of %s has no code", dir)
	}
	return all[0]
}

// codeBlocks returns the code in a package's documentation, or in all its comments.
func codeBlocks(t *testing.T, dir string, everywhere bool) (all []string) {
	t.Helper()
	for name, text := range code(t) {
		if path.Dir(name) != dir {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range file.Comments {
			if c != file.Doc && !everywhere {
				continue
			}
			for _, block := range new(doc.Package).Parser().Parse(c.Text()).Content {
				if code, ok := block.(*comment.Code); ok {
					all = append(all, code.Text)
				}
			}
		}
	}
	return all
}
