package cdk_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"

	"github.com/cfnresource/sdk-go/cdk"
	"github.com/cfnresource/sdk-go/cfnresource"
)

func seconds(n float64) awscdk.Duration { return awscdk.Duration_Seconds(&n) }

// mistaken is a line of a synthesis that fails.
var mistaken = regexp.MustCompile(`(?m)^\s*\[([^]]+)\] (.*)$`)

// mistakesOf are the lines by the constructs' paths.
func mistakesOf(text string) map[string][]string {
	all := map[string][]string{}
	for _, m := range mistaken.FindAllStringSubmatch(text, -1) {
		all[m[1]] = append(all[m[1]], m[2])
	}
	return all
}

// checkMistakes checks that each construct has one mistake, which names both what is wrong and what to do.
func checkMistakes(t *testing.T, text string, want map[string][2]string) {
	t.Helper()
	got := mistakesOf(text)
	for path, says := range want {
		lines := got[path]
		delete(got, path)
		if len(lines) != 1 || !strings.Contains(lines[0], says[0]) || !strings.Contains(lines[0], says[1]) {
			t.Errorf("%s has the mistakes %q, want one that says %q and %q", path, lines, says[0], says[1])
		}
		for _, line := range lines {
			t.Log(path + ": " + line)
		}
	}
	for path, lines := range got {
		t.Errorf("%s has the mistakes %q, want none", path, lines)
	}
	if len(want) > 0 && len(mistakesOf(text)) == 0 {
		t.Errorf("the synthesis says %.2000s", text)
	}
}

// Each mistake in a provider's settings is an error of the synthesis, with the provider's path.
func TestMistakesInAProvider(t *testing.T) {
	arm64, amd64, text := program(t, "arm64"), program(t, "amd64"), t.TempDir()
	if err := os.WriteFile(filepath.Join(text, "bootstrap"), []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := map[string][2]string{}
	_, mistakes := synthesise(t, func(stack awscdk.Stack) {
		later := awscdk.NewCfnParameter(stack, jsii.String("Later"), &awscdk.CfnParameterProps{Type: jsii.String("Number")})
		for i, c := range []struct {
			says  [2]string
			props cdk.ProviderProps
		}{
			{[2]string{"give Program", "or else Code"}, cdk.ProviderProps{}},
			{[2]string{"give Program", "or else Code"}, cdk.ProviderProps{Program: arm64, Code: awslambda.Code_FromAsset(arm64, nil)}},
			{[2]string{"there is no program", "GOARCH=arm64"}, cdk.ProviderProps{Program: jsii.String(t.TempDir())}},
			{[2]string{"is no program for Linux", "GOARCH=arm64"}, cdk.ProviderProps{Program: &text}},
			{[2]string{"is for X86_64", "GOARCH=arm64"}, cdk.ProviderProps{Program: amd64}},
			{[2]string{"is for AARCH64", "GOARCH=amd64"}, cdk.ProviderProps{Program: arm64, Architecture: awslambda.Architecture_X86_64()}},
			{[2]string{"Timeout is 9 s", "10 s or more"}, cdk.ProviderProps{Program: arm64, Timeout: seconds(9)}},
			{[2]string{"Timeout is 901 s", "Continues"}, cdk.ProviderProps{Program: arm64, Timeout: seconds(901)}},
			{[2]string{"Timeout is known only", "give a number"}, cdk.ProviderProps{Program: arm64, Timeout: awscdk.Duration_Seconds(later.ValueAsNumber())}},
			{[2]string{"Timeout is 10.5 s", "whole seconds"}, cdk.ProviderProps{Program: arm64, Timeout: awscdk.Duration_Millis(jsii.Number(10500))}},
			{[2]string{"MaxEventAge is 59 s", "60 s or more"}, cdk.ProviderProps{Program: arm64, MaxEventAge: seconds(59)}},
			{[2]string{"RetryAttempts is 3", "0, 1 or 2"}, cdk.ProviderProps{Program: arm64, RetryAttempts: jsii.Number(3)}},
			{[2]string{"ReservedConcurrentExecutions is 0", "2 or more"}, cdk.ProviderProps{Program: arm64, ReservedConcurrentExecutions: jsii.Number(0)}},
			{[2]string{"ReservedConcurrentExecutions is 1", "2 or more"}, cdk.ProviderProps{Program: arm64, ReservedConcurrentExecutions: jsii.Number(1)}},
			{[2]string{"ServiceTimeout is 359 s", "360 s or more"}, cdk.ProviderProps{Program: arm64, ServiceTimeout: seconds(359)}},
			{[2]string{"ServiceTimeout is 3601 s", "3600 at most"}, cdk.ProviderProps{Program: arm64, ServiceTimeout: seconds(3601)}},
			{[2]string{"are 3601 s together", "make MaxEventAge or Timeout shorter"}, cdk.ProviderProps{Program: arm64, MaxEventAge: seconds(3541)}},
			{[2]string{"chain of invocations of 239 s", "make Timeout 240 s or more"}, cdk.ProviderProps{Program: arm64, Continues: jsii.Bool(true), Timeout: seconds(239)}},
			{[2]string{"Handler: ", "has two handlers"}, cdk.ProviderProps{Program: arm64, Handler: twice()}},
		} {
			id := fmt.Sprintf("Provider%d", i)
			want["Notes/"+id] = c.says
			p := cdk.NewProvider(stack, &id, &c.props)
			p.Resource(stack, jsii.String("Note"+id), jsii.String("Custom::Note"), Props{Board: "kitchen"}) // has none of its own
		}
	})
	checkMistakes(t, mistakes, want)
}

// twice has a mistake.
func twice() *cfnresource.Dispatcher {
	d := handler()
	cfnresource.Handle(d, "Custom::Note", &Note{})
	return d
}

// The last values before a mistake are none.
func TestTheNearestSettingsAreNoMistakes(t *testing.T) {
	arm64 := program(t, "arm64")
	_, mistakes := synthesise(t, func(stack awscdk.Stack) {
		for i, props := range []cdk.ProviderProps{
			{Program: arm64},
			{Program: program(t, "amd64"), Architecture: awslambda.Architecture_X86_64()},
			{Program: arm64, Timeout: seconds(10), MaxEventAge: seconds(60), ServiceTimeout: seconds(100), RetryAttempts: jsii.Number(0)},
			{Program: arm64, Timeout: seconds(900), MaxEventAge: seconds(2670)},
			{Program: arm64, Continues: jsii.Bool(true), Timeout: seconds(240)},
			{Program: arm64, ReservedConcurrentExecutions: jsii.Number(2)},
			{Code: awslambda.Code_FromAsset(arm64, nil)},
		} {
			cdk.NewProvider(stack, jsii.String(fmt.Sprintf("Provider%d", i)), &props)
		}
	})
	if mistakes != "" {
		t.Error(mistakes)
	}
}

// Each mistake in a resource is an error of the synthesis, with the resource's path. The properties
// are checked as the handler reads them.
func TestMistakesInAResource(t *testing.T) {
	arm64 := program(t, "arm64")
	want := map[string][2]string{}
	_, mistakes := synthesise(t, func(stack awscdk.Stack) {
		known := cdk.NewProvider(stack, jsii.String("Known"), &cdk.ProviderProps{Program: arm64, Handler: handler()})
		unknown := cdk.NewProvider(stack, jsii.String("Unknown"), &cdk.ProviderProps{Program: arm64})
		phases := cdk.NewProvider(stack, jsii.String("Phases"), &cdk.ProviderProps{Program: arm64, Phases: jsii.Bool(true)})
		other := awscdk.NewStack(awscdk.App_Of(stack), jsii.String("Others"), nil)
		for i, c := range []struct {
			says       [2]string
			p          cdk.Provider
			typ        *string
			properties any
		}{
			{[2]string{"Board", "required"}, known, nil, Props{}},
			{[2]string{"Board", "required"}, known, nil, &Props{}},
			{[2]string{"Board", "required"}, known, nil, map[string]any{"Text": "Buy milk"}},
			{[2]string{"Board", "required"}, known, nil, nil},
			{[2]string{"Board", "required"}, unknown, nil, Props{}},
			{[2]string{"Txt", `did you mean "Text"`}, known, nil, map[string]any{"Board": "kitchen", "Txt": "Buy milk"}},
			{[2]string{"Days", "whole number"}, known, nil, map[string]any{"Board": "kitchen", "Days": "soon"}},
			{[2]string{"Rules[1].Port", "required"}, known, nil, Props{Board: "kitchen", Rules: []Rule{{Port: 1}, {}}}.rules(map[string]any{})},
			{[2]string{"Rules[0].Nam", `did you mean "Name"`}, known, nil, Props{}.rules(map[string]any{"Port": 1, "Nam": "a"})},
			{[2]string{"ServiceTimeout", "leave it out"}, known, nil, map[string]any{"Board": "kitchen", "ServiceTimeout": 1}},
			{[2]string{"ServiceToken", "leave it out"}, unknown, nil, map[string]any{"ServiceToken": "arn"}},
			{[2]string{"Text", "resolve"}, known, nil, Props{Board: "kitchen", Text: "{{resolve:secretsmanager:milk}}"}},
			{[2]string{"cdk_test.Rule", "cdk_test.Props"}, known, nil, Rule{Port: 1}},
			{[2]string{"string", "give a struct"}, unknown, nil, "Buy milk"},
			{[2]string{"Custom::Other", "it has Custom::Note"}, known, jsii.String("Custom::Other"), Props{Board: "kitchen"}},
			{[2]string{"no type", "write Custom::"}, unknown, jsii.String("Note"), Props{Board: "kitchen"}},
			{[2]string{"no type", "write Custom::"}, unknown, jsii.String("Custom::"), Props{Board: "kitchen"}},
			{[2]string{"no type", "write Custom::"}, unknown, jsii.String("Custom::A.B"), Props{Board: "kitchen"}},
			{[2]string{"no type", "write Custom::"}, unknown, jsii.String("Custom::" + strings.Repeat("a", 53)), Props{Board: "kitchen"}},
		} {
			id := fmt.Sprintf("Note%d", i)
			want["Notes/"+id] = c.says
			typ := c.typ
			if typ == nil {
				typ = jsii.String("Custom::Note")
			}
			c.p.Resource(stack, &id, typ, c.properties)
		}
		want["Others/Note"] = [2]string{"another stack", "a provider in each stack"}
		phases.Resource(other, jsii.String("Note"), jsii.String("Custom::Note"), Props{Board: "kitchen"})
	})
	checkMistakes(t, mistakes, want)
}

// rules are properties with rules that no struct could hold.
func (p Props) rules(last map[string]any) map[string]any {
	rules := []any{}
	for _, r := range p.Rules[:min(1, len(p.Rules))] {
		rules = append(rules, r)
	}
	return map[string]any{"Board": "kitchen", "Rules": append(rules, last)}
}
