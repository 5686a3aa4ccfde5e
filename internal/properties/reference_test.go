package properties

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// referenceError returns why a Create with a text is refused, or "".
func referenceError(t testing.TB, text string) string {
	t.Helper()
	raw, err := json.Marshal(map[string]string{"Text": text})
	if err != nil {
		t.Fatal(err)
	}
	var into struct{ Text string }
	s := mustSchema[struct{ Text string }](t)
	switch r := s.Decode(raw, &into); len(r.Unresolved) {
	case 0:
		return ""
	case 1:
		if r.Unresolved[0].Path != "Text" {
			t.Errorf("the path is %q", r.Unresolved[0].Path)
		}
		return r.Unresolved[0].Error()
	default:
		t.Fatalf("%d errors", len(r.Unresolved))
		return ""
	}
}

// CloudFormation resolves a reference wherever it stands in a text, so that one that has not been resolved is one
// wherever it stands. Each service has an error of its own, since what helps differs; the first reference decides.
func TestWhatIsAReference(t *testing.T) {
	alike := map[string][]string{
		"a secret's": {
			"{{resolve:secretsmanager:s}}",
			"postgres://u:{{resolve:secretsmanager:db:SecretString:password}}@host",
			"{{resolve:secretsmanager:arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-AbCdEf:SecretString:password::}}",
			"{{resolve:secretsmanager:a}}{{resolve:secretsmanager:b}}", "{{resolve:secretsmanager:a}} and {{resolve:nope:b}}",
			"{{{resolve:secretsmanager:s}}}", "{{{{resolve:secretsmanager:s}}}}", "{{resolve:secretsmanager:{{s}}}}",
			`\{{resolve:secretsmanager:s}}`, `"{{resolve:secretsmanager:s}}"`, "\n{{resolve:secretsmanager:s}}\n", // nothing escapes one
			"{{resolve:secretsmanager:}}", "{{resolve:secretsmanager}}",
			"}}{{resolve:secretsmanager:s}}{{", "{{resolve:secretsmanager:s}} {{resolve:",
		},
		"a secure parameter's": {"{{resolve:ssm-secure:p:1}}", "a{{resolve:ssm-secure:p}}b"},
		"a parameter's":        {"{{resolve:ssm:/p}}", "a{{resolve:ssm:x}}b", "{{resolve:ssm:x}}{{resolve:ssm-secure:y}}"},
		"no service's": {
			"{{resolve:nope:x}}", "a{{resolve:nope:x}}b", "{{resolve:}}", "{{resolve::x}}", "{{resolve:SSM:x}}", "{{resolve: ssm:x}}",
			"{{resolve:ssm :x}}", "{{resolve:{{resolve:ssm:x}}}}", "{{resolve:ssm-secure-x:y}}",
		},
		"without an end": {"{{resolve:ssm:x", "{{resolve:", "a {{resolve:secretsmanager:s} b", "{{resolve:nope:x} }"},
		"none": {
			"", "resolve:ssm:x", "{resolve:ssm:x}", "{{ resolve:ssm:x }}", "{{Resolve:ssm:x}}", "{{resolve}}", "{{resolve ssm:x}}",
			"{ {resolve:ssm:x}}", "{\\{resolve:ssm:x}}", "{{resolve\\:ssm:x}}", "${resolve:ssm:x}", "{{name}}",
		},
	}
	kinds := map[string]string{}
	for kind, texts := range alike {
		for _, text := range texts {
			err := referenceError(t, text)
			if first := referenceError(t, texts[0]); err != first {
				t.Errorf("%s: got %q for %q, and %q for %q", kind, err, text, first, texts[0])
			}
			if kind != "none" && err == "" {
				t.Errorf("%s: %q is none", kind, text)
			}
		}
		err := referenceError(t, texts[0])
		if other, taken := kinds[err]; taken {
			t.Errorf("%s and %s have the same error: %s", kind, other, err)
		}
		kinds[err] = kind
	}
	if kinds[""] != "none" {
		t.Errorf("%s is no reference", kinds[""])
	}
}

// A handler that resolves references itself gets them as they are, in the properties that it has tagged and nowhere else.
func TestTaggedReferences(t *testing.T) {
	type login struct {
		Password string `cfn:"reference,secret"`
		Hint     string
	}
	type props struct {
		URL    *string           `json:"url" cfn:"reference"`
		Env    map[string]string `cfn:"reference"`
		Args   []upper           `cfn:"reference,required"`
		Other  map[string]string
		Login  login
		Logins []map[string]login
		Any    any
	}
	got, r := decode[props](t, `{"URL":"postgres://{{resolve:secretsmanager:s}}@db","Env":{"A":"{{resolve:ssm-secure:a}}","B":"{{resolve:nope"},
		"Args":["{{resolve:nope:x}}"],"Other":{"A":"{{resolve:ssm:a}}"},
		"Login":{"Password":"{{resolve:secretsmanager:p}}","Hint":"{{resolve:secretsmanager:h}}"},
		"Logins":[{"k":{"Password":"{{resolve:secretsmanager:p}}","Hint":"{{resolve:secretsmanager:h}}"}}],
		"Any":{"URL":"{{resolve:secretsmanager:s}}"},"Unknown":{"URL":"x{{resolve:secretsmanager:s}}"}}`)
	want := []string{"Any.URL", "Login.Hint", "Logins[0].k.Hint", "Other.A", "Unknown.URL"}
	if diff := cmp.Diff(want, paths(r.Unresolved)); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	if got.URL == nil || *got.URL != "postgres://{{resolve:secretsmanager:s}}@db" || got.Login.Password != "{{resolve:secretsmanager:p}}" {
		t.Errorf("got %+v", got)
	}
}

// What is before and after a text, and is no part of a reference, does not change what it is. No error holds the text.
func FuzzReference(f *testing.F) {
	for _, text := range []string{"{{resolve:ssm:x}}", "a{{resolve:nope:hunter2}}b", "{{resolve:ssm:x", "{{{resolve:", "{{ resolve:ssm:x }}", "}}{{"} {
		f.Add("before", text, "after")
	}
	f.Fuzz(func(t *testing.T, before, text, after string) {
		for _, s := range []*string{&before, &text, &after} {
			*s = strings.ToValidUTF8(*s, "")
		}
		braces := strings.NewReplacer("{", "", "}", "")
		before, after = braces.Replace(before), braces.Replace(after)
		alone := referenceError(t, text)
		if strings.HasSuffix(text, "}") || !strings.Contains(text, "{") {
			if got := referenceError(t, before+text+after); got != alone {
				t.Errorf("%q is %q alone, and %q between %q and %q", text, alone, got, before, after)
			}
		}
		if (alone != "") != strings.Contains(text, "{{resolve:") {
			t.Errorf("%q: %q", text, alone)
		}
		if len(text) > 20 && strings.Contains(alone, text) {
			t.Errorf("the error holds the text: %s", alone)
		}
	})
}
