package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// The same package makes the same table: sorted, with a mark for each fact, without the types of transforms.
func TestGenerate(t *testing.T) {
	var db bytes.Buffer
	w := gzip.NewWriter(&db)
	_, err := io.WriteString(w, `{"schema": {"resource": {"entities": [
		{"cloudFormationType": "AWS::Zoo::Animal", "primaryIdentifier": ["Arn"], "cfnRefIdentifier": ["Name"],
			"properties": {
				"Name": {"type": {"type": "string"}, "required": true, "causesReplacement": "yes"},
				"Age": {"type": {"type": "integer"}, "causesReplacement": "maybe"},
				"Keeper": {"type": {"type": "string"}, "required": true}},
			"attributes": {
				"Arn": {"type": {"type": "string"}}, "Cages": {"type": {"type": "array"}},
				"Legs": {"type": {"type": "integer"}}, "Weight": {"type": {"type": "number"}}, "Tame": {"type": {"type": "boolean"}}}},
		{"cloudFormationType": "AWS::Serverless::Function", "cloudFormationTransform": "AWS::Serverless-2016-10-31"},
		{"cloudFormationType": "AWS::Air::Balloon", "primaryIdentifier": ["Id"], "attributes": {"Id": {"type": {"type": "string"}}}}
	]}}}`)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	dir := fstest.MapFS{"db.json.gz": {Data: db.Bytes()}}
	table, err := generate(dir, "1.2.3", "2026-01-02")
	if err != nil {
		t.Fatal(err)
	}
	again, err := generate(dir, "1.2.3", "2026-01-02")
	if err != nil || !bytes.Equal(table, again) {
		t.Error("another run made another table", err)
	}
	r, err := gzip.NewReader(bytes.NewReader(table))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	want := []string{
		"2026-01-02",
		"AWS::Air::Balloon\tId\t\tId",
		"AWS::Zoo::Animal\tName\tAge,Keeper!,Name!*\tArn,Cages[],Legs#,Tame?,Weight#",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("the table (-want +got):\n%s", diff)
	}
	for _, part := range []string{"1.2.3", "Apache-2.0", "Amazon.com"} {
		if !strings.Contains(string(text), part) {
			t.Errorf("the head does not name %s", part)
		}
	}
}

// What is no such package makes no table.
func TestGenerateRefuses(t *testing.T) {
	var empty bytes.Buffer
	if err := gzip.NewWriter(&empty).Close(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []fstest.MapFS{{}, {"db.json.gz": {Data: []byte("{}")}}, {"db.json.gz": {Data: empty.Bytes()}}} {
		if table, err := generate(dir, "1.2.3", "2026-01-02"); err == nil {
			t.Errorf("a table of %d bytes", len(table))
		}
	}
}
