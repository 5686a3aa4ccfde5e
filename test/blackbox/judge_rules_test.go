package blackbox

import (
	"strings"
	"testing"
)

// A judge that accepts everything would find every answer good.
func TestJudge(t *testing.T) {
	create := event{request: "Create"}.deliver(0, "us-west-2", nil)
	remove := event{request: "Delete", physical: "id-1"}.deliver(1, "us-west-2", nil)
	body := func(d *delivery, fields string) string {
		return `{"StackId":"` + d.stackID + `","RequestId":"` + d.id + `","LogicalResourceId":"` + d.logical + `",` + fields + `}`
	}
	good := `"Status":"SUCCESS","PhysicalResourceId":"id-1"`
	failed := `"Status":"FAILED","PhysicalResourceId":"id-1"`
	pad := func(n int) string {
		s := body(create, failed+`,"Reason":"`)
		return s + strings.Repeat("x", n-len(s)-2) + `"}`
	}
	for _, c := range []struct {
		name   string
		to     *delivery
		bodies []string
		want   string // in one of the faults; "" is none
	}{
		{"success", create, []string{body(create, good)}, ""},
		{"success with data", create, []string{body(create, good+`,"NoEcho":true,"Data":{"a.b":"c","l":["d"]}`)}, ""},
		{"failure", create, []string{body(create, failed+`,"Reason":"no"`)}, ""},
		{"success of a delete", remove, []string{body(remove, good)}, ""},
		{"4096 bytes", create, []string{pad(4096)}, ""},
		{"sent twice", create, []string{body(create, good), body(create, good)}, ""},

		{"4097 bytes", create, []string{pad(4097)}, "too long"},
		{"two answers", create, []string{body(create, good), body(create, failed+`,"Reason":"no"`)}, "differs"},
		{"not UTF-8", create, []string{body(create, failed+",\"Reason\":\"\xff\"")}, "UTF-8"},
		{"not JSON", create, []string{"SUCCESS"}, "not a JSON object"},
		{"not an object", create, []string{`["SUCCESS"]`}, "not a JSON object"},
		{"cut", create, []string{strings.TrimSuffix(body(create, good), "}")}, "not a JSON object"},
		{"more after it", create, []string{body(create, good) + "{}"}, "more after"},
		{"no status", create, []string{body(create, `"PhysicalResourceId":"id-1"`)}, "ResponseStatus"},
		{"another status", create, []string{body(create, `"Status":"FAILURE","PhysicalResourceId":"id-1"`)}, "ResponseStatus"},
		{"no reason", create, []string{body(create, failed)}, "without a Reason"},
		{"blank reason", create, []string{body(create, failed+`,"Reason":" "`)}, "without a Reason"},
		{"reason with an escape", create, []string{body(create, failed+`,"Reason":"\u001b[31m"`)}, "control"},
		{"reason with a line break", create, []string{body(create, failed+`,"Reason":"a\nb"`)}, "one line"},
		{"no ID", create, []string{body(create, `"Status":"SUCCESS"`)}, "Invalid PhysicalResourceId"},
		{"empty ID", create, []string{body(create, `"Status":"SUCCESS","PhysicalResourceId":""`)}, "Invalid PhysicalResourceId"},
		{"null ID", create, []string{body(create, `"Status":"SUCCESS","PhysicalResourceId":null`)}, "type String"},
		{"ID a number", create, []string{body(create, `"Status":"SUCCESS","PhysicalResourceId":7`)}, "type String"},
		{"ID of 1025 bytes", create, []string{body(create, `"Status":"SUCCESS","PhysicalResourceId":"`+strings.Repeat("i", 1025)+`"`)}, "Invalid PhysicalResourceId"},
		{"ID with a control character", create, []string{body(create, `"Status":"SUCCESS","PhysicalResourceId":"a\tb"`)}, "control"},
		{"another request", create, []string{strings.Replace(body(create, good), create.id, remove.id, 1)}, "RequestId"},
		{"another stack", create, []string{strings.Replace(body(create, good), "my-stack", "your-stack", 1)}, "StackId"},
		{"another resource", create, []string{strings.Replace(body(create, good), `"Thing"`, `"thing"`, 1)}, "LogicalResourceId"},
		{"data is a list", create, []string{body(create, good+`,"Data":["a"]`)}, "not an object"},
		{"data is nested", create, []string{body(create, good+`,"Data":{"a":{"b":1}}`)}, "cannot read"},
		{"data on a delete", remove, []string{body(remove, good+`,"Data":{}`)}, "Data in the answer to a Delete"},
		{"NoEcho is a string", create, []string{body(create, good+`,"NoEcho":"true"`)}, "NoEcho"},
		{"unknown field", create, []string{body(create, good+`,"PhysicalResourceID":"b"`)}, "no field"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, faults := judge(c.to, c.bodies)
			if c.want == "" && len(faults) > 0 || c.want != "" && !strings.Contains(strings.Join(faults, "\n"), c.want) {
				t.Errorf("faults %q, want %q", faults, c.want)
			}
		})
	}

	update := event{request: "Update", physical: "id-1"}.deliver(2, "us-west-2", nil)
	for _, c := range []struct {
		name     string
		to       *delivery
		id       string
		replaces bool
		want     bool
	}{
		{"a create's ID is free", create, "id-2", false, false},
		{"an update keeps its ID", update, "id-1", false, false},
		{"an update changes its ID", update, "id-2", false, true},
		{"a replacement changes its ID", update, "id-2", true, false},
		{"a delete changes its ID", remove, "id-2", false, true},
	} {
		if got := changed(c.to, answer{PhysicalResourceId: c.id}, c.replaces); got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
	}
}
