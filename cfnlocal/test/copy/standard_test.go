package copy

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// Each example tests its handler with cfntest.TestHandler.
func TestContracts(t *testing.T) {
	for _, name := range examples(t) {
		var tests []string
		for _, pattern := range []string{"*_test.go", "*/*_test.go"} { // in the package of the handler
			found, err := filepath.Glob(filepath.Join(root, "examples", name, pattern))
			if err != nil {
				t.Fatal(err)
			}
			tests = append(tests, found...)
		}
		if !slices.ContainsFunc(tests, func(file string) bool { return strings.Contains(read(t, file), "cfntest.TestHandler(") }) {
			t.Errorf("no test of %s calls cfntest.TestHandler", name)
		}
	}
}

// Each example's README says the same things, in the same order.
func TestSections(t *testing.T) {
	for _, name := range examples(t) {
		t.Run(name, func(t *testing.T) {
			d := parse(read(t, root, "examples", name, "README.md"))
			if d.title != name || strings.TrimSpace(d.intro) == "" {
				t.Errorf("the README begins with the title %q and the words %q; want the example's name, and what it is", d.title, d.intro)
			}
			i := 0
			wanted := []string{"What it shows", "Test", "Run it locally", "Deploy", "What breaks without the SDK", "Copy it"}
			for _, section := range d.sections {
				if i < len(wanted) && section == wanted[i] {
					i++
				}
			}
			if i < len(wanted) {
				t.Errorf("the README has the sections %q; want, in this order, %q", d.sections, wanted)
			}
			for section, command := range map[string]string{
				"Test":           "go test ",
				"Run it locally": "go run " + sdk + "/cfnlocal deploy template.yaml",
				"Deploy":         "sam deploy --stack-name " + name + " ",
				"Copy it":        "go mod tidy",
			} {
				commands := strings.Join(d.commands(func(s string) bool { return s == section }), "\n")
				if !strings.Contains(commands, command) {
					t.Errorf("the section %q has no command %q in a fence of sh:\n%s", section, command, commands)
				}
			}
		})
	}
}

// The README travels with a copy, so that its links lead to the example's own files or to the web.
func TestLinksTravel(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, name := range examples(t) {
		t.Run(name, func(t *testing.T) {
			for _, m := range link.FindAllStringSubmatch(read(t, root, "examples", name, "README.md"), -1) {
				if strings.HasPrefix(m[1], "..") || strings.HasPrefix(m[1], "/") {
					t.Errorf("the link to %s leads out of the example", m[1])
				}
			}
		})
	}
}

// Each template does what a custom resource needs to be safe: rights of its own and no more, logs
// that end, an answer when the function dies, and enough time for it.
func TestTemplates(t *testing.T) {
	for _, name := range examples(t) {
		t.Run(name, func(t *testing.T) {
			text := read(t, root, "examples", name, "template.yaml")
			if !strings.Contains(text, "\nDescription: \""+name+": ") {
				t.Errorf("the Description does not begin with %q, a colon and what it is, in double quotes", name)
			}
			checkTemplate(t, template(t, text), read(t, root, "examples", name, "Makefile"))
		})
	}
}

func checkTemplate(t *testing.T, n node, makefile string) {
	t.Helper()
	resources := n.get("Resources")
	custom, functions := 0, 0
	for id, resource := range resources.all() {
		switch kind := resource.get("Type").text(); {
		case strings.HasPrefix(kind, "Custom::"), kind == "AWS::CloudFormation::CustomResource":
			custom++
			checkCustom(t, n, id, resource)
		case kind == "AWS::Serverless::Function":
			functions++
			checkFunction(t, n, id, resource, makefile)
		}
	}
	if custom == 0 || functions < 2 {
		t.Errorf("there are %d custom resources and %d functions", custom, functions)
	}
}

func checkFunction(t *testing.T, n node, id string, resource node, makefile string) {
	t.Helper()
	resources, global, properties := n.get("Resources"), n.get("Globals", "Function"), resource.get("Properties")
	if got := resource.get("Metadata", "BuildMethod").text(); got != "makefile" {
		t.Errorf("%s: BuildMethod %q, want makefile", id, got)
	}
	if !regexp.MustCompile(`(?m)^[^#\n]*\bbuild-` + id + `\b[^\n]*:`).MatchString(makefile) {
		t.Errorf("the Makefile has no target build-%s", id)
	}
	either := func(key string) string {
		if own := properties.get(key).text(); own != "" {
			return own
		}
		return global.get(key).text()
	}
	for key, want := range map[string]string{"Runtime": "provided.al2023", "Handler": "bootstrap", "CodeUri": "."} {
		if got := either(key); got != want {
			t.Errorf("%s: %s %q, want %q", id, key, got, want)
		}
	}
	if got := global.get("Architectures").texts(); !slices.Equal(got, []string{"arm64"}) {
		t.Errorf("Architectures %q, want arm64", got)
	}
	logs := resources.get(properties.get("LoggingConfig", "LogGroup").text())
	if logs.get("Type").text() != "AWS::Logs::LogGroup" || logs.get("Properties", "RetentionInDays").number() == 0 {
		t.Errorf("%s: its LoggingConfig leads to no AWS::Logs::LogGroup with RetentionInDays", id)
	}
	role := resources.get(strings.TrimSuffix(properties.get("Role").text(), ".Arn"))
	checkRole(t, id, role)
}

func checkCustom(t *testing.T, n node, id string, resource node) {
	t.Helper()
	function := strings.TrimSuffix(resource.get("Properties", "ServiceToken").text(), ".Arn")
	handler := n.get("Resources", function, "Properties")
	config := handler.get("EventInvokeConfig")
	if dependency := resource.get("DependsOn").texts(); !slices.Contains(dependency, function+"EventInvokeConfig") {
		t.Errorf("%s: DependsOn %q, want %sEventInvokeConfig: or its Delete loses retries and destination", id, dependency, function)
	}
	failed := strings.TrimSuffix(config.get("DestinationConfig", "OnFailure", "Destination").text(), ".Arn")
	if kind := config.get("DestinationConfig", "OnFailure", "Type").text(); kind != "Lambda" || failed == "" {
		t.Errorf("%s: the destination of %s is the %s %q; want a function", id, function, kind, failed)
	}
	age := config.get("MaximumEventAgeInSeconds").number()
	if age < 60 {
		t.Errorf("%s: MaximumEventAgeInSeconds %d", function, age)
	}
	first, second := handler.get("Timeout").number(), n.get("Resources", failed, "Properties", "Timeout").number()
	if first == 0 || second == 0 {
		t.Errorf("%s and %s: Timeouts %d and %d", function, failed, first, second)
	}
	if least, got := age+first+second, resource.get("Properties", "ServiceTimeout").number(); got < least || got > 3600 {
		t.Errorf("%s: ServiceTimeout %d, want %d or more (MaximumEventAgeInSeconds and two Timeouts), and 3600 at most", id, got, least)
	}
}

func checkRole(t *testing.T, function string, role node) {
	t.Helper()
	if role.get("Type").text() != "AWS::IAM::Role" {
		t.Errorf("%s has no role of its own", function)
	}
	if !role.get("Properties", "ManagedPolicyArns").n.IsZero() {
		t.Errorf("%s: managed policies allow more than it needs", function)
	}
	statements := 0
	for _, policy := range role.get("Properties", "Policies").n.Content {
		for _, statement := range (node{policy}).get("PolicyDocument", "Statement").n.Content {
			s := node{statement}
			if s.n.Kind != yaml.MappingNode {
				s = ifTrue(s)
			}
			statements++
			for _, action := range s.get("Action").texts() {
				if strings.HasPrefix(action, "*") || strings.HasSuffix(action, ":*") {
					t.Errorf("%s: it may do %s", function, action)
				}
			}
			if resource := s.get("Resource"); slices.Contains(resource.texts(), "*") && !commented(statement) {
				t.Errorf("%s: the statement of %v is for all resources, with no comment that says why", function, s.get("Action").texts())
			}
		}
	}
	if statements == 0 {
		t.Errorf("%s: its role allows nothing", function)
	}
}

// ifTrue is what an !If chooses when its condition holds.
func ifTrue(n node) node {
	if n.n.Kind == yaml.SequenceNode && n.n.Tag == "!If" && len(n.n.Content) == 3 {
		return node{n.n.Content[1]}
	}
	return node{&yaml.Node{}}
}

// commented tells whether there is a comment on a node, or in it.
func commented(n *yaml.Node) bool {
	return n.HeadComment != "" || n.LineComment != "" || slices.ContainsFunc(n.Content, commented)
}

// A node is one of a template; that which is not there is empty.
type node struct{ n *yaml.Node }

func template(t *testing.T, text string) node {
	t.Helper()
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	return node{document.Content[0]}
}

func (n node) get(keys ...string) node {
	for _, key := range keys {
		next, ok := n.all()[key]
		if !ok {
			return node{&yaml.Node{}}
		}
		n = next
	}
	return n
}

func (n node) all() map[string]node {
	children := make(map[string]node)
	if n.n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.n.Content); i += 2 {
			children[n.n.Content[i].Value] = node{n.n.Content[i+1]}
		}
	}
	return children
}

func (n node) text() string { return n.n.Value }

func (n node) texts() []string {
	if n.n.Kind != yaml.SequenceNode {
		return []string{n.n.Value}
	}
	var texts []string
	for _, item := range n.n.Content {
		texts = append(texts, item.Value)
	}
	return texts
}

func (n node) number() int {
	number, err := strconv.Atoi(n.n.Value)
	if err != nil {
		return 0
	}
	return number
}
