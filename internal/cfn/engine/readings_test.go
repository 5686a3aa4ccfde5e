package engine_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// The documents list what the engine can play.
func TestTheListInRoughEdges(t *testing.T) {
	testrun.Written(t, "../../../docs/rough_edges.md", "readings", readingsTable(), *update, "go test ./internal/cfn/engine -update")
}

func readingsTable() string {
	var b strings.Builder
	b.WriteString("| reading | what is not known | assumed | other ways: CloudFormation | what depends on it |\n|---|---|---|---|---|\n")
	for _, r := range engine.Readings {
		var ways []string
		for _, w := range r.Others {
			ways = append(ways, fmt.Sprintf("`%s` %s", w.Name, w.Does))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s %s | %s | %s |\n", r.Name, r.Question, r.Assumed.Does, r.Source, strings.Join(ways, "; "), r.Depends)
	}
	return b.String()
}

// The engine plays what is assumed unless it is told otherwise, and each way can be
// told from the others of its reading.
func TestWaysChangeTheOptions(t *testing.T) {
	for i := range engine.Readings {
		r := &engine.Readings[i]
		seen := map[string]string{options(t): r.Assumed.Name}
		for j := range r.Others {
			a := engine.Assumption{r, &r.Others[j]}
			text := options(t, a)
			if same, ok := seen[text]; ok {
				t.Errorf("%s has the options of %s", a, same)
			}
			seen[text] = a.Way.Name
			if got := options(t, a, engine.Assumption{r, &r.Assumed}); got != options(t) {
				t.Errorf("%s is not taken back by %s: %s", a, r.Assumed.Name, got)
			}
		}
	}
}

// An option that no reading sets is one that nobody can play.
func TestEachOptionIsOfAReading(t *testing.T) {
	all := reflect.ValueOf(&engine.Options{Seed: 1, Region: "us-east-1", Account: "123456789012"}).Elem()
	for _, a := range engine.OtherWays() {
		var o engine.Options
		a.Set(&o)
		for i := range all.NumField() {
			if set := reflect.ValueOf(o).Field(i); !set.IsZero() {
				all.Field(i).Set(set)
			}
		}
	}
	for i := range all.NumField() {
		if all.Field(i).IsZero() {
			t.Errorf("no reading sets engine.Options.%s", all.Type().Field(i).Name)
		}
	}
}

func TestParseAssumption(t *testing.T) {
	for text, want := range map[string]string{
		"preserved-create":              "preserved-create=create-first",
		"preserved-create=create-first": "preserved-create=create-first",
		"preserved-create=delete-first": "preserved-create=delete-first",
		"failed-update-id=new-id-stays": "failed-update-id=new-id-stays",
		"failed-update-id":              "", // it has several
		"preserved-create=":             "",
		"no-such":                       "",
	} {
		a, err := engine.ParseAssumption(text)
		if (err == nil) != (want != "") || err == nil && a.String() != want {
			t.Errorf("%s is read as %v, %v: want %q", text, a, err, want)
		}
	}
}

func FuzzParseAssumption(f *testing.F) {
	for _, a := range engine.OtherWays() {
		f.Add(a.String())
		f.Add(a.Reading.Name)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := engine.ParseAssumption(text)
		if err != nil {
			if len(err.Error()) > 1000 {
				t.Errorf("the error of %d bytes has %d", len(text), len(err.Error()))
			}
			return
		}
		if again, err := engine.ParseAssumption(a.String()); err != nil || again != a {
			t.Errorf("%s is read as %v, %v", a, again, err)
		}
	})
}

func options(t *testing.T, set ...engine.Assumption) string {
	t.Helper()
	var o engine.Options
	for _, a := range set {
		a.Set(&o)
	}
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
