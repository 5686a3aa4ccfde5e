package repo

import (
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A rule lists what a package may link besides the standard library and itself.
// Paths of this module are relative to it. "p/..." matches p and all packages below
// it, "..." matches everything, and "!p" excludes p from the patterns before it.
type rule struct {
	pkg       string
	module    []string // packages of this module
	external  []string // packages of other modules
	forbidden []string // packages of the standard library that it may not import directly
	why       string
}

var (
	// base are the packages that internal/rules uses.
	base = []string{"physicalid", "lifecycle", "response"}
	// coreInternals are base and the internal packages of cfnresource.
	coreInternals = slices.Concat(base, []string{"internal/...", "!internal/cfn/...", "!internal/awsenv", "!internal/capture", "!internal/simulate", "!internal/play", "!internal/redact/forms", "!internal/repo/..."})
	// functionDependencies are the packages of other modules that every function links.
	functionDependencies = []string{"github.com/google/uuid", "github.com/aws/aws-lambda-go/lambdacontext"}
)

// rules are ordered: the first rule that matches a package applies.
var rules = []rule{{
	pkg:      "physicalid",
	external: []string{"github.com/google/uuid"},
	why:      "IDs are computed by users' tools too, which should get nothing else with them",
}, {
	pkg: "lifecycle",
	why: "it is data: the statuses and transitions that AWS documents",
}, {
	pkg:    "response",
	module: []string{"internal/guard", "internal/redact"},
	why:    "the answer is sent by every function; it needs HTTP, the one backoff, and a text that a stack's events can hold",
}, {
	pkg: "examples",
	why: "it is the examples as files, for cfnlocal new",
}, {
	pkg:       "internal/rules",
	module:    base,
	external:  []string{"github.com/google/uuid"},
	forbidden: []string{"context", "net/...", "os/...", "sync/...", "time"},
	why:       "what an event leads to is decided without doing anything, so that every way through can be played",
}, {
	pkg: "internal/redact/forms",
	why: "it is the table that all go by who look for secrets or hide them, in the SDK, its test kit and cfnlocal",
}, {
	pkg:       "internal/redact",
	forbidden: []string{"net/...", "os/...", "time"},
	why:       "every text that is printed goes through it: it knows of texts, and of the context that brings their secrets",
}, {
	pkg:      "internal/awsenv",
	external: []string{"github.com/aws/aws-sdk-go-v2/...", "github.com/aws/smithy-go/..."},
	why:      "what calls AWS takes a region and credentials of the AWS SDK's types",
}, {
	pkg:      "cfnresource",
	module:   coreInternals,
	external: functionDependencies,
	why:      "each function's cold start pays for what the core links: a client of the AWS SDK costs 3 MB and a millisecond",
}, {
	pkg:      "cfnresource/schema",
	module:   slices.Concat(coreInternals, []string{"cfnresource"}),
	external: functionDependencies,
	why:      "a function that describes itself pays for its schema, and for no library of schemas",
}, {
	pkg:      "cfnresource/...",
	module:   slices.Concat(coreInternals, []string{"cfnresource", "internal/awsenv"}),
	external: slices.Concat(functionDependencies, []string{"github.com/aws/aws-sdk-go-v2/...", "github.com/aws/smithy-go/..."}),
	why:      "whoever wants phases, or chains, pays for the client of one service, and for nothing else",
}, {
	pkg:      "registry",
	module:   slices.Concat(coreInternals, []string{"cfnresource", "cfnresource/schema", "internal/awsenv"}),
	external: slices.Concat(functionDependencies, []string{"github.com/aws/aws-sdk-go-v2/...", "github.com/aws/smithy-go/..."}),
	why:      "a registered type pays for the client of CloudWatch Logs, where its users' logs are, and for nothing else",
}, {
	pkg:      "registry/registrytest",
	module:   slices.Concat(coreInternals, []string{"cfnresource", "cfnresource/schema", "internal/awsenv", "internal/capture", "registry"}),
	external: slices.Concat(functionDependencies, []string{"github.com/aws/aws-sdk-go-v2/...", "github.com/aws/smithy-go/..."}),
	why:      "the contract is tested without an assertion library",
}, {
	pkg:      "cdk",
	module:   []string{"cfnresource", "internal/properties"},
	external: []string{"github.com/aws/aws-cdk-go/awscdk/v2/...", "github.com/aws/constructs-go/constructs/v10", "github.com/aws/jsii-runtime-go"},
	why:      "a construct checks properties as the function reads them, and links nothing else that functions do not",
}, {
	pkg: "cfntest/fault",
	why: "it is names: users write them, and internal/simulate has a row for each",
}, {
	pkg:      "internal/simulate",
	module:   slices.Concat(coreInternals, []string{"cfnresource", "cfntest/fault", "internal/cfn/engine"}),
	external: functionDependencies,
	why:      "it plays functions in the engine for users' tests, which get nothing else with it, and judges none",
}, {
	pkg:      "internal/play",
	module:   slices.Concat(coreInternals, []string{"cfnresource", "cfnresource/schema", "cfntest/fault", "internal/cfn/engine", "internal/cfn/page", "internal/cfn/printable", "internal/capture", "internal/redact/forms", "internal/simulate"}),
	external: functionDependencies,
	why:      "it judges what is played, for users' tests, which get nothing else with it",
}, {
	pkg:      "cfntest",
	module:   slices.Concat(coreInternals, []string{"cfnresource", "cfnresource/schema", "cfntest/fault", "internal/cfn/engine", "internal/cfn/page", "internal/cfn/printable", "internal/capture", "internal/redact/forms", "internal/simulate", "internal/play"}),
	external: functionDependencies,
	why:      "a user's test links the engine, but no template parser, no process host and no assertion library",
}, {
	pkg: "internal/cfn/resourcetype",
	why: "it is data: the types that CloudFormation has",
}, {
	pkg: "internal/cfn/engine",
	why: "the engine is pure: resources are values, the handler is a function, time is a clock",
}, {
	pkg:    "internal/cfn/standin",
	module: []string{"internal/cfn/engine", "internal/cfn/resourcetype"},
	why:    "it has the table of AWS's types, 700 kB, which a machine is given: a handler's test has none of them",
}, {
	pkg:      "cfnlocal/internal/template/source",
	module:   []string{"internal/cfn/printable"},
	external: []string{"go.yaml.in/yaml/v4/..."},
	why:      "it knows how templates are written, and nothing of what they mean",
}, {
	pkg:      "cfnlocal/internal/template",
	module:   []string{"internal/cfn/engine", "internal/cfn/printable", "internal/cfn/resourcetype", "internal/cfn/standin", "cfnlocal/internal/template/..."},
	external: []string{"go.yaml.in/yaml/v4/..."},
	why:      "it plans what the engine plays, without processes and files",
}, {
	pkg:      "cfnlocal/internal/template/sam",
	module:   []string{"internal/cfn/printable", "cfnlocal/internal/template/source"},
	external: []string{"go.yaml.in/yaml/v4/..."},
	why:      "it rewrites nodes as nodes, and does not know what they come to",
}, {
	pkg: "internal/cfn/printable",
	why: "whatever shows text of strangers can ask it",
}, {
	pkg:    "cfnlocal/internal/mask",
	module: []string{"internal/cfn/engine", "internal/redact/forms"},
	why:    "what hides a secret knows nothing of where it came from: the forms of secrets are what common encoders write, and no field of the protocol",
}, {
	pkg:      "cfnlocal/internal/record",
	module:   []string{"internal/cfn/...", "internal/redact/forms", "cfnlocal/internal/...", "!cfnlocal/internal/host", "!cfnlocal/internal/local"},
	external: []string{"..."},
	why:      "what is kept of a stack is read without anything that starts a process",
}, {
	pkg:      "internal/cfn/engine/enginetest",
	module:   []string{"internal/cfn/engine", "internal/cfn/resourcetype", "internal/cfn/standin"},
	external: []string{"github.com/rogpeppe/go-internal/txtar", "golang.org/x/tools/txtar"},
	why:      "a scenario is a text of several files, and what reads it is in tests only",
}, {
	pkg:    "internal/cfn/...",
	module: []string{"internal/cfn/..."},
	why:    "the judge shares no code with the judged, so that one wrong field name cannot hide in both",
}, {
	pkg:      "cfnlocal/internal/...",
	module:   []string{"cfnlocal/internal/...", "internal/cfn/...", "internal/redact/forms"},
	external: []string{"..."},
	why:      "the local CloudFormation shares no code with the functions that it plays, so that one wrong field name cannot hide in both",
}, {
	pkg:      "cfnlocal",
	module:   []string{"cfnlocal/internal/...", "internal/cfn/...", "internal/redact/forms", "examples"},
	external: []string{"..."},
	why:      "so does its command, which has the examples for cfnlocal new",
}, {
	pkg:      "internal/testrun",
	external: []string{"github.com/google/go-cmp/cmp/..."},
	why:      "it is for tests, and shares no code with what they are of",
}, {
	pkg:      "internal/repo/...",
	module:   []string{"..."},
	external: []string{"..."},
	why:      "programs of documents link what they like",
}, {
	pkg:      "internal/...",
	module:   coreInternals,
	external: functionDependencies,
	why:      "a part of cfnresource knows neither the whole nor its tests",
}}

// TestImportRules checks every package against its rule, and that every public package has one.
func TestImportRules(t *testing.T) {
	for _, module := range slices.Sorted(maps.Keys(files(t, "go.mod"))) {
		var listed []goPackage
		switch dir := path.Dir(module); {
		case dir == ".":
			listed = got(t, packages)
		case dir == "bench" || strings.HasPrefix(dir, "test/"): // nobody imports them
		case strings.HasPrefix(dir, "examples/"): // what they link is theirs
			listed = packagesBelow(t, dir)
		case strings.HasPrefix(dir, "cfnlocal/test/"): // nobody imports them, either
		case dir == "cdk": // what it links is not downloaded for this
			listed = packagesBelow(t, dir)
			for i := range listed {
				listed[i].Deps = listed[i].Imports
			}
		default:
			listed = got(t, func() ([]goPackage, error) { return packagesIn(filepath.Join(root, dir)) })
		}
		for _, p := range listed {
			for _, problem := range checkImports(p) {
				t.Error(problem)
			}
		}
	}
}

// packagesBelow returns what the files below a directory import, without what that links.
func packagesBelow(t *testing.T, dir string) (packages []goPackage) {
	t.Helper()
	for name, text := range code(t) {
		if !strings.HasPrefix(name, dir+"/") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		p := goPackage{ImportPath: module + "/" + path.Dir(name), Name: file.Name.Name, GoFiles: []string{name}}
		for _, spec := range file.Imports {
			p.Imports = append(p.Imports, strings.Trim(spec.Path.Value, `"`))
		}
		packages = append(packages, p)
	}
	if len(packages) == 0 {
		t.Errorf("%s has no packages", dir)
	}
	return packages
}

// checkImports returns what is wrong with a package's imports.
func checkImports(p goPackage) (problems []string) {
	name, ok := strings.CutPrefix(p.ImportPath, module+"/")
	switch {
	case !ok || len(p.GoFiles) == 0:
		return nil // of another module, or without Go files other than tests
	case strings.HasPrefix(name, "examples/"):
		return checkExample(name, p.Imports)
	}
	i := slices.IndexFunc(rules, func(r rule) bool { return matches(r.pkg, name) })
	if i < 0 {
		if p.Name == "main" || strings.HasPrefix(name, "test/") {
			return nil // nobody imports it
		}
		return []string{name + " is public and has no rule: say in rules what it may import, and why"}
	}
	r := rules[i]
	for _, dep := range p.Deps {
		ours, isOurs := strings.CutPrefix(dep, module+"/")
		switch {
		case isStandard(dep),
			isOurs && matchesAny(r.module, ours),
			!isOurs && matchesAny(r.external, dep):
		default:
			problems = append(problems, name+" links "+dep+", which it may not: "+r.why)
		}
	}
	for _, dep := range p.Imports {
		if matchesAny(r.forbidden, dep) {
			problems = append(problems, name+" imports "+dep+", which it may not: "+r.why)
		}
	}
	return problems
}

// checkExample checks that an example can be copied out of this repository.
func checkExample(name string, imports []string) (problems []string) {
	project := strings.Join(strings.SplitN(name, "/", 3)[:2], "/")
	for _, dep := range imports {
		ours, isOurs := strings.CutPrefix(dep, module+"/")
		if isOurs && !strings.HasPrefix(ours, project) && (strings.Contains("/"+ours+"/", "/internal/") || strings.HasPrefix(ours, "examples/")) {
			problems = append(problems, name+" imports "+dep+", which a copy of it could not")
		}
	}
	return problems
}

// matchesAny reports whether the last pattern that matches a name allows it.
func matchesAny(patterns []string, name string) (allowed bool) {
	for _, pattern := range patterns {
		if exception, ok := strings.CutPrefix(pattern, "!"); matches(exception, name) {
			allowed = !ok
		}
	}
	return allowed
}

func matches(pattern, name string) bool {
	below, ok := strings.CutSuffix(pattern, "...")
	return name == strings.TrimSuffix(below, "/") || ok && strings.HasPrefix(name, below)
}

// isStandard reports whether an import path is in the standard library, that is,
// whether its first element has no dot.
func isStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

// TestCheck checks the rules on single imports, also of packages that do not exist.
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
		{"a construct reads properties as the function does", "cdk", module + "/internal/properties", true},
		{"and tests nothing", "cdk", module + "/cfntest", false},
		{"no function links the CDK", "cfnresource", module + "/cdk", false},
		{"nor does the command", "cfnlocal", module + "/cdk", false},
		{"the core knows Lambda's context", "cfnresource", "github.com/aws/aws-lambda-go/lambdacontext", true},
		{"and not its runtime", "cfnresource", "github.com/aws/aws-lambda-go/lambda", false},
		{"the core links no client of AWS", "cfnresource", "github.com/aws/aws-sdk-go-v2/aws", false},
		{"who asks for phases does", "cfnresource/stackphase", "github.com/aws/aws-sdk-go-v2/service/cloudformation", true},
		{"who continues does", "cfnresource/selfinvoke", "github.com/aws/aws-sdk-go-v2/service/lambda", true},
		{"the core reads nothing of their environment", "cfnresource", module + "/internal/awsenv", false},
		{"with none of its configuration", "cfnresource/stackphase", "gopkg.in/ini.v1", false},
		{"and the core not through it", "cfnresource", module + "/cfnresource/stackphase", false},
		{"nor does the test kit", "cfntest", "github.com/aws/aws-sdk-go-v2/aws", false},
		{"which has no table of AWS's types", "cfntest", module + "/internal/cfn/resourcetype", false},
		{"a registered type has a client for its logs", "registry", "github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs", true},
		{"and the rules, through the core", "registry", module + "/cfnresource", true},
		{"and no test kit", "registry", module + "/cfntest", false},
		{"the core does not know who registers it", "cfnresource", module + "/registry", false},
		{"the rules are said with IDs", "internal/rules", module + "/physicalid", true},
		{"the rules have no clock", "internal/rules", "time", false},
		{"the rules have no network", "internal/rules", "net/http", false},
		{"the rules do nothing", "internal/rules", "os", false},
		{"the rules do not know who executes them", "internal/rules", module + "/cfnresource", false},
		{"nor its parts", "internal/rules", module + "/internal/guard", false},
		{"what executes the rules has a clock", "cfnresource", "time", true},
		{"and knows them", "cfnresource", module + "/internal/rules", true},
		{"properties make texts fit to be printed", "internal/properties", module + "/internal/redact", true},
		{"cfnlocal goes by the SDK's table of forms", "cfnlocal/internal/mask", module + "/internal/redact/forms", true},
		{"and hides by itself", "cfnlocal/internal/mask", module + "/internal/redact", false},
		{"the SDK undoes forms, and writes none", "internal/redact", module + "/internal/redact/forms", false},
		{"which knows nothing of properties", "internal/redact", module + "/internal/properties", false},
		{"and has no network", "internal/redact", "net/url", false},
		{"the core has a hook for test kits", "cfnresource", module + "/internal/hook", true},
		{"and does not know what they hang on it", "cfnresource", module + "/internal/simulate", false},
		{"a part does not know the whole", "internal/event", module + "/cfnresource", false},
		{"nor what plays it", "internal/hook", module + "/internal/simulate", false},
		{"nor what judges it", "internal/hook", module + "/internal/play", false},
		{"the player has the engine", "internal/simulate", module + "/internal/cfn/engine", true},
		{"and the functions that it plays", "internal/simulate", module + "/cfnresource", true},
		{"and judges none", "internal/simulate", module + "/internal/play", false},
		{"nor has it HTML", "internal/simulate", module + "/internal/cfn/page", false},
		{"nor has it processes", "internal/simulate", module + "/cfnlocal/internal/host", false},
		{"who judges has it played", "internal/play", module + "/internal/simulate", true},
		{"and not the user's side", "internal/play", module + "/cfntest", false},
		{"the test kit has the player", "cfntest", module + "/internal/simulate", true},
		{"and the judge", "cfntest", module + "/internal/play", true},
		{"the test kit reads no YAML", "cfntest", "go.yaml.in/yaml/v4", false},
		{"and starts no processes", "cfntest", module + "/cfnlocal/internal/host", false},
		{"a client is linked by who asks for it", "cfnresource/stackphase", "github.com/aws/aws-sdk-go-v2/service/cloudformation", true},
		{"and by nobody else: cfnresource", "cfnresource", "github.com/aws/aws-sdk-go-v2/service/cloudformation", false},
		{"and by nobody else: response", "response", "github.com/aws/aws-sdk-go-v2/service/cloudformation", false},
		{"and by nobody else: physicalid", "physicalid", "github.com/aws/aws-sdk-go-v2/service/cloudformation", false},
		{"test libraries stay in tests", "cfnresource", "github.com/google/go-cmp/cmp", false},
		{"the core does not know its test kit", "cfnresource", module + "/cfntest", false},
		{"the test kit has the engine", "cfntest", module + "/internal/cfn/engine", true},
		{"and not the templates", "cfntest", module + "/cfnlocal/internal/template", false},
		{"nor an assertion library", "cfntest", "github.com/google/go-cmp/cmp", false},
		{"the judge may read YAML", "cfnlocal/internal/template", "go.yaml.in/yaml/v4", true},
		{"a template's parts read its nodes", "cfnlocal/internal/template/sam", module + "/cfnlocal/internal/template/source", true},
		{"and not the whole", "cfnlocal/internal/template/sam", module + "/cfnlocal/internal/template", false},
		{"nodes do not know who rewrites them", "cfnlocal/internal/template/source", module + "/cfnlocal/internal/template/sam", false},
		{"the planner starts no processes", "cfnlocal/internal/template", module + "/cfnlocal/internal/host", false},
		{"the engine is pure", "internal/cfn/engine", "go.yaml.in/yaml/v4", false},
		{"the judge has its own parts", "cfnlocal/internal/host", module + "/internal/cfn/engine", true},
		{"what is kept starts no process", "cfnlocal/internal/record", module + "/cfnlocal/internal/host", false},
		{"and knows not who carries it out", "cfnlocal/internal/record", module + "/cfnlocal/internal/local", false},
		{"masking knows the engine's rows", "cfnlocal/internal/mask", module + "/internal/cfn/engine", true},
		{"and no templates", "cfnlocal/internal/mask", module + "/cfnlocal/internal/template", false},
		{"and none of the judged: cfnresource", "cfnlocal/internal/host", module + "/cfnresource", false},
		{"and none of the judged: response", "cfnlocal/internal/bucket", module + "/response", false},
		{"and none of the judged: physicalid", "internal/cfn/engine", module + "/physicalid", false},
		{"and none of the judged: lifecycle", "internal/cfn/engine", module + "/lifecycle", false},
		{"and none of the judged: rules", "internal/cfn/engine", module + "/internal/rules", false},
		{"and none of the judged: properties", "internal/cfn/engine", module + "/internal/properties", false},
		{"and none of the judged: redact", "internal/cfn/page", module + "/internal/redact", false},
		{"the root module does not know cfnlocal", "cfntest", module + "/cfnlocal/internal/template", false},
		{"nor do the parts that both share", "internal/cfn/engine", module + "/cfnlocal/internal/record", false},
		{"cfnlocal plays in the engine", "cfnlocal", module + "/internal/cfn/engine", true},
		{"and links nothing of what it plays", "cfnlocal", module + "/cfnresource", false},
		{"an example uses what is public", "examples/webhook", module + "/cfnresource", true},
		{"an example has parts of its own", "examples/webhook", module + "/examples/webhook/fakeapi", true},
		{"an example can be copied", "examples/webhook", module + "/internal/properties", false},
		{"an example stands alone", "examples/webhook", module + "/examples/lookup", false},
		{"a new public package needs a rule", "surprise", "fmt", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			problems := checkImports(goPackage{
				ImportPath: module + "/" + test.pkg,
				Name:       path.Base(test.pkg),
				GoFiles:    []string{"p.go"},
				Imports:    []string{test.dep},
				Deps:       []string{test.dep},
			})
			if got := len(problems) == 0; got != test.ok {
				t.Errorf("%s importing %s: accepted is %t, want %t %q", test.pkg, test.dep, got, test.ok, problems)
			}
		})
	}
}

// TestWithoutTheOptionNoClientIsLinked: a function without stackphase and selfinvoke links nothing
// of the AWS SDK. A function with one of them links it, which shows that the test detects it.
func TestWithoutTheOptionNoClientIsLinked(t *testing.T) {
	packages := got(t, packages)
	for program, want := range map[string]bool{"folder": false, "archive": true, "export": true} {
		i := slices.IndexFunc(packages, func(p goPackage) bool { return p.ImportPath == module+"/internal/repo/programs/"+program })
		if i < 0 {
			t.Fatalf("there is no program %s", program)
		}
		deps := packages[i].Deps
		linked := slices.ContainsFunc(deps, func(dep string) bool {
			return strings.HasPrefix(dep, "github.com/aws/aws-sdk-go-v2/") || strings.HasPrefix(dep, "github.com/aws/smithy-go")
		})
		if linked != want || !slices.Contains(deps, "github.com/aws/aws-lambda-go/lambda") {
			t.Errorf("%s links the AWS SDK: %t, want %t", program, linked, want)
		}
		if slices.Contains(deps, "github.com/aws/aws-sdk-go-v2/config") {
			t.Errorf("%s links the AWS SDK's configuration", program)
		}
	}
}
