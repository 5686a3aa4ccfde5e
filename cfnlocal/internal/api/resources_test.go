package api

import (
	"encoding/xml"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// described is a resource as DescribeStackResource shows it: "STATUS ID", or the refusal.
func described(t *testing.T, source Reader, stack, id string) string {
	t.Helper()
	r := ask(source, form("Action", "DescribeStackResource", "StackName", stack, "LogicalResourceId", id))
	if what := refused(t, r); what != "" {
		return what
	}
	var d struct {
		Status string `xml:"DescribeStackResourceResult>StackResourceDetail>ResourceStatus"`
		ID     string `xml:"DescribeStackResourceResult>StackResourceDetail>PhysicalResourceId"`
	}
	if err := xml.Unmarshal(r.Body.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	return d.Status + " " + d.ID
}

// TestResourceDuringItsRequest: what a handler finds that asks about the very resource that it is
// asked about. In the cleanup, that tells a replaced resource from a removed one.
func TestResourceDuringItsRequest(t *testing.T) {
	w := newWorld(t, "shop")
	var seen []string
	w.asked = func(r *engine.Request) {
		s := w.player.Machine.Stack()
		seen = append(seen, fmt.Sprintf("%s, %s of %s %s: %s", s.Status, r.RequestType, r.LogicalID, r.PhysicalID, described(t, w.source(), s.ID, r.LogicalID)))
	}
	w.deploy(thing("A", "Id", "a1"), thing("B", "Id", "b1"))
	w.deploy(thing("A", "Id", "a2"), thing("C", "Id", "c1"))
	w.deploy(thing("A", "Id", "a2", "Fail", "Update"), thing("C", "Id", "c2"), thing("D", "Id", "d1"))
	w.run(func(m *engine.Machine, now time.Time) error { return m.Delete(now, nil, false) })
	want := []string{
		"CREATE_IN_PROGRESS, Create of A : CREATE_IN_PROGRESS ",
		"CREATE_IN_PROGRESS, Create of B : CREATE_IN_PROGRESS ",
		"UPDATE_IN_PROGRESS, Update of A a1: UPDATE_IN_PROGRESS a1",
		"UPDATE_IN_PROGRESS, Create of C : CREATE_IN_PROGRESS ",
		"UPDATE_COMPLETE_CLEANUP_IN_PROGRESS, Delete of B b1: DELETE_IN_PROGRESS b1", // removed
		"UPDATE_COMPLETE_CLEANUP_IN_PROGRESS, Delete of A a1: UPDATE_COMPLETE a2",    // replaced
		"UPDATE_IN_PROGRESS, Update of A a2: UPDATE_IN_PROGRESS a2",
		"UPDATE_IN_PROGRESS, Update of C c1: UPDATE_IN_PROGRESS c1",
		"UPDATE_IN_PROGRESS, Create of D : CREATE_IN_PROGRESS ",
		"UPDATE_ROLLBACK_IN_PROGRESS, Update of A a2: UPDATE_IN_PROGRESS a2",
		"UPDATE_ROLLBACK_IN_PROGRESS, Update of C c1: UPDATE_IN_PROGRESS c1",
		"UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS, Delete of D shop-D-OUL3W6RTE37LM: DELETE_IN_PROGRESS shop-D-OUL3W6RTE37LM",
		"DELETE_IN_PROGRESS, Delete of C c1: DELETE_IN_PROGRESS c1",
		"DELETE_IN_PROGRESS, Delete of A a2: DELETE_IN_PROGRESS a2",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestResourcesThatAreGone: one that was removed is not there any more once the
// cleanup is over; those of a deleted stack are.
func TestResourcesThatAreGone(t *testing.T) {
	w := newWorld(t, "shop")
	w.deploy(thing("A", "Id", "a"), thing("B", "Id", "b"))
	w.deploy(thing("A", "Id", "a"))
	if got, want := described(t, w.source(), "shop", "B"), "ValidationError: Resource B does not exist for stack shop"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	w.run(func(m *engine.Machine, now time.Time) error { return m.Delete(now, nil, false) })
	if got, want := described(t, w.source(), w.player.Machine.Stack().ID, "A"), "DELETE_COMPLETE a"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestResourcesByPhysicalID: the stack that has it, with all of its resources,
// but a hundred at most.
func TestResourcesByPhysicalID(t *testing.T) {
	w := newWorld(t, "shop")
	var resources []engine.Resource
	for i := range 120 {
		resources = append(resources, thing(fmt.Sprintf("R%d", i), "Id", fmt.Sprintf("id-%d", i)))
	}
	w.deploy(resources...)
	var d struct {
		IDs []string `xml:"DescribeStackResourcesResult>StackResources>member>PhysicalResourceId"`
	}
	r := ask(w.source(), form("Action", "DescribeStackResources", "PhysicalResourceId", "id-110"))
	if err := xml.Unmarshal(r.Body.Bytes(), &d); err != nil || len(d.IDs) != 100 || d.IDs[99] != "id-99" {
		t.Errorf("%v: %d resources", err, len(d.IDs))
	}
	d.IDs = nil
	r = ask(w.source(), form("Action", "DescribeStackResources", "PhysicalResourceId", "id-110", "LogicalResourceId", "R110"))
	if err := xml.Unmarshal(r.Body.Bytes(), &d); err != nil || len(d.IDs) != 1 || d.IDs[0] != "id-110" {
		t.Errorf("%v: %v", err, d.IDs)
	}
}

// TestRequiredMembers: at every step of a stack's life, its own description and
// those of its resources have what the API requires, times above all.
func TestRequiredMembers(t *testing.T) {
	w := newWorld(t, "shop")
	steps := 0
	look := func() {
		source := w.source()
		s := source["shop"]
		if s.Status == "" {
			return
		}
		steps++
		if created, _, _ := s.times(); created == (timestamp{}) {
			t.Errorf("%s: no CreationTime", s.Status)
		}
		for _, r := range s.rows() {
			if r.LastUpdatedTimestamp == (timestamp{}) || r.ResourceType == "" || r.ResourceStatus == "" {
				t.Errorf("%s: %+v", s.Status, r)
			}
		}
	}
	w.asked = func(q *engine.Request) {
		look()
		// By the two, a handler tells a request of an earlier operation.
		if _, updated, _ := w.source()["shop"].times(); time.Time(updated).After(q.SentAt) {
			t.Errorf("the %s of %s was sent %v before LastUpdatedTime", q.RequestType, q.LogicalID, time.Time(updated).Sub(q.SentAt))
		}
	}
	w.player.AfterStep = look
	nested := engine.Resource{LogicalID: "shop", Type: engine.StackType, Properties: func(engine.Refs) (map[string]any, error) { return map[string]any{}, nil }}
	w.deploy(thing("A", "Id", "a1"), thing("B", "Id", "b1"), nested)
	w.deploy(thing("A", "Id", "a2"), thing("C", "Id", "c1"), nested)
	w.deploy(thing("A", "Id", "a3"), thing("C", "Id", "c2", "Fail", "Update"), thing("D", "Id", "d1"))
	w.run(func(m *engine.Machine, now time.Time) error {
		d := engine.Deployment{Template: &engine.Template{Resources: []engine.Resource{thing("A", "Id", "a4"), thing("E", "Id", "e", "Fail", "Create")}}, DisableRollback: true}
		return m.Update(now, d)
	})
	w.run(func(m *engine.Machine, now time.Time) error { return m.Rollback(now, false) })
	w.run(func(m *engine.Machine, now time.Time) error { return m.Delete(now, nil, false) })
	look()
	if steps < 20 {
		t.Errorf("only %d steps", steps)
	}
}

// rowsOf asks for all pages, and returns the rows and how many there are on each page.
func rowsOf(t *testing.T, source Reader, values url.Values, between func()) (names []string, sizes []int) {
	t.Helper()
	for len(sizes) < 10 {
		r := ask(source, values)
		if what := refused(t, r); what != "" {
			t.Fatal(what)
		}
		// The rows of the page, and the token of the next.
		token := ""
		size := 0
		d := xml.NewDecoder(r.Body)
		for {
			part, err := d.Token()
			if err != nil {
				break
			}
			start, ok := part.(xml.StartElement)
			if !ok {
				continue
			}
			var text string
			switch start.Name.Local {
			case "NextToken":
				_ = d.DecodeElement(&token, &start)
			case "LogicalResourceId":
				if values.Get("Action") == "ListStackResources" {
					_ = d.DecodeElement(&text, &start)
					names = append(names, text)
					size++
				}
			case "EventId", "StackName":
				_ = d.DecodeElement(&text, &start)
				if start.Name.Local == "EventId" || values.Get("Action") != "DescribeStackEvents" {
					names = append(names, text)
					size++
				}
			}
		}
		sizes = append(sizes, size)
		if token == "" {
			return names, sizes
		}
		values.Set("NextToken", token)
		if between != nil {
			between()
		}
	}
	t.Fatal("the pages have no end")
	return nil, nil
}

// TestPagesOfEvents: a hundred each, the newest first, and no row twice or not
// at all, also when rows come meanwhile.
func TestPagesOfEvents(t *testing.T) {
	w := newWorld(t, "shop")
	var resources []engine.Resource
	for i := range 80 {
		resources = append(resources, thing(fmt.Sprintf("R%d", i), "Id", "x"))
	}
	w.deploy(resources...)
	var want []string
	for _, e := range slices.Backward(w.player.Machine.Stack().Events) {
		want = append(want, e.EventId)
	}
	got, sizes := rowsOf(t, w.source(), form("Action", "DescribeStackEvents", "StackName", "shop"), func() {
		w.deploy(append(resources, thing(fmt.Sprintf("N%d", len(w.player.Machine.Stack().Events)), "Id", "x"))...)
	})
	if !slices.Equal(got, want) || !slices.Equal(sizes, []int{100, 100, 42}) {
		t.Errorf("pages of %v rows; want %d rows, got %d", sizes, len(want), len(got))
	}
}

// TestPagesOfResources: a hundred each, in the template's order.
func TestPagesOfResources(t *testing.T) {
	w := newWorld(t, "shop")
	var resources []engine.Resource
	var want []string
	for i := range 230 {
		want = append(want, fmt.Sprintf("R%d", i))
		resources = append(resources, thing(want[i], "Id", "x"))
	}
	w.deploy(resources...)
	got, sizes := rowsOf(t, w.source(), form("Action", "ListStackResources", "StackName", "shop"), nil)
	if !slices.Equal(got, want) || !slices.Equal(sizes, []int{100, 100, 30}) {
		t.Errorf("pages of %v rows: %v", sizes, got)
	}
}

// TestPagesOfStacks: DescribeStacks leaves deleted ones out, ListStacks has them
// too, or those that the filter names.
func TestPagesOfStacks(t *testing.T) {
	source := stacks{}
	for i := range 230 {
		status := "CREATE_COMPLETE"
		if i%10 == 0 {
			status = "DELETE_COMPLETE"
		}
		name := fmt.Sprintf("s%03d", i)
		source[name] = &Stack{Stack: &engine.Stack{Name: name, Status: status}}
	}
	source["s-new"] = &Stack{Stack: &engine.Stack{Name: "s-new"}} // nothing has been asked of it
	for _, test := range []struct {
		values url.Values
		sizes  []int
	}{
		{form("Action", "DescribeStacks"), []int{100, 100, 7}},
		{form("Action", "ListStacks"), []int{100, 100, 30}},
		{form("Action", "ListStacks", "StackStatusFilter.member.1", "DELETE_COMPLETE"), []int{23}},
		{form("Action", "ListStacks", "StackStatusFilter.member.1", "UPDATE_COMPLETE", "StackStatusFilter.member.2", "CREATE_COMPLETE"), []int{100, 100, 7}},
	} {
		names, sizes := rowsOf(t, source, test.values, nil)
		if !slices.Equal(sizes, test.sizes) || !slices.IsSorted(names) || len(slices.Compact(names)) != len(names) {
			t.Errorf("%v: pages of %v rows, want %v", test.values, sizes, test.sizes)
		}
	}
}

// TestTokensAreOfOneList: a token of another action, of another stack, or made up, is none.
func TestTokensAreOfOneList(t *testing.T) {
	w := newWorld(t, "shop")
	w.deploy(thing("A", "Id", "one"))
	source := w.source()
	of := func(action, subject, place string) string {
		return (&call{request: &request{values: form("Action", action)}}).token(subject, place)
	}
	for _, token := range []string{
		of("DescribeStacks", "", "a"), of("DescribeStackEvents", "arn:other", "1"), of("DescribeStackEvents", source["shop"].ID, "99"),
		of("DescribeStackEvents", source["shop"].ID, "0"), of("DescribeStackEvents", source["shop"].ID, "-1"), of("DescribeStackEvents", source["shop"].ID, "x"), of("DescribeStackEvents", source["shop"].ID, ""),
	} {
		r := ask(source, form("Action", "DescribeStackEvents", "StackName", "shop", "NextToken", token))
		if got := refused(t, r); !strings.HasSuffix(got, "is not a valid NextToken") {
			t.Errorf("%d %s", r.Code, got)
		}
	}
}
