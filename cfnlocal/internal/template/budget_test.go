package template

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

// nested puts a body into itself: in each turn %s is what came out of the one before.
func nested(times int, innermost, body string) string {
	for range times {
		innermost = strings.ReplaceAll(body, "%s", innermost)
	}
	return innermost
}

// inProperty is a template with an expression in a property of a custom resource.
func inProperty(sections, expression string) string {
	return sections + "Resources:\n  Hook: {Type: 'Custom::Hook', Properties: {ServiceToken: 'arn:aws:lambda:eu-west-1:123456789012:function:f', A: " + expression + "}}\n"
}

const (
	extensions = "Transform: AWS::LanguageExtensions\n"
	longParam  = "Parameters: {P: {Type: String, Default: '" // and 4000 characters
)

// TestBombs: templates that would cost far more than they are long. Each ends with a value or an
// error, and within the budget; whoever runs a test sees a hang by its context.
func TestBombs(t *testing.T) {
	if testrun.Race {
		t.Skip("the race detector's own memory would be counted")
	}
	x4000 := strings.Repeat("x", 4000)
	long := longParam + x4000 + "'}}\n"
	// A text that is built long, of which nothing is left.
	costly := func(times int) string { return "!Select [1, [!Sub '" + strings.Repeat("${P}", times) + "', a]]" }
	for _, tc := range []struct {
		name, body string
		want       string // a piece of the error; "" for a value
	}{
		// Values that are named many times, and name others as often.
		{"Sub in a map of Sub", inProperty("", nested(12, "a", `{"Fn::Sub": ["`+strings.Repeat("${v}", 16)+`", {v: %s}]}`)), "build more than"},
		{"Sub in a map of Sub, with short texts", inProperty("", nested(16, "''", `{"Fn::Sub": ["`+strings.Repeat("${v}", 64)+`", {v: %s}]}`)), ""},
		{"Sub that does not name its map", inProperty("", nested(16, "a", `{"Fn::Sub": ["b", {v: %s}]}`)), ""},
		{"Sub with two names for one value", inProperty("", nested(16, "''", `{"Fn::Sub": ["`+strings.Repeat("${v}${ v }", 16)+`", {v: %s}]}`)), ""},
		{"Join of Joins", inProperty("", nested(13, "a", `{"Fn::Join": ["", [%s, %s]]}`)), ""},
		{"Join of what Split cuts", inProperty(long, nested(20, "!Ref P", `{"Fn::Join": ["xx", {"Fn::Split": ["x", %s]}]}`)), "build more than"},
		{"Select of Splits", inProperty(long, "["+strings.Repeat("!Select [0, !Split [x, !Ref P]], ", 2000)+"]"), "build more than"},
		{"FindInMap with FindInMap for a default", inProperty(extensions+"Mappings: {M: {a: {b: c}}}\n", nested(30, "d", `{"Fn::FindInMap": [M, x, y, {DefaultValue: %s}]}`)), ""},
		{"FindInMap that finds nothing, often", inProperty(extensions+"Parameters: {K: {Type: String, Default: ke}}\nMappings: {M: {"+manyKeys(200)+"}}\n", "["+strings.Repeat("!FindInMap [M, !Ref K, y, {DefaultValue: d}], ", 10_000)+"]"), ""},
		{"If in If", inProperty("Conditions: {C: !Equals [a, a]}\n", nested(14, "a", `{"Fn::If": [C, %s, %s]}`)), ""},
		{"conditions that refer to each other", "Conditions:\n" + ladder(2000) + oneTopic, ""},
		{"conditions in a circle", "Conditions:\n" + chain(10_000) + oneTopic, "circular dependency"},
		{"conditions that all refer to the first", "Conditions:\n" + toFirst(10_000) + oneTopic, "circular dependency"},
		{"If over many properties", "Conditions: {C: !Equals [a, a]}\nResources: {T: {Type: Test::Any::Thing, Properties: {Fn::If: [C, {" + manyKeys(40_000) + "}, !Ref AWS::NoValue]}}}\n", ""},
		{"If in If over many properties", "Conditions: {C: !Equals [a, a]}\nResources: {T: {Type: Test::Any::Thing, Properties: " + nested(80, "{"+manyKeys(40_000)+"}", "{Fn::If: [C, %s, !Ref AWS::NoValue]}") + "}}\n", "Properties"},
		{"many properties of a custom resource", inProperty("", "a, "+manyKeys(40_000)), ""},
		{"nested lists", inProperty("", nested(40, "a", "[%s]")), ""},
		{"ToJsonString in ToJsonString", inProperty(extensions, nested(30, `'"'`, `{"Fn::ToJsonString": [%s]}`)), "build more than"},
		{"Base64 in Base64", inProperty(long, nested(40, "!Ref P", `{"Fn::Base64": %s}`)), "build more than"},
		{"ImportValue in ImportValue", inProperty("", nested(20, "'"+x4000+"'", `{"Fn::ImportValue": {"Fn::Sub": ["${v}", {v: %s}]}}`)), "imported value"},
		{"loops in loops", extensions + "Parameters: {P: {Type: CommaDelimitedList, Default: '" + strings.Repeat("a,", 2000) + "'}}\nResources: {T: {Type: Test::Any::Thing, Properties: {" + nested(5, "", "Fn::ForEach::A: [A, !Ref P, {%s}]") + "}}}\n", "for a transformed template"},
		{"a loop over a long text", extensions + "Parameters: {P: {Type: CommaDelimitedList, Default: '" + strings.ReplaceAll(numbers(900), " ", "") + "'}}\nResources: {T: {Type: Test::Any::Thing, Properties: {Fn::ForEach::A: [A, !Ref P, {'${A}': '" + strings.Repeat("x", 400_000) + "'}]}}}\n", "for a transformed template"},
		{"a loop over a long item", extensions + long + "Resources: {T: {Type: Test::Any::Thing, Properties: {Fn::ForEach::A: [A, [!Ref P], {" + manyKeys(3000) + "}]}}}\n", ""},
		{"loops over what is costly", extensions + long + "Resources: {T: {Type: Test::Any::Thing, Properties: {Fn::ForEach::A: [A, [" + numbers(200) + "], {Fn::ForEach::B: [B, ['${A}', " + costly(900) + "], {'${A}${B}': c}]}]}}}\n", "build more than"},
		{"aliases", "A: &a [x, x]\nB: &b [*a, *a]\nC: &c [*b, *b]\nD: &d [*c, *c]\n" + oneTopic, "does not allow YAML aliases"},

		{"merge keys", "A: &a {x: y}\nB: &b {<<: [*a, *a]}\nC: &c {<<: [*b, *b]}\n" + oneTopic, "does not support YAML's merge key"},
		{"an anchor within itself", "A: &a [*a, *a]\n" + oneTopic, "does not allow YAML aliases"},
		{"deep YAML", "Resources: " + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000), "nests deeper"},
		{"deep JSON", `{"Resources": ` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + "}", "nests deeper"},
		{"FindInMap for each key of FindInMap", inProperty(extensions+"Mappings: {v: {v: {v: v}}}\n", nested(10, "v", `{"Fn::FindInMap": [%s, %s, %s]}`)), ""},
		{"Ref of a name that Refs make", inProperty(extensions+"Parameters: {P: {Type: String, Default: P}}\n", nested(9, "P", `{Ref: {"Fn::Select": [0, [%s, %s]]}}`)), ""},
		{"ToJsonString with two of itself", inProperty(extensions, nested(13, "a", `{"Fn::ToJsonString": {a: %s, b: %s}}`)), "build more than"},
		{"conditions that each refer to the ten before", "Conditions:\n  C0: !Equals [a, a]\n" + toTenBefore(4000) + oneTopic, ""},
		{"rules over two long lists", "Parameters: {P: {Type: CommaDelimitedList, Default: '" + strings.Repeat(",", 2000) + "'}}\n" + entries("Rules", 10_000, "R%d: {Assertions: [{Assert: !EachMemberIn [!Ref P, !Ref P]}]}") + oneTopic, "build more than"},
		{"loops over resources", extensions + "Resources:\n  Fn::ForEach::A: [A, [" + numbers(60) + "], {Fn::ForEach::B: [B, [" + numbers(60) + "], {Fn::ForEach::C: [C, [" + numbers(60) + "], {'R${A}x${B}x${C}': {Type: Test::Any::Thing}}]}]}]\n", "for a transformed template"},
		{"patterns that are repeated in repetitions", "Parameters: {P: {Type: String, Default: '" + x4000 + "', AllowedPattern: '" + strings.Repeat(`(\p{L}{0,30}){0,33}`, 60) + "'}}\n" + oneTopic, "takes too much work"},
		{"patterns of many repetitions", entries("Parameters", 200, "P%d: {Type: String, Default: a, AllowedPattern: '"+strings.Repeat("(.*.*=.*){0,1000}", 200)+"'}") + oneTopic, "too long to check"},

		// Long values, named many times.
		{"sub", "Parameters: {P: {Type: String, Default: " + x4000 + "}}\nResources:\n  T: {Type: Test::Any::Thing, Properties: {A: !Sub '" + strings.Repeat("${P}", 5_000) + "'}}\n", "build more than"},
		{"join", "Parameters: {P: {Type: String, Default: " + x4000 + "}}\nResources:\n  T: {Type: Test::Any::Thing, Properties: {A: !Join ['', [" + strings.Repeat("!Ref P, ", 5_000) + "]]}}\n", "build more than"},
		{"references to a list", "Parameters: {P: {Type: CommaDelimitedList, Default: '" + strings.Repeat(",", 4000) + "'}}\nResources:\n  T: {Type: Test::Any::Thing, Properties: {A: [" + strings.Repeat("!Ref P, ", 5_000) + "]}}\n", "build more than"},
		{"a list of a mapping", "Mappings: {M: {a: {b: [" + strings.Repeat("x, ", 5_000) + "]}}}\nResources:\n  T: {Type: Test::Any::Thing, Properties: {A: [" + strings.Repeat("!FindInMap [M, a, b], ", 2_000) + "]}}\n", "build more than"},
		{"address ranges", "Resources:\n  T: {Type: Test::Any::Thing, Properties: {A: [" + strings.Repeat("!Cidr [10.0.0.0/8, 256, 8], ", 2_000) + "]}}\n", "build more than"},
		{"items of loops", "Transform: AWS::LanguageExtensions\nParameters: {P: {Type: CommaDelimitedList, Default: " + x4000 + "}}\nResources:\n  T: {Type: Test::Any::Thing, Properties: {Fn::ForEach::A: [A, !Ref P, {a: '" + strings.Repeat("${A}", 200_000) + "'}]}}\n", "for a transformed template"},
		{"collections of loops", "Transform: AWS::LanguageExtensions\nParameters: {P: {Type: String, Default: " + x4000 + "}, L: {Type: CommaDelimitedList, Default: '" + strings.Repeat("a,", 2000) + "'}}\nResources:\n  T: {Type: Test::Any::Thing, Properties: {Fn::ForEach::A: [A, !Ref L, {Fn::ForEach::B: [B, !Select [0, [[], !Sub '" + strings.Repeat("${P}", 1000) + "']], {}]}]}}\n", "build more than"},
		{"policies", "Resources:\n  T: {Type: Test::Any::Thing, Properties: {A: !GetAtt Q.Missing}}\n  Q: {Type: Test::Any::Queue}\n" + entries("", 200, "F%d: {Type: AWS::Lambda::Function, Properties: {Handler: bootstrap, Runtime: provided.al2023, Role: !GetAtt Role.Arn, Code: ./code}}")[2:] + "  Role: {Type: AWS::IAM::Role, Properties: {AssumeRolePolicyDocument: {}, Policies: [{PolicyName: p, PolicyDocument: {Statement: [" + strings.Repeat("{Effect: Allow, Action: 'lambda:*', Resource: 'a*'}, ", 2000) + "]}}]}}\n", "no such attribute"},
		{"globals", "Transform: AWS::Serverless-2016-10-31\nGlobals: {Function: {Tags: {" + strings.Repeat("x", 400_000) + ": y}}}\n" + entries("Resources", 200, "F%d: {Type: AWS::Serverless::Function, Properties: {CodeUri: ., Role: a, Runtime: provided.al2023, Handler: bootstrap}}"), "for a transformed template"},
		{"misspelled references", entries("Conditions", 5_000, "ConditionNumber%d: !Equals [a, a]") + "Resources:\n  T: {Type: Test::Any::Thing, Properties: {A: [" + strings.Repeat("!If [ConditionNumberX, a, b], ", 15_000) + "]}}\n", "did you mean"},
		{"misspelled DependsOn", entries("Resources", 499, "ResourceNumber%d: {Type: Test::Any::Thing}") + "  T: {Type: Test::Any::Thing, DependsOn: [" + strings.Repeat("ResourceNumberX, ", 50_000) + "]}\n", "did you mean"},

		// What is looked at for one resource, and costs as much for each other.
		{"a function's name, asked for again and again", long + "Resources:\n  F: {Type: AWS::Lambda::Function, Properties: {Handler: bootstrap, Runtime: provided.al2023, Code: ./f, FunctionName: " + costly(900) + "}}\n  Hook: {Type: 'Custom::Hook', Properties: {ServiceToken: !GetAtt F.Arn, ServiceTimeout: !Join ['', [" + strings.Repeat("!Ref F, ", 200) + "]]}}\n", "take as much work"},
		{"names of topics that every custom resource is compared with", long + entries("Resources", 40, "T%d: {Type: AWS::SNS::Topic, Properties: {TopicName: "+costly(100)+"}}") + entries("", 40, "H%d: {Type: 'Custom::Hook', Properties: {ServiceToken: 'arn:aws:sns:eu-west-1:123456789012:no'}}")[2:], "take as much work"},
		{"aliases of a function that name it in a text", "Resources:\n  F: {Type: AWS::Lambda::Alias, Properties: {FunctionName: " + manyRefs(3000, "G") + ", Name: a, FunctionVersion: '1'}}\n  G: {Type: AWS::SNS::Topic}\n  Hook: {Type: 'Custom::Hook', Properties: {ServiceToken: " + manyRefs(3000, "F") + "}}\n", "take as much work"},
		{"a policy for every function", policies(200, 3000), "take as much work"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			work, err := evaluateAll(t, tc.body)
			runtime.ReadMemStats(&after)
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("error %.300v, want %q", err, tc.want)
			}
			if most := maxAll + 2*maxOne; work.planned > most { // a last evaluation may begin below the limit
				t.Errorf("planning took %d units of work, want at most %d", work.planned, most)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 2<<30 {
				t.Errorf("%d bytes were allocated", n)
			}
		})
	}
}

// evaluateAll plans a stack and evaluates its first resource, and returns the work for it.
func evaluateAll(t *testing.T, body string) (*budget, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	work, done := new(budget), make(chan error, 1)
	stack := testStack
	stack.HasProgram = func(f *Function, arn string) bool { return f != nil || strings.HasSuffix(arn, ":function:f") }
	go func() {
		parsed, err := Parse("t", []byte(body))
		var plan *Plan
		if err == nil {
			plan, err = parsed.resolve(stack, work)
		}
		if err == nil {
			_, err = plan.Resources[0].Properties(fakeRefs{})
		}
		done <- err
	}()
	select {
	case err := <-done:
		return work, err
	case <-ctx.Done():
		t.Fatal("it does not end")
		return nil, nil
	}
}

// manyKeys are n entries of an object, each an object.
func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "key%d: {b: c}, ", i)
	}
	return b.String()
}

// numbers are n items of a list.
func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d, ", i)
	}
	return strings.TrimSuffix(b.String(), ", ")
}

// manyRefs is Fn::Sub with n values of its own, each a reference to the same resource.
func manyRefs(n int, id string) string {
	var text, values strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "${v%d}", i)
		fmt.Fprintf(&values, "v%d: !Ref %s, ", i, id)
	}
	return "!Sub ['" + text.String() + "', {" + values.String() + "}]"
}

// ladder is n conditions, each of which refers to the one before twice.
func ladder(n int) string {
	var b strings.Builder
	b.WriteString("  C0: !Equals [a, a]\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "  C%d: !And [!Condition C%d, !Condition C%d]\n", i, i-1, i-1)
	}
	return b.String()
}

// chain is n conditions, each of which refers to the next two.
func chain(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  C%d: !And [!Condition C%d, !Condition C%d]\n", i, (i+1)%n, (i+2)%n)
	}
	return b.String()
}

// toFirst is n conditions, each of which refers to the next one and to the first.
func toFirst(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  C%d: !Or [!Condition C%d, !Condition C0]\n", i, (i+1)%n)
	}
	return b.String()
}

// toTenBefore is n conditions, each of which refers to the ten before it.
func toTenBefore(n int) string {
	var b strings.Builder
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "  C%d: !Or [", i)
		for before := range 10 {
			fmt.Fprintf(&b, "!Condition C%d, ", max(0, i-1-before))
		}
		b.WriteString("]\n")
	}
	return b.String()
}

// policies is a template of functions that share a role with many statements.
func policies(functions, statements int) string {
	return entries("Resources", functions, "F%d: {Type: AWS::Lambda::Function, Properties: {Handler: bootstrap, Runtime: provided.al2023, Role: !GetAtt Role.Arn, Code: ./code}}") +
		"  Role: {Type: AWS::IAM::Role, Properties: {AssumeRolePolicyDocument: {}, Policies: [{PolicyName: p, PolicyDocument: {Statement: [" +
		strings.Repeat("{Effect: Allow, Action: 'lambda:*', Resource: 'arn:*:a*'}, ", statements) + "]}}]}}\n"
}

// TestWorkInSum: what one resource may build, five hundred may not, before the start and after it.
func TestWorkInSum(t *testing.T) {
	const long = "Parameters: {P: {Type: String, Default: "
	of := func(resources int, value string) (*Plan, error) {
		parsed, err := Parse("t", []byte(long+strings.Repeat("x", 4000)+"}}\n"+entries("Resources", resources, "T%d: {Type: Test::Any::Thing, Properties: {A: !Sub '"+strings.Repeat(value, 400)+"'}}")+"  Q: {Type: Test::Any::Queue}\n"))
		if err != nil {
			t.Fatal(err)
		}
		return parsed.Resolve(testStack)
	}
	// What is known before the start is refused before it.
	if _, err := of(10, "${P}"); err != nil {
		t.Errorf("10 resources: %v", err)
	}
	if _, err := of(100, "${P}"); err == nil || !strings.Contains(err.Error(), "take as much work") {
		t.Errorf("100 resources: %v", err)
	}
	// What resources give counts while the stack runs, each resource's latest evaluation once.
	plan, err := of(100, "${Q.Long}")
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, r := range plan.Resources {
		if _, err := r.Properties(fakeRefs{}); err != nil {
			failed++
		}
	}
	if failed == 0 || failed == 100 {
		t.Errorf("%d of 100 resources are refused, want some", failed)
	}
	if plan, err = of(1, "${Q.Long}"); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if _, err := plan.Resources[0].Properties(fakeRefs{}); err != nil {
			t.Fatal(err)
		}
	}
}
