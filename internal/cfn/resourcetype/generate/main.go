// Command generate writes the table of package resourcetype, from the database in the npm package
// @aws-cdk/aws-service-spec. "make types" runs it.
//
//	generate PACKAGE_DIRECTORY VERSION DATE > table.gz
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// head begins the table: of when it is, where the facts are from, and under which terms.
const head = `%s
# The types of CloudFormation: what Ref gives; properties, ! required, * replacing; attributes, [] lists, # numbers, ? booleans.
# Facts from the npm package @aws-cdk/aws-service-spec %s, whose licence is Apache-2.0.
# Copyright Amazon.com, Inc. or its affiliates.
`

// database is what is read of db.json.gz.
type database struct {
	Schema struct {
		Resource struct{ Entities []entity }
	}
}

type entity struct {
	CloudFormationType      string
	CloudFormationTransform string // of types that a transform makes others of
	PrimaryIdentifier       []string
	CfnRefIdentifier        []string // where Ref gives something else
	Properties, Attributes  map[string]member
}

type member struct {
	Type              struct{ Type string }
	Required          bool
	CausesReplacement string // yes, no, maybe
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: generate PACKAGE_DIRECTORY VERSION DATE")
		os.Exit(2)
	}
	table, err := generate(os.DirFS(os.Args[1]), os.Args[2], os.Args[3])
	if err == nil {
		_, err = os.Stdout.Write(table)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// generate returns the table, compressed. The same package gives the same bytes.
func generate(dir fs.FS, version, date string) ([]byte, error) {
	// The database.
	file, err := dir.Open("db.json.gz")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	var db database
	if err := json.NewDecoder(plain).Decode(&db); err != nil {
		return nil, fmt.Errorf("db.json.gz: %w", err)
	}
	// A line for each type.
	var lines []string
	for _, e := range db.Schema.Resource.Entities {
		if e.CloudFormationTransform == "" {
			lines = append(lines, line(e))
		}
	}
	if len(lines) == 0 {
		return nil, errors.New("db.json.gz has no types")
	}
	slices.Sort(lines)
	// The table.
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = io.WriteString(w, fmt.Sprintf(head, date, version)+strings.Join(lines, ""))
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

// line is what resourcetype.parse reads.
func line(e entity) string {
	properties := names(e.Properties, func(m member) (marks string) {
		if m.Required {
			marks += "!"
		}
		if m.CausesReplacement == "yes" {
			marks += "*"
		}
		return marks
	})
	attributes := names(e.Attributes, func(m member) string {
		return map[string]string{"array": "[]", "integer": "#", "number": "#", "boolean": "?"}[m.Type.Type]
	})
	id := e.PrimaryIdentifier
	if len(e.CfnRefIdentifier) > 0 {
		id = e.CfnRefIdentifier
	}
	return strings.Join([]string{e.CloudFormationType, strings.Join(id, ","), properties, attributes}, "\t") + "\n"
}

// names are the names of members with their marks, sorted.
func names(members map[string]member, marks func(member) string) string {
	var all []string
	for name, m := range members {
		all = append(all, name+marks(m))
	}
	slices.Sort(all)
	return strings.Join(all, ",")
}
