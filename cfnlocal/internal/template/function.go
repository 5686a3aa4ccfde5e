package template

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/sam"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// runtimesDate is when runtimes was written.
const runtimesDate = "2026-11-28"

// runtimes are Lambda's, with the day since which no new function can have one that is deprecated, and what to write in
// its place. The names are those of the API's model, and the days those of "Lambda runtimes" in the developer guide, as
// cfn-lint keeps them. AWS has since put off the blocks of the runtimes that are deprecated here without a day.
var runtimes = map[string]struct{ blocked, instead string }{
	"dotnet10": {}, "dotnet8": {}, "dotnet6": {}, "java25": {}, "java21": {}, "java17": {}, "java11": {}, "java8.al2": {},
	"java17.al2023": {}, "java11.al2023": {}, "java8.al2023": {}, "provided.al2023": {}, "provided.al2": {},
	"nodejs26.x": {}, "nodejs24.x": {}, "nodejs22.x": {}, "nodejs20.x": {}, "nodejs18.x": {}, "nodejs16.x": {},
	"python3.15": {}, "python3.14": {}, "python3.13": {}, "python3.12": {}, "python3.11": {}, "python3.10": {}, "python3.9": {},
	"python3.8": {}, "ruby4.0": {}, "ruby3.4": {}, "ruby3.3": {}, "ruby3.2": {},

	"dotnetcore1.0":  {"2019-07-30", "dotnet8"},
	"dotnetcore2.0":  {"2019-05-30", "dotnet8"},
	"dotnetcore2.1":  {"2022-01-05", "dotnet8"},
	"dotnetcore3.1":  {"2023-04-03", "dotnet8"},
	"go1.x":          {"2024-02-08", "provided.al2023"},
	"java8":          {"2024-02-08", "java21"},
	"nodejs":         {"2016-10-31", "nodejs24.x"},
	"nodejs4.3":      {"2020-03-05", "nodejs24.x"},
	"nodejs4.3-edge": {"2019-04-30", "nodejs24.x"},
	"nodejs6.10":     {"2019-08-12", "nodejs24.x"},
	"nodejs8.10":     {"2020-03-06", "nodejs24.x"},
	"nodejs10.x":     {"2021-07-30", "nodejs24.x"},
	"nodejs12.x":     {"2023-03-31", "nodejs24.x"},
	"nodejs14.x":     {"2024-07-09", "nodejs24.x"},
	"provided":       {"2024-02-08", "provided.al2023"},
	"python2.7":      {"2021-07-15", "python3.14"},
	"python3.6":      {"2022-07-18", "python3.14"},
	"python3.7":      {"2024-01-09", "python3.14"},
	"ruby2.5":        {"2021-07-30", "ruby3.4"},
	"ruby2.7":        {"2024-01-09", "ruby3.4"},
}

// checkRuntime reports a runtime that Lambda does not have, or no longer gives to new functions. A runtime of an
// account's own is an ARN.
func (p *planner) checkRuntime(res *resource, name string) {
	if name == "" || strings.HasPrefix(name, "arn:") || sam.IsNewer(res.at) {
		return
	}
	const otherwise = " (as of " + runtimesDate + "; if AWS has changed: Metadata: {cfnlocal: {newer: true}})"
	switch found, known := runtimes[name]; {
	case !known:
		p.report.Checkf(res.place("Runtime"), "Value %s at 'runtime' failed to satisfy constraint: Lambda has no such runtime%s%s", source.Shorten(name), source.DidYouMean(name, maps.Keys(runtimes)), otherwise)
	case found.blocked != "":
		p.report.Checkf(res.place("Runtime"), "The runtime parameter of %s is no longer supported for creating or updating AWS Lambda functions, since %s; write %s%s", name, found.blocked, found.instead, otherwise)
	}
}

// checkArchive reports what a function of a .zip archive lacks ("CreateFunction" in the API Reference).
func (p *planner) checkArchive(res *resource) {
	code, _ := p.pick(res.properties.get("Code")).(objectExpr)
	if p.pick(res.properties.get("PackageType")) != nil || p.pick(code.get("ImageUri")) != nil {
		return // or perhaps of an image
	}
	missing := slices.DeleteFunc([]string{"Runtime", "Handler"}, func(name string) bool { return p.pick(res.properties.get(name)) != nil })
	if len(missing) > 0 {
		p.report.Checkf(res.key, "Runtime and Handler are mandatory parameters for functions created with deployment packages; write %s", strings.Join(missing, " and "))
	}
}

// inlineRuntime matches the runtimes for which code can stand in the template [D].
var inlineRuntime = regexp.MustCompile(`^(nodejs|python)`)

// checkInline reports code in the template that Lambda does not take (observed of Java:
// aws-cloudformation/cloudformation-coverage-roadmap#495; without a runtime: aws-cloudformation/cfn-lint#2683).
func (p *planner) checkInline(res *resource, runtime string) {
	code, is := p.pick(res.properties.get("Code")).(objectExpr)
	switch {
	case !is, p.pick(code.get("ZipFile")) == nil, inlineRuntime.MatchString(runtime), strings.HasPrefix(runtime, "arn:"):
		return
	}
	if p.pick(res.properties.get("Runtime")) == nil {
		p.report.Checkf(res.place("Code"), "Using the ZipFile attribute requires a runtime to be specified")
	} else if runtime != "" { // else it is not known yet
		p.report.Checkf(res.place("Code"), "The ZipFile attribute is not supported for the runtime '%s': only Node.js and Python have code in the template; write a path, or S3Bucket and S3Key", source.Shorten(runtime))
	}
}

// The environment of a function: what its variables may be called, the names that are Lambda's own, and the most bytes
// that they may have together ("Defined runtime environment variables", "Lambda quotas" in the developer guide). What is
// measured is their JSON (observed: github-aws-runners/terraform-aws-github-runner#3594).
var (
	variableName  = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_]+$`)
	reservedNames = []string{
		"_HANDLER", "_X_AMZN_TRACE_ID", "AWS_DEFAULT_REGION", "AWS_REGION", "AWS_EXECUTION_ENV", "AWS_LAMBDA_FUNCTION_NAME",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "AWS_LAMBDA_FUNCTION_VERSION", "AWS_LAMBDA_INITIALIZATION_TYPE", "AWS_LAMBDA_LOG_GROUP_NAME",
		"AWS_LAMBDA_LOG_STREAM_NAME", "AWS_ACCESS_KEY", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
		"AWS_LAMBDA_RUNTIME_API", "LAMBDA_TASK_ROOT", "LAMBDA_RUNTIME_DIR",
	}
)

const maxEnvironment = 4096

// checkEnvironment reports variables that Lambda refuses. known are the values that depend on no resource.
func (p *planner) checkEnvironment(res *resource, known map[string]string) {
	environment, at := p.chosen(res.properties.get("Environment"), res.place("Environment"))
	object, _ := environment.(objectExpr)
	variables, at := p.chosen(object.get("Variables"), cmp.Or(at.Get("Variables"), at))
	written, is := variables.(objectExpr)
	if !is || len(at.Fields) != len(written.names) {
		return
	}
	measured := map[string]string{}
	for i, name := range written.names {
		value, place := p.chosen(written.values[i], at.Fields[i].Value)
		if p.pick(value) == nil {
			continue
		}
		measured[name] = known[name]
		kind, certain := p.kindOf(value, place)
		switch {
		case slices.Contains(reservedNames, name):
			p.report.Checkf(at.Fields[i].Key, "Lambda was unable to configure your environment variables because the environment variables you have provided contains reserved keys that are currently not supported for modification. Reserved keys used in this request: %s", name)
		case !variableName.MatchString(name):
			p.report.Checkf(at.Fields[i].Key, "the variable %s has a name that Lambda refuses: names have two characters or more, letters, digits and _, and begin with a letter", source.Shorten(name))
		case certain && (kind == aList || kind == anObject):
			p.report.Checkf(place, "the variable %s must be text, not %s; write !Join or !ToJsonString", name, kindNames[kind])
		}
	}
	if text, _ := json.Marshal(measured); len(text) > maxEnvironment { // strings always can be
		p.report.Checkf(at, "Lambda was unable to configure your environment variables because the environment variables you have provided exceeded the 4KB limit: as JSON they have %d bytes; put long values into Parameter Store or S3", len(text))
	}
}

// kindNames are the words for what is no text.
var kindNames = map[result]string{aList: "a list", anObject: "an object"}

// functionWords are properties of a function that take one of a few words.
var functionWords = []struct {
	name    string
	allowed []string
}{
	{"PackageType", []string{"Zip", "Image"}},
	{"RecursiveLoop", []string{"Allow", "Terminate"}},
}
