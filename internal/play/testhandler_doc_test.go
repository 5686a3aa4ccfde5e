package play

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Each check builds on one that runs before it, and says what would happen.
func TestTheTableOfChecks(t *testing.T) {
	asked := map[string]bool{}
	for _, k := range checks {
		if k.after != "" && !asked[k.after] {
			t.Errorf("%s builds on %s, which does not run before it", k.name, k.after)
		}
		if asked[k.name] || k.rule == "" {
			t.Errorf("%s is not as it should be", k.name)
		}
		if (k.lines != nil) == (k.plays != nil) {
			t.Errorf("%s is not played in one way: by lines, or by a function", k.name)
		}
		asked[k.name] = true
	}
}

func TestAContractThatSaysTooLittleIsRefused(t *testing.T) {
	service := func(testing.TB) Service { return Service{Function: func() simulate.Function { return nil }} }
	type named struct{ Name string }
	for want, c := range map[string]Contract{
		"has no New":                {Properties: struct{}{}},
		"has no Properties":         {New: service},
		"has no Function":           {New: func(testing.TB) Service { return Service{} }, Properties: struct{}{}},
		"leave Crowd out":           {New: func(testing.TB) Service { s := service(nil); s.Crowd = func() {}; return s }, Properties: struct{}{}},
		"no check of that name":     {New: service, Properties: struct{}{}, Skip: map[string]string{"create-and-delete": "why not"}},
		"without a reason":          {New: service, Properties: struct{}{}, Skip: map[string]string{"create-delete": ""}},
		"Properties: cfntest: prop": {New: service, Properties: "a text"},
		"NotUpdatable: ":            {New: service, Properties: named{}, NotUpdatable: math.NaN()},
		"it is a nil *play.named":   {New: service, Properties: named{}, InPlace: (*named)(nil)},
		"Replacing equals its Pro":  {New: service, Properties: named{"a"}, Replacing: map[string]any{"Name": "a"}},
		"Others has \"AWS::S3":      {New: service, Properties: named{}, Others: map[string]any{"AWS::S3::Bucket": named{}}},
		"want Custom::NAME":         {New: service, Properties: named{}, ResourceType: "Custom:Note"},
		"a second to 15 minutes":    {New: service, Properties: named{}, Timeout: time.Millisecond},
	} {
		if err := c.check(t); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got the error %v, want %q in it", err, want)
		}
	}
	c := Contract{New: service, Properties: struct{}{}, Skip: map[string]string{"create-delete": "there is no Delete"}}
	if err := c.check(t); err != nil {
		t.Error(err)
	}
}

// Advice is about a check that exists, and each page that is named exists, with the heading.
func TestAdviceNamesItsPages(t *testing.T) {
	page := regexp.MustCompile(`docs/[a-z/_.-]+(#[a-z-]+)?`)
	heading := regexp.MustCompile(`(?m)^#+ (.*)$`)
	for check := range advice {
		if checkNamed(check) == nil {
			t.Errorf("there is no check %s", check)
		}
	}
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range append(sources, "../simulate/still.go") {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range page.FindAllString(string(text), -1) {
			file, anchor, _ := strings.Cut(strings.TrimRight(link, "."), "#")
			content, err := os.ReadFile("../../" + file)
			if err != nil {
				t.Errorf("%s: %v", source, err)
			}
			there := slices.ContainsFunc(heading.FindAllStringSubmatch(string(content), -1), func(h []string) bool {
				return strings.NewReplacer(" ", "-", `"`, "", ":", "").Replace(strings.ToLower(h[1])) == anchor
			})
			if anchor != "" && !there {
				t.Errorf("%s: %s has no heading %s", source, file, anchor)
			}
		}
	}
}

// A status in the text of an error without a code is told, and the text is not.
func TestAStatusWithoutACodeIsTold(t *testing.T) {
	for _, tt := range []struct {
		call simulate.Call
		want string
	}{
		{simulate.Call{}, ""},
		{simulate.Call{Method: "Delete", Error: "GET /secret: 404 Not Found"}, "Delete fails with \"404\" in its error's text and no code"},
		{simulate.Call{Method: "Create", Error: "status=429, wait"}, "Create fails with \"429\""},
		{simulate.Call{Method: "Update", Error: "503"}, "Update fails with \"503\""},
		{simulate.Call{Method: "Update", Error: "a change is in progress"}, "Update fails with \"in progress\""},
		{simulate.Call{Method: "Update", Error: "the secret is locked"}, "Update fails with \"locked\""},
		{simulate.Call{Method: "Find", Error: "GET /secret: context canceled"}, "Find fails with \"context canceled\""},
		{simulate.Call{Method: "Delete", Error: "404 Not Found", Code: "NotFound"}, ""},
		{simulate.Call{Method: "Delete", Error: "box-4045 is stuck, 14290 tries"}, ""},
		{simulate.Call{Method: "Delete", Error: "400 Bad Request"}, ""},
		{simulate.Call{Method: "Update", Error: "panicked: nil", Abandoned: true}, ""},
	} {
		got := uncodedHint([]simulate.Call{{Method: "Find"}, tt.call})
		if !strings.HasPrefix(got, tt.want) || (got == "") != (tt.want == "") || strings.Contains(got, "secret") {
			t.Errorf("%+v: %q, want %q", tt.call, got, tt.want)
		}
	}
}

func TestWhatHelpsIsALine(t *testing.T) {
	for want, advice := range map[string][]string{
		"":                        {"", ""},
		"\nWhat helps: Do it.":    {"", "Do it"},
		"\nWhat helps: One. Two.": {"One", "", "Two"},
	} {
		if got := whatHelps(advice...); got != want {
			t.Errorf("%q: %q, want %q", advice, got, want)
		}
	}
}

func TestWhatThereIsHasNoOrder(t *testing.T) {
	type box struct{ size int }
	for _, tt := range []struct {
		a, b inventory
		want bool
	}{
		{nil, inventory{}, true},
		{inventory{box{1}, box{2}}, inventory{box{2}, box{1}}, true},
		{inventory{box{1}, box{1}}, inventory{box{1}, box{2}}, false},
		{inventory{box{1}, box{2}}, inventory{box{1}, box{1}}, false},
		{inventory{box{1}}, inventory{box{1}, box{1}}, false},
		{inventory{nil}, inventory{nil}, true},
		{inventory{&box{1}}, inventory{&box{1}}, true},
	} {
		if got := tt.a.same(tt.b); got != tt.want {
			t.Errorf("%v and %v: %v", tt.a, tt.b, got)
		}
	}
}

// A Step is written as s, and a change as E.
func TestTheMissingStepIsNamed(t *testing.T) {
	for calls, want := range map[string]string{
		"":           "",
		"s":          "",
		"sEs":        "",
		"sEssEs":     "",
		"sssEsss":    "",
		"Es":         "",
		"EsEs":       "", // only after
		"E":          "calls no Step",
		"sE":         "after Step 4, and calls no Step after that",
		"sEsE":       "after Step 5, and calls no Step after that", // only before
		"sEsEs":      "before Step 5 and after it",
		"ssEssEsEss": "before Step 8 and after it",
		"EssE":       "after Step 5, and calls no Step after that",
	} {
		c := stepCall{Method: "Create", First: 4, Changes: []bool{false}}
		for _, what := range calls {
			if what == 'E' {
				c.Changes[len(c.Changes)-1] = true
			} else {
				c.Changes = append(c.Changes, false)
			}
		}
		got, _ := c.missing()
		if !strings.Contains(got, want) || (got == "") != (want == "") || got != "" && !strings.HasPrefix(got, "the handler's Create changes") {
			t.Errorf("%s: %q, want %q", calls, got, want)
		}
	}
}
