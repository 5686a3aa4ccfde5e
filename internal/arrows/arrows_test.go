// Package arrows holds, as a test, which package of this project may import
// which: the arrows run one way, the packages that every function links stay
// small, and the local CloudFormation shares no code with what it judges.
package arrows

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	module = "github.com/cfnresource/sdk-go"
	root   = "../.." // the module's directory, from this one
)

// A rule says what a package may link beside the standard library and itself.
// Paths of this module are relative to it; "p/..." is p and all below it, and
// "..." alone is everything.
type rule struct {
	pkg     string
	ours    []string // packages of this module
	foreign []string // packages of other modules
	why     string
}

// core is what cfnresource is made of.
var core = []string{
	"physicalid", "lifecycle", "response",
	"internal/budget", "internal/event", "internal/gate", "internal/guard", "internal/intercept", "internal/lambdalog",
	"internal/optional", "internal/properties", "internal/token", "internal/track",
}

// rules in the order in which they are looked at: the first that fits counts.
var rules = []rule{{
	pkg:     "physicalid",
	foreign: []string{"github.com/google/uuid"},
	why:     "IDs are computed by users' tools too, which should get nothing else with them",
}, {
	pkg: "lifecycle",
	why: "it is data: the statuses and transitions that AWS documents",
}, {
	pkg: "response",
	why: "the answer is sent by every function; it needs HTTP and nothing else",
}, {
	pkg:     "cfnresource",
	ours:    core,
	foreign: []string{"github.com/google/uuid", "github.com/aws/aws-lambda-go/lambdacontext"},
	why:     "each function's cold start pays for what the core links: a client of the AWS SDK costs 3 MB and a millisecond",
}, {
	pkg:     "cfnresource/stackphase",
	ours:    slices.Concat(core, []string{"cfnresource"}),
	foreign: []string{"github.com/google/uuid", "github.com/aws/aws-lambda-go/lambdacontext", "github.com/aws/aws-sdk-go-v2/...", "github.com/aws/smithy-go/..."},
	why:     "whoever wants phases pays for CloudFormation's client, and for nothing else",
}, {
	pkg:     "cfntest",
	ours:    slices.Concat(core, []string{"cfnresource", "internal/cfn/engine"}),
	foreign: []string{"github.com/google/uuid", "github.com/aws/aws-lambda-go/lambdacontext"},
	why:     "a user's test links the engine, but no template parser, no process host and no assertion library",
}, {
	pkg: "internal/cfn/engine",
	why: "the engine is pure: resources are values, the handler is a function, time is a clock",
}, {
	pkg:     "internal/cfn/...",
	ours:    []string{"internal/cfn/..."},
	foreign: []string{"..."},
	why:     "the judge shares no code with the judged, so that one wrong field name cannot hide in both",
}}

// A goPackage is what the go command says of a package. Tests' imports are in
// none of these fields.
type goPackage struct {
	ImportPath string
	Name       string
	GoFiles    []string
	Imports    []string // its own
	Deps       []string // those of what it imports too
}

// TestArrows checks every package against its rule, and that no public package
// is without one.
func TestArrows(t *testing.T) {
	for _, p := range list(t) {
		for _, complaint := range check(p) {
			t.Error(complaint)
		}
	}
}

// check returns what is wrong with a package's imports.
func check(p goPackage) (complaints []string) {
	name, ok := strings.CutPrefix(p.ImportPath, module+"/")
	switch {
	case !ok:
		return nil // another module's, or no package at all in the root
	case strings.HasPrefix(name, "examples/"):
		return checkExample(name, p.Imports)
	}
	i := slices.IndexFunc(rules, func(r rule) bool { return matches(r.pkg, name) })
	if i < 0 {
		if p.Name == "main" || strings.HasPrefix(name, "internal/") {
			return nil // held by the rules of those that import it
		}
		return []string{name + " is public and has no rule: say in rules what it may import, and why"}
	}
	for _, dep := range p.Deps {
		ours, isOurs := strings.CutPrefix(dep, module+"/")
		switch {
		case isStandard(dep),
			isOurs && matchesAny(rules[i].ours, ours),
			!isOurs && matchesAny(rules[i].foreign, dep):
		default:
			complaints = append(complaints, name+" links "+dep+", which it may not: "+rules[i].why)
		}
	}
	return complaints
}

// checkExample holds that an example can be copied out of this repository.
func checkExample(name string, imports []string) (complaints []string) {
	project := strings.Join(strings.SplitN(name, "/", 3)[:2], "/")
	for _, dep := range imports {
		ours, isOurs := strings.CutPrefix(dep, module+"/")
		if isOurs && !strings.HasPrefix(ours, project) && (strings.Contains("/"+ours+"/", "/internal/") || strings.HasPrefix(ours, "examples/")) {
			complaints = append(complaints, name+" imports "+dep+", which a copy of it could not")
		}
	}
	return complaints
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, name) })
}

func matches(pattern, name string) bool {
	below, ok := strings.CutSuffix(pattern, "...")
	return name == strings.TrimSuffix(below, "/") || ok && strings.HasPrefix(name, below)
}

// isStandard says whether an import path is the standard library's: its first
// element has no dot.
func isStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

// TestCheck shows that the rules catch what they are there for, also where the
// packages are not written yet.
func TestCheck(t *testing.T) {
	for _, test := range []struct {
		name, pkg, dep string
		ok             bool
	}{
		{"the standard library is free", "response", "net/http", true},
		{"the standard library's own copies are too", "response", "vendor/golang.org/x/net/idna", true},
		{"physicalid may use uuid", "physicalid", "github.com/google/uuid", true},
		{"response may not", "response", "github.com/google/uuid", false},
		{"arrows run one way", "response", module + "/cfnresource", false},
		{"lifecycle is a leaf", "lifecycle", module + "/response", false},
		{"the core knows Lambda's context", "cfnresource", "github.com/aws/aws-lambda-go/lambdacontext", true},
		{"and not its runtime", "cfnresource", "github.com/aws/aws-lambda-go/lambda", false},
		{"the core links no client of AWS", "cfnresource", "github.com/aws/aws-sdk-go-v2/aws", false},
		{"who asks for phases does", "cfnresource/stackphase", "github.com/aws/aws-sdk-go-v2/service/cloudformation", true},
		{"with none of its configuration", "cfnresource/stackphase", "gopkg.in/ini.v1", false},
		{"and the core not through it", "cfnresource", module + "/cfnresource/stackphase", false},
		{"nor does the test kit", "cfntest", "github.com/aws/aws-sdk-go-v2/aws", false},
		{"test libraries stay in tests", "cfnresource", "github.com/google/go-cmp/cmp", false},
		{"the core does not know its test kit", "cfnresource", module + "/cfntest", false},
		{"the test kit has the engine", "cfntest", module + "/internal/cfn/engine", true},
		{"and not the templates", "cfntest", module + "/internal/cfn/template", false},
		{"nor an assertion library", "cfntest", "github.com/google/go-cmp/cmp", false},
		{"the judge may read YAML", "internal/cfn/template", "go.yaml.in/yaml/v4", true},
		{"the engine is pure", "internal/cfn/engine", "go.yaml.in/yaml/v4", false},
		{"the judge has its own parts", "internal/cfn/host", module + "/internal/cfn/engine", true},
		{"and none of the judged: cfnresource", "internal/cfn/host", module + "/cfnresource", false},
		{"and none of the judged: response", "internal/cfn/bucket", module + "/response", false},
		{"and none of the judged: physicalid", "internal/cfn/engine", module + "/physicalid", false},
		{"and none of the judged: lifecycle", "internal/cfn/engine", module + "/lifecycle", false},
		{"and none of the judged: properties", "internal/cfn/engine", module + "/internal/properties", false},
		{"an example uses what is public", "examples/webhook", module + "/cfnresource", true},
		{"an example has parts of its own", "examples/webhook", module + "/examples/webhook/fakeapi", true},
		{"an example can be copied", "examples/webhook", module + "/internal/properties", false},
		{"an example stands alone", "examples/webhook", module + "/examples/lookup", false},
		{"a new public package needs a rule", "surprise", "fmt", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			complaints := check(goPackage{
				ImportPath: module + "/" + test.pkg,
				Name:       path.Base(test.pkg),
				Imports:    []string{test.dep},
				Deps:       []string{test.dep},
			})
			if got := len(complaints) == 0; got != test.ok {
				t.Errorf("%s importing %s: accepted is %t, want %t %q", test.pkg, test.dep, got, test.ok, complaints)
			}
		})
	}
}

// list returns the packages of this module and of those in its subdirectories,
// as the go command sees them without tests.
func list(t *testing.T) (packages []goPackage) {
	t.Helper()
	for _, dir := range modules(t) {
		cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Name,GoFiles,Imports,Deps", "./...")
		cmd.Dir = dir
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list in %s: %v", dir, err)
		}
		for d := json.NewDecoder(strings.NewReader(string(out))); ; {
			var p goPackage
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("go list in %s: %v", dir, err)
			}
			if len(p.GoFiles) > 0 { // else it is all tests
				packages = append(packages, p)
			}
		}
	}
	if len(packages) == 0 {
		t.Fatal("go list names no packages")
	}
	return packages
}

// modules returns the directories that hold a go.mod. It looks at every
// directory of the tree, which also tells the go command, which caches the
// results of tests and cannot see what its child reads, what this test is about.
func modules(t *testing.T) (dirs []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch base := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && name != root && (strings.HasPrefix(base, ".") || base == "testdata" || base == "bench"):
			return fs.SkipDir // nobody imports a benchmark
		case base == "go.mod":
			dirs = append(dirs, filepath.Dir(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}
