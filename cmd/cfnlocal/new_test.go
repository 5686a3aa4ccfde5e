package main

import (
	"flag"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the archives of the examples anew")

// The archives that cfnlocal new writes projects from are up to date with the
// examples.
func TestProjectsAreTheExamples(t *testing.T) {
	want := archives(t)
	if *update {
		if err := os.RemoveAll("projects"); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir("projects", 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range want {
			if err := os.WriteFile(filepath.Join("projects", name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	got := make(map[string]string)
	entries, err := os.ReadDir("projects")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join("projects", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got[e.Name()] = string(text)
	}
	names := slices.Sorted(maps.Keys(want))
	if diff := cmp.Diff(names, slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("other examples than archives: run make projects (-examples +archives):\n%s", diff)
	}
	for _, name := range names {
		if got[name] != want[name] {
			t.Errorf("projects/%s is not what the example is now: run make projects", name)
		}
	}
}

// Each example has a description and all files that a project needs. Nothing in the
// written project refers to the example's directory or stack.
func TestExamplesAreComplete(t *testing.T) {
	names := exampleNames()
	if !slices.Contains(names, "subscription") {
		t.Errorf("the examples are %v", names)
	}
	for _, name := range names {
		if exampleDescription(name) == "" {
			t.Errorf("the template of %s does not describe it", name)
		}
		files, err := exampleFiles(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"main.go", "template.yaml", "Makefile", "README.md", "go.mod", "go.sum", ".gitignore"} {
			if !slices.ContainsFunc(files, func(f file) bool { return f.name == part && f.text != "" }) {
				t.Errorf("%s has no %s", name, part)
			}
		}
		p := &project{example: name, files: files, module: "example.com/me/mine", dir: "mine", version: "v1.2.3"}
		for _, f := range files {
			text := p.rewrite(f)
			for _, leftover := range []string{sdkModule + "/examples", "## Copy it", "stack-name " + name} {
				if strings.Contains(text, leftover) {
					t.Errorf("%s: %s of a project holds %q", name, f.name, leftover)
				}
			}
		}
		if command := p.deployment(); !strings.HasPrefix(command, "go tool cfnlocal deploy template.yaml") || strings.ContainsAny(command, "\n\\") {
			t.Errorf("%s is deployed by %q", name, command)
		}
	}
}

// archives returns the expected files of the directory projects.
func archives(t *testing.T) map[string]string {
	t.Helper()
	root := os.DirFS("../..")
	want := make(map[string]string)
	_, ignored, ok := strings.Cut(read(t, root, ".gitignore"), "# what a Lambda build and cfnlocal leave behind\n")
	if !ok {
		t.Fatal(".gitignore does not say what a Lambda build and cfnlocal leave behind")
	}
	sums := lines(read(t, root, "go.sum"))
	templates, err := fs.Glob(root, "examples/*/template.yaml")
	if err != nil || len(templates) == 0 {
		t.Fatalf("examples with a template: %v, %v", templates, err)
	}
	for _, template := range templates {
		dir := path.Dir(template)
		name := path.Base(dir)
		archive := &txtar.Archive{
			Comment: []byte("The example " + name + ", for cfnlocal new. Written by: go test ./cmd/cfnlocal -run TestProjectsAreTheExamples -update\n"),
			Files:   []txtar.File{{Name: ".gitignore", Data: []byte(ignored)}, {Name: "go.mod", Data: []byte(goModOf(t, root, dir))}},
		}
		err := fs.WalkDir(root, dir, func(file string, d fs.DirEntry, err error) error {
			within := strings.TrimPrefix(file, dir+"/")
			switch {
			case err != nil:
				return err
			case strings.HasPrefix(d.Name(), ".") && d.IsDir():
				return fs.SkipDir
			case within == "go.sum":
				sums = append(sums, lines(read(t, root, file))...)
			case d.IsDir(), !isSource(within), slices.Contains(lines(ignored), d.Name()):
			default:
				archive.Files = append(archive.Files, txtar.File{Name: within, Data: []byte(read(t, root, file))})
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		formatted := txtar.Format(archive)
		if diff := cmp.Diff(archive, txtar.Parse(formatted)); diff != "" {
			t.Errorf("%s holds what an archive cannot (-example +archive):\n%s", name, diff)
		}
		want[name+".txtar"] = string(formatted)
	}
	slices.Sort(sums)
	want["go.sum"] = strings.Join(slices.Compact(sums), "\n") + "\n"
	return want
}

// isSource reports whether a file belongs in a project. Build outputs do not.
func isSource(within string) bool {
	return strings.Contains("/"+within, "/testdata/") || path.Base(within) == "Makefile" ||
		slices.Contains([]string{".go", ".yaml", ".md", ".txt", ".sql"}, path.Ext(within))
}

// sdkLines matches the lines of a go.mod that require the SDK, or replace one of its
// modules. Requirements of the SDK's other modules do not match.
var sdkLines = regexp.MustCompile(`(?m)^(\n?replace ` + regexp.QuoteMeta(sdkModule) + `(/\S+)?|\t` + regexp.QuoteMeta(sdkModule) + `)\s.*\n`)

// goModOf returns an example's go.mod without the SDK. An example without a go.mod
// gets the SDK's requirements, and go mod tidy removes those that it does not need.
func goModOf(t *testing.T, root fs.FS, dir string) string {
	t.Helper()
	file := path.Join(dir, "go.mod")
	if _, err := fs.Stat(root, file); err != nil {
		file = "go.mod"
	}
	_, rest, _ := strings.Cut(read(t, root, file), "\n")
	return "module example.com/" + path.Base(dir) + "\n" + strings.TrimRight(sdkLines.ReplaceAllString(rest, ""), "\n") + "\n"
}

func read(t *testing.T, root fs.FS, file string) string {
	t.Helper()
	text, err := fs.ReadFile(root, file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func lines(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }

func TestModulePaths(t *testing.T) {
	for name, dir := range map[string]string{
		"orders": "orders", "example.com/me/orders": "orders", "example.com/me/orders/v2": "orders", "example.com/me/v8ter": "v8ter",
		"v2": "v2", "Orders_2.x~y-z": "Orders_2.x~y-z",
	} {
		if err := checkModule(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := directory(name); got != dir {
			t.Errorf("%s is written to %s, want %s", name, got, dir)
		}
	}
	for _, name := range []string{
		"", ".", "..", "../orders", "/orders", "orders/", "a//b", "a/../b", ".git", "orders.", "-orders", "my orders", "a\\b", "ordërs",
		"C:orders", "orders\n", "example.com/$(id)", strings.Repeat("o", 201),
	} {
		if checkModule(name) == nil {
			t.Errorf("%q is taken", name)
		}
	}
}

func TestTheReleaseIsRequired(t *testing.T) {
	of := func(version string, vcs bool) *debug.BuildInfo {
		info := &debug.BuildInfo{Main: debug.Module{Path: sdkModule, Version: version}}
		if vcs {
			info.Settings = []debug.BuildSetting{{Key: "vcs", Value: "git"}}
		}
		return info
	}
	replaced := of("v0.0.0", false)
	replaced.Main.Replace = &debug.Module{Path: "/src/sdk-go"}
	foreign := of("v1.2.3", false)
	foreign.Main.Path = "example.com/other"
	for name, tc := range map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"a release":                                {of("v1.2.3", false), "v1.2.3"},
		"go run or go build in a checkout":         {of("(devel)", false), ""},
		"a checkout with its version control":      {of("v0.0.0-20260102030405-0123456789ab+dirty", true), ""},
		"a test":                                   {of("", false), ""},
		"a tool of a module that has a checkout":   {replaced, ""},
		"a program of another module that has it?": {foreign, ""},
	} {
		if got := releaseOf(tc.info); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	p := &project{module: "example.com/orders", version: "v1.2.3"}
	want := "module example.com/orders\n\ngo 1.26\n\nrequire (\n\tgithub.com/cfnresource/sdk-go v1.2.3\n\texample.com/a v1.0.0\n)\n\ntool github.com/cfnresource/sdk-go/cmd/cfnlocal\n"
	if diff := cmp.Diff(want, p.goMod("module example.com/subscription\n\ngo 1.26\n\nrequire (\n\texample.com/a v1.0.0\n)\n")); diff != "" {
		t.Errorf("go.mod (-want +got):\n%s", diff)
	}
}

// The SDK's other modules are required in the SDK's version, or replaced by its
// checkout.
func TestOtherModulesOfTheSDKGoWithIt(t *testing.T) {
	const text = "module example.com/registered\n\ngo 1.26\n\nrequire (\n\tgithub.com/cfnresource/sdk-go/registry v0.0.0\n)\n"
	for _, tc := range []struct {
		project
		version, replace string
	}{
		{project{module: "example.com/me", version: "v1.2.3"}, "v1.2.3", ""},
		{
			project{module: "example.com/me", sdk: "/src/the sdk"}, "v0.0.0",
			"\nreplace github.com/cfnresource/sdk-go => \"/src/the sdk\"\n\nreplace github.com/cfnresource/sdk-go/registry => \"/src/the sdk/registry\"\n",
		},
	} {
		want := "module example.com/me\n\ngo 1.26\n\nrequire (\n\tgithub.com/cfnresource/sdk-go " + tc.version +
			"\n\tgithub.com/cfnresource/sdk-go/registry " + tc.version + "\n)\n\ntool github.com/cfnresource/sdk-go/cmd/cfnlocal\n" + tc.replace
		if diff := cmp.Diff(want, tc.goMod(text)); diff != "" {
			t.Errorf("go.mod (-want +got):\n%s", diff)
		}
	}
}
