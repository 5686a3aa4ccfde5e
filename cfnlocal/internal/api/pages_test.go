package query

import (
	"encoding/xml"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// rowsOf asks for all pages, and returns the rows and how many there are on each page.
func rowsOf(t *testing.T, source Source, values url.Values, between func()) (names []string, sizes []int) {
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
