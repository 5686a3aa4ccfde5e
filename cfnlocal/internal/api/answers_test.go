package query

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

var update = flag.Bool("update", false, "write testdata/answers.txtar")

var requestID = regexp.MustCompile(`<RequestId>[0-9a-f-]{36}</RequestId>`)

// TestAnswers: the documents, of each action and of a refusal, as they are sent.
func TestAnswers(t *testing.T) {
	w := newWorld(t, "shop")
	w.deploy(thing("A", "Id", "one", "Secret", "<open & sesame>"))
	w.deploy(thing("A", "Id", "two", "Fail", "Update"))
	source := w.source()
	source["shop"].Outputs = []engine.StackOutput{{Name: "Out", Value: "1 < 2", Description: "d", ExportName: "e"}}
	source["shop"].Declared = []Declared{{ParameterKey: "Token", ParameterType: "String", NoEcho: true, Description: "a token"}}

	const file = "testdata/answers.txtar"
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range archive.Files {
		f := &archive.Files[i]
		t.Run(f.Name, func(t *testing.T) {
			values := form()
			for pair := range strings.SplitSeq(f.Name, "&") {
				name, value, _ := strings.Cut(pair, "=")
				values.Set(name, value)
			}
			r := ask(source, values)
			if got := r.Header().Get("Content-Type"); got != "text/xml" {
				t.Errorf("Content-Type %q", got)
			}
			got := requestID.ReplaceAllString(r.Body.String(), "<RequestId/>")
			got = strings.ReplaceAll(got, "><", ">\n<") + "\n"
			if *update {
				f.Data = []byte(got)
			}
			if diff := cmp.Diff(string(f.Data), got); diff != "" {
				t.Errorf("go test ./cfnlocal/internal/api -update rewrites it (-want +got):\n%s", diff)
			}
		})
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A time without one is left out, and any other is in UTC with milliseconds.
func TestTimes(t *testing.T) {
	w := newWorld(t, "shop")
	w.deploy(thing("A", "Id", "one"))
	values := form("Action", "DescribeStacks", "StackName", "shop")
	if body := ask(w.source(), values).Body.String(); strings.Contains(body, "LastUpdatedTime") || strings.Contains(body, "DeletionTime") ||
		!strings.Contains(body, "<CreationTime>2026-05-01T12:00:00.000Z</CreationTime>") {
		t.Error(body)
	}
	w.deploy(thing("A", "Id", "two"))
	if body := ask(w.source(), values).Body.String(); !strings.Contains(body, "<LastUpdatedTime>2026-05-01T12:00:0") || strings.Contains(body, "DeletionTime") {
		t.Error(body)
	}
	w.run(func(m *engine.Machine, now time.Time) error { return m.Delete(now, nil, false) })
	values.Set("StackName", w.player.Machine.Stack().ID)
	if body := ask(w.source(), values).Body.String(); !strings.Contains(body, "<DeletionTime>2026-05-01T12:00:") {
		t.Error(body)
	}
}
