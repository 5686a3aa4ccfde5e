package main

import (
	"flag"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/examples"
)

var update = flag.Bool("update", false, "write the tables in the examples' READMEs anew")

// Each example has a description, and nothing in the written project refers to the
// example's directory or stack.
func TestExamplesBecomeProjects(t *testing.T) {
	for _, name := range examples.Names() {
		if exampleDescription(name) == "" {
			t.Errorf("the template of %s does not describe it", name)
		}
		files, err := examples.Files(name)
		if err != nil {
			t.Fatal(err)
		}
		p := &project{example: name, files: files, module: "example.com/me/mine", dir: "mine", version: "v1.2.3"}
		for _, f := range files {
			text := p.rewrite(f)
			for _, leftover := range []string{sdkModule + "/examples", "## Copy it", "stack-name " + name} {
				if strings.Contains(text, leftover) {
					t.Errorf("%s: %s of a project holds %q", name, f.Name, leftover)
				}
			}
		}
		if command := p.deployment(); !strings.HasPrefix(command, "go tool cfnlocal deploy template.yaml") || strings.ContainsAny(command, "\n\\") {
			t.Errorf("%s is deployed by %q", name, command)
		}
	}
}

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
		"C:orders", "orders\n", "example.com/$(id)",
	} {
		if checkModule(name) == nil {
			t.Errorf("%q is taken", name)
		}
	}
}

func TestTheReleaseIsRequired(t *testing.T) {
	of := func(version string, vcs bool) *debug.BuildInfo {
		info := &debug.BuildInfo{Main: debug.Module{Path: cfnlocalPackage, Version: version}}
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
	want := "module example.com/orders\n\ngo 1.26\n\nrequire (\n\tgithub.com/cfnresource/sdk-go v1.2.3\n\tgithub.com/cfnresource/sdk-go/cfnlocal v1.2.3\n\texample.com/a v1.0.0\n)\n\ntool github.com/cfnresource/sdk-go/cfnlocal\n"
	if diff := cmp.Diff(want, p.goMod("module example.com/subscription\n\ngo 1.26\n\nrequire (\n\tgithub.com/cfnresource/sdk-go v0.0.0\n\texample.com/a v1.0.0\n)\n\nreplace github.com/cfnresource/sdk-go => ../..\n")); diff != "" {
		t.Errorf("go.mod (-want +got):\n%s", diff)
	}
}

// The SDK's other modules are required in the SDK's version, or replaced by its checkout.
func TestOtherModulesOfTheSDKGoWithIt(t *testing.T) {
	const text = "module example.com/registered\n\ngo 1.26\n\nrequire (\n\tgithub.com/cfnresource/sdk-go v0.0.0\n\tgithub.com/cfnresource/sdk-go/registry v0.0.0\n)\n" +
		"\nreplace github.com/cfnresource/sdk-go => ../..\n\nreplace github.com/cfnresource/sdk-go/registry => ../../registry\n"
	for _, tc := range []struct {
		project
		version, replace string
	}{
		{project{module: "example.com/me", version: "v1.2.3"}, "v1.2.3", ""},
		{
			project{module: "example.com/me", sdk: "/src/the sdk"}, "v0.0.0",
			"\nreplace github.com/cfnresource/sdk-go => \"/src/the sdk\"\n\nreplace github.com/cfnresource/sdk-go/registry => \"/src/the sdk/registry\"\n\nreplace github.com/cfnresource/sdk-go/cfnlocal => \"/src/the sdk/cfnlocal\"\n",
		},
	} {
		want := "module example.com/me\n\ngo 1.26\n\nrequire (\n\tgithub.com/cfnresource/sdk-go " + tc.version +
			"\n\tgithub.com/cfnresource/sdk-go/cfnlocal " + tc.version + "\n\tgithub.com/cfnresource/sdk-go/registry " + tc.version + "\n)\n\ntool github.com/cfnresource/sdk-go/cfnlocal\n" + tc.replace
		if diff := cmp.Diff(want, tc.goMod(text)); diff != "" {
			t.Errorf("go.mod (-want +got):\n%s", diff)
		}
	}
}
