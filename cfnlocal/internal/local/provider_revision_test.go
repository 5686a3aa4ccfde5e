package local

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A revision is a template, in words: "Fn" is a function, "Fn=name" one with a name of
// its own, and "Thing@Fn" a custom resource that the function answers, whose Id is its
// own name unless one follows: "Thing@Fn:id". "Topic>Fn" is a topic that the function
// listens to. "Child(…)" is a nested stack of these.
type revision struct {
	declares string
	fails    string // the resource whose Create or Update is answered FAILED
	keeps    bool   // it is deployed with DisableRollback
}

// TestRevision: a request goes to the program that its function has by then, which is
// that of the revision that the function was last led to.
func TestRevision(t *testing.T) {
	const deletion, leadBack = "delete", "roll back"
	for name, c := range map[string]struct {
		revisions []revision
		then      string // what is done in the end
		want      []string
	}{
		"added, and rolled back": {
			[]revision{{declares: "Topic"}, {declares: "Topic Fn Sibling@Fn Thing@Fn", fails: "Thing"}}, "",
			[]string{"Create Sibling: 2/Fn", "Create Thing: 2/Fn", "Delete Thing: 2/Fn", "Delete Sibling: 2/Fn"}},
		"added behind a topic, and rolled back": {
			[]revision{{declares: "Fn"}, {declares: "Fn News>Fn Thing@News", fails: "Thing"}}, "",
			[]string{"Create Thing: 2/Fn", "Delete Thing: 1/Fn"}},
		"added with its topic, and rolled back": {
			[]revision{{declares: "Topic"}, {declares: "Topic Fn News>Fn Thing@News", fails: "Thing"}}, "",
			[]string{"Create Thing: 2/Fn", "Delete Thing: 2/Fn"}},
		"removed": {
			[]revision{{declares: "Topic Fn Thing@Fn"}, {declares: "Topic"}}, "",
			[]string{"Create Thing: 1/Fn", "Delete Thing: 1/Fn"}},
		"removed, and rolled back": {
			[]revision{{declares: "Topic Fn Thing@Fn"}, {declares: "Topic Fm Other@Fm", fails: "Other"}}, deletion,
			[]string{"Create Thing: 1/Fn", "Create Other: 2/Fm", "Delete Other: 2/Fm", "Delete Thing: 1/Fn"}},
		"renamed": {
			[]revision{{declares: "Fn Thing@Fn"}, {declares: "Fm Other@Fm"}}, deletion,
			[]string{"Create Thing: 1/Fn", "Create Other: 2/Fm", "Delete Thing: 1/Fn", "Delete Other: 2/Fm"}},
		"renamed under a resource that stays": {
			[]revision{{declares: "Fn Thing@Fn"}, {declares: "Fm Thing@Fm:other"}}, deletion,
			[]string{"Create Thing: 1/Fn", "Delete Thing: 1/Fn"}},
		"its code changed in place": {
			[]revision{{declares: "Fn Thing@Fn"}, {declares: "Fn Thing@Fn:other Other@Fn"}}, "",
			[]string{"Create Thing: 1/Fn", "Update Thing: 2/Fn", "Create Other: 2/Fn", "Delete Thing: 2/Fn"}},
		"its code changed in place, and back": {
			[]revision{{declares: "Fn Thing@Fn"}, {declares: "Fn Thing@Fn:other Other@Fn", fails: "Other"}}, deletion,
			[]string{"Create Thing: 1/Fn", "Update Thing: 2/Fn", "Create Other: 2/Fn", "Update Thing: 1/Fn", "Delete Other: 1/Fn", "Delete Thing: 1/Fn", "Delete Thing: 1/Fn"}},
		"replaced": {
			[]revision{{declares: "Fn Thing@Fn"}, {declares: "Fn=new Other@Fn"}}, deletion,
			[]string{"Create Thing: 1/Fn", "Create Other: 2/Fn", "Delete Thing: 1/Fn", "Delete Other: 2/Fn"}},
		"replaced, and back": {
			[]revision{{declares: "Fn Thing@Fn"}, {declares: "Fn=new Other@Fn", fails: "Other"}}, deletion,
			[]string{"Create Thing: 1/Fn", "Create Other: 2/Fn", "Delete Other: 2/Fn", "Delete Thing: 1/Fn"}},
		"left alone by two more deployments": {
			[]revision{{declares: "Fn Thing@Fn"}, {declares: "Fn Thing@Fn Topic"}, {declares: "Fn Thing@Fn Other@Fn", fails: "Other"}}, deletion,
			[]string{"Create Thing: 1/Fn", "Create Other: 3/Fn", "Delete Other: 2/Fn", "Delete Thing: 2/Fn"}},
		"added and kept, and removed": {
			[]revision{{declares: "Topic"}, {declares: "Topic Fn Thing@Fn", fails: "Thing", keeps: true}, {declares: "Topic", keeps: true}}, "",
			[]string{"Create Thing: 2/Fn", "Delete Thing: 2/Fn"}},
		"added and kept, and rolled back": {
			[]revision{{declares: "Topic"}, {declares: "Topic Fn Thing@Fn", fails: "Thing", keeps: true}}, leadBack,
			[]string{"Create Thing: 2/Fn", "Delete Thing: 2/Fn"}},
		"added within a nested stack, and rolled back": {
			[]revision{{declares: "Child(Topic)"}, {declares: "Child(Topic Fn Sibling@Fn Thing@Fn)", fails: "Thing"}}, "",
			[]string{"Create Sibling: 2/Child.Fn", "Create Thing: 2/Child.Fn", "Delete Thing: 2/Child.Fn", "Delete Sibling: 2/Child.Fn"}},
		"added with a nested stack, and rolled back": {
			[]revision{{declares: "Topic"}, {declares: "Topic Child(Fn Thing@Fn)", fails: "Thing"}}, "",
			[]string{"Create Thing: 2/Child.Fn", "Delete Thing: 2/Child.Fn"}},
		"removed within a nested stack": {
			[]revision{{declares: "Child(Topic Fn Thing@Fn)"}, {declares: "Child(Topic)"}}, "",
			[]string{"Create Thing: 1/Child.Fn", "Delete Thing: 1/Child.Fn"}},
		"removed with a nested stack": {
			[]revision{{declares: "Topic Child(Fn Thing@Fn)"}, {declares: "Topic"}}, "",
			[]string{"Create Thing: 1/Child.Fn", "Delete Thing: 1/Child.Fn"}},
		"its code changed in a nested stack, and back": {
			[]revision{{declares: "Child(Fn Thing@Fn)"}, {declares: "Child(Fn Thing@Fn:other Other@Fn)", fails: "Other"}}, "",
			[]string{"Create Thing: 1/Child.Fn", "Update Thing: 2/Child.Fn", "Create Other: 2/Child.Fn", "Update Thing: 1/Child.Fn", "Delete Other: 1/Child.Fn", "Delete Thing: 1/Child.Fn"}},
	} {
		for _, killed := range []bool{false, true} {
			p := &player{t: t, home: home(t), dir: t.TempDir(), killed: killed}
			p.record = record.New("shop", engine.Options{Seed: 1, Region: "us-east-1", Account: "123456789012"}, nil)
			for _, r := range c.revisions {
				p.deploy(r)
			}
			switch c.then {
			case deletion:
				p.operate(func(m *engine.Machine) error { return m.Delete(p.now, nil, false) })
			case leadBack:
				p.operate(func(m *engine.Machine) error { return m.Rollback(p.now, false) })
			}
			if diff := cmp.Diff(c.want, p.asked); diff != "" {
				t.Errorf("%s, killed at each request: %v (-want +got):\n%s", name, killed, diff)
			}
		}
	}
}

// A player plays deployments, and notes who is asked.
type player struct {
	t      *testing.T
	home   *Home // without other stacks
	dir    string
	record *record.Record
	now    time.Time
	fails  string
	killed bool // after each request: what was saved goes on
	asked  []string
}

func (p *player) deploy(r revision) {
	p.t.Helper()
	p.fails = r.fails
	rev := &record.Revision{Number: p.record.Stack.Revisions + 1, File: filepath.Join(p.dir, "t.yaml"), Dir: p.dir, Files: map[string]string{}}
	rev.Body = p.template(rev, r.declares)
	p.record.Next = rev
	plan, err := rev.Plan(p.record.Stack)
	if err != nil {
		p.t.Fatal(err)
	}
	p.operate(func(m *engine.Machine) error {
		change := engine.Deployment{Template: &plan.Template, DisableRollback: r.keeps}
		if p.record.Stack.Status == "" {
			return m.Create(p.now, change)
		}
		return m.Update(p.now, change)
	})
}

// template writes what a revision declares.
func (p *player) template(rev *record.Revision, declares string) string {
	resources := map[string]any{}
	add := func(id, typ string, properties map[string]any) {
		resources[id] = map[string]any{"Type": typ, "Properties": properties}
	}
	former := ""
	for len(declares) > 0 {
		word, rest, _ := strings.Cut(declares, " ")
		if id, _, nested := strings.Cut(word, "("); nested {
			body, after, _ := strings.Cut(declares[len(id)+1:], ")")
			rev.Files[filepath.Join(p.dir, "child.yaml")] = p.template(rev, body)
			add(id, engine.StackType, map[string]any{"TemplateURL": "child.yaml"})
			declares = strings.TrimPrefix(after, " ")
			continue
		}
		declares = rest
		id, of, custom := strings.Cut(word, "@")
		topic, listener, listens := strings.Cut(word, ">")
		fn, named, _ := strings.Cut(word, "=")
		switch {
		case custom:
			of, physical, _ := strings.Cut(of, ":")
			token := map[string]any{"Fn::GetAtt": []string{of, "Arn"}}
			if of == "News" {
				token = map[string]any{"Ref": of}
			}
			add(id, "Custom::Thing", map[string]any{"ServiceToken": token, "Id": physical})
			if former != "" {
				resources[id].(map[string]any)["DependsOn"] = former
			}
			former = id
		case listens:
			add(topic, "AWS::SNS::Topic", map[string]any{"Subscription": []any{map[string]any{"Protocol": "lambda", "Endpoint": map[string]any{"Fn::GetAtt": []string{listener, "Arn"}}}}})
		case word == "Topic":
			add(word, "AWS::SNS::Topic", map[string]any{})
		default:
			properties := map[string]any{"Handler": "x", "Runtime": "provided.al2023", "Role": "r", "Code": map[string]any{"S3Bucket": "b", "S3Key": "k"}}
			if named != "" {
				properties["FunctionName"] = named
			}
			add(fn, functionType, properties)
		}
	}
	body, err := json.Marshal(map[string]any{"Resources": resources})
	if err != nil {
		p.t.Fatal(err)
	}
	return string(body)
}

// operate starts an operation, and answers what it asks for until it ends.
func (p *player) operate(start func(*engine.Machine) error) {
	p.t.Helper()
	m := p.machine()
	if err := start(m); err != nil {
		p.t.Fatal(err)
	}
	for range 100 {
		p.record.DropRevisions()
		m.Take()
		waits := m.Pending()
		if len(waits) == 0 {
			break
		}
		q := waits[0]
		p.asked = append(p.asked, q.RequestType+" "+q.LogicalID+": "+p.program(q.ServiceToken))
		if p.killed {
			m = p.machine()
		}
		p.now = p.now.Add(time.Second)
		m.Answer(p.now, q.RequestID, p.answer(q))
	}
	if !p.record.Stack.AtRest() {
		p.t.Fatalf("the stack stays in %s", p.record.Stack.Status)
	}
}

// machine is that of what was saved, and of nothing else.
func (p *player) machine() *engine.Machine {
	p.t.Helper()
	saved, err := json.Marshal(p.record)
	if err != nil {
		p.t.Fatal(err)
	}
	p.record = &record.Record{}
	if err := json.Unmarshal(saved, p.record); err != nil {
		p.t.Fatal(err)
	}
	m, err := p.record.Machine()
	if err != nil {
		p.t.Fatal(err)
	}
	return m
}

// program says who is asked: the revision's program of a function, which has one in
// each deployment that is kept.
func (p *player) program(token string) string {
	p.record.Programs = map[int]map[string]string{}
	for revision := range p.record.Revisions {
		p.record.Programs[revision] = map[string]string{}
		for _, f := range []string{"Fn", "Fm", "Child.Fn"} {
			p.record.Programs[revision][f] = fmt.Sprint(revision, "/", f)
		}
	}
	found := newOperation(p.home, p.record, nil, Settings{}).providerOf(token)
	if found.reason != "" || len(found.functions) == 0 {
		return "nobody: " + found.reason
	}
	return found.functions[0].Command[0]
}

func (p *player) answer(q *engine.Request) []byte {
	a := map[string]string{"Status": "SUCCESS", "PhysicalResourceId": q.LogicalID, "StackId": q.StackID, "RequestId": q.RequestID, "LogicalResourceId": q.LogicalID}
	if id, _ := q.Properties.Map()["Id"].(string); id != "" {
		a["PhysicalResourceId"] = id
	}
	if q.RequestType == "Delete" {
		a["PhysicalResourceId"] = q.PhysicalID
	} else if q.LogicalID == p.fails {
		a["Status"], a["Reason"] = "FAILED", "as it is to be"
	}
	body, err := json.Marshal(a)
	if err != nil {
		p.t.Fatal(err)
	}
	return body
}
