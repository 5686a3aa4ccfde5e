package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var asked = &Request{RequestType: "Update", RequestID: "r", StackID: "s", LogicalID: "L", PhysicalID: "A"}

// TestJudge: each text is what CloudFormation shows, where one is known.
func TestJudge(t *testing.T) {
	const ids = `"StackId":"s","RequestId":"r","LogicalResourceId":"L"`
	ok := func(extra string) string {
		return `{"Status":"SUCCESS","PhysicalResourceId":"A",` + ids + extra + `}`
	}
	deleting := &Request{RequestType: "Delete", RequestID: "r", StackID: "s", LogicalID: "L", PhysicalID: "A"}
	exact := func(n int) string { return ok(`,"Reason":"` + strings.Repeat("x", n-len(ok(`,"Reason":""`))) + `"`) }
	for _, test := range []struct {
		name    string
		request *Request
		body    string
		outcome Outcome
		reason  string
	}{
		{"success", asked, ok(""), Succeeded, ""},
		{"another ID on Update", asked, strings.Replace(ok(""), `"A"`, `"B"`, 1), Succeeded, ""},
		{"another ID on Delete", deleting, strings.Replace(ok(""), `"A"`, `"B"`, 1), Rejected, "Invalid PhysicalResourceId"},
		{"unknown fields are ignored", asked, ok(`,"Extra":{"a":1}`), Succeeded, ""},
		{"4096 bytes", asked, exact(4096), Succeeded, ""},
		{"4097 bytes", asked, exact(4097), Rejected, "Response object is too long."},
		{"no JSON", asked, "ok", Rejected, "Response is not valid JSON"},
		{"nothing", asked, "", Rejected, "Response is not valid JSON"},
		{"null", asked, "null", Rejected, "Invalid Response object: not a JSON object"},
		{"no status", asked, "{}", Rejected, "Invalid Response object: 'null' is not a valid ResponseStatus"},
		{"lower-case status", asked, strings.Replace(ok(""), "SUCCESS", "success", 1), Rejected, "Invalid Response object: 'success' is not a valid ResponseStatus"},
		{"names are exact", asked, strings.Replace(ok(""), "Status", "status", 1), Rejected, "Invalid Response object: 'null' is not a valid ResponseStatus"},
		{"empty ID", asked, strings.Replace(ok(""), `"A"`, `""`, 1), Rejected, "Invalid PhysicalResourceId"},
		{"ID of 1024 bytes", asked, strings.Replace(ok(""), `"A"`, `"`+strings.Repeat("a", 1024)+`"`, 1), Succeeded, ""},
		{"ID of 1025 bytes", asked, strings.Replace(ok(""), `"A"`, `"`+strings.Repeat("a", 1025)+`"`, 1), Rejected, "Invalid PhysicalResourceId"},
		{"wrong StackId", asked, strings.Replace(ok(""), `"s"`, `"x"`, 1), Rejected, "Invalid Response object: Value of property StackId does not match the request"},
		{"FAILED", asked, `{"Status":"FAILED","Reason":"why","PhysicalResourceId":"A",` + ids + `}`, Failed, "Received response status [FAILED] from custom resource. Message returned: why (RequestId: r)"},
		{"FAILED without reason", asked, `{"Status":"FAILED","PhysicalResourceId":"A",` + ids + `}`, Failed, "Received response status [FAILED] from custom resource. Message returned:  (RequestId: r)"},
		{"Data that is a list", asked, ok(`,"Data":[1]`), Rejected, "Invalid Response object: Value of property Data must be an object"},
		{"Data that is null", asked, ok(`,"Data":null`), Succeeded, ""},
		{"Data of a Delete is not read", deleting, ok(`,"Data":[1]`), Succeeded, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := customResource{}.judge(test.request, []byte(test.body), &Options{})
			if v.outcome != test.outcome || v.reason != test.reason {
				t.Errorf("%s, %q; want %s, %q", v.outcome, v.reason, test.outcome, test.reason)
			}
		})
	}
}

// FuzzJudge: any body has a verdict, and only what names an ID has one.
func FuzzJudge(f *testing.F) {
	f.Add([]byte(`{"Status":"SUCCESS","PhysicalResourceId":"A","StackId":"s","RequestId":"r","LogicalResourceId":"L","Data":{"a":[1.50]},"NoEcho":true}`))
	f.Add([]byte("\xff{}"))
	f.Fuzz(func(t *testing.T, body []byte) {
		v := customResource{}.judge(asked, body, &Options{})
		if (v.outcome == Rejected) != (v.physicalID == "") || (v.outcome == Succeeded) != (v.reason == "") {
			t.Errorf("%+v", v)
		}
		if len(body) > MaxAnswer && v.outcome != Rejected {
			t.Errorf("%d bytes were accepted", len(body))
		}
	})
}

// TestEvent: the fields of a request, in the order in which CloudFormation has them.
func TestEvent(t *testing.T) {
	r := &Request{RequestType: "Update", RequestID: "r", StackID: "s", LogicalID: "L", Type: "Custom::T", PhysicalID: "A", ServiceToken: "t",
		ServiceTimeout: "30", Properties: `{"a":"<1>"}`, OldProperties: `{}`}
	want := `{"RequestType":"Update","ServiceToken":"t","ServiceTimeout":"30","ResponseURL":"https://u?a=b&c","StackId":"s","RequestId":"r","LogicalResourceId":"L","PhysicalResourceId":"A","ResourceType":"Custom::T","ResourceProperties":{"a":"<1>"},"OldResourceProperties":{}}`
	if diff := cmp.Diff(want, string(r.Event("https://u?a=b&c"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	keys := func(kind string) string {
		var fields map[string]any
		if err := json.Unmarshal((&Request{RequestType: kind, Properties: "{}", OldProperties: "{}"}).Event("u"), &fields); err != nil {
			t.Fatal(err)
		}
		_, id := fields["PhysicalResourceId"]
		_, old := fields["OldResourceProperties"]
		return fmt.Sprint(id, old)
	}
	if got := keys("Create") + keys("Update") + keys("Delete"); got != "false false"+"true true"+"true false" {
		t.Errorf("PhysicalResourceId and OldResourceProperties in Create, Update, Delete: %s", got)
	}
}

// TestMarshalProperties: scalars are strings at every depth, structure and what is empty is kept.
func TestMarshalProperties(t *testing.T) {
	got, err := marshalProperties(map[string]any{"b": true, "i": 14, "f": 1.5, "n": json.Number("1.50"), "e": "", "l": []any{1, []any{}, map[string]any{}}, "m": map[string]any{"x": false}, "q": "a\"<\u2028\x01é"})
	want := Properties(`{"b":"true","e":"","f":"1.5","i":"14","l":["1",[],{}],"m":{"x":"false"},"n":"1.50","q":"a\"<\u2028\u0001é"}`)
	if got != want || err != nil {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	for name, bad := range map[string]any{"null": nil, "a function": func() {}} {
		if _, err := marshalProperties(map[string]any{"x": bad}); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

// FuzzProperties: the one form is read back as itself, and means what was written.
func FuzzProperties(f *testing.F) {
	f.Add([]byte(`{"a":[1,true,"x",{"b":{}}],"é":"\u2028"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var p Properties
		if json.Unmarshal(text, &p) != nil || p == "" {
			return
		}
		if !json.Valid([]byte(p)) {
			t.Fatalf("%q is no JSON", p)
		}
		var again Properties
		if err := json.Unmarshal([]byte(p), &again); err != nil || again != p {
			t.Errorf("%q is read back as %q, %v", p, again, err)
		}
		values, _ := decode([]byte(p))
		m, _ := values.(map[string]any)
		if sent, err := marshalProperties(m); err == nil {
			if twice, err := marshalProperties(sent.Map()); err != nil || twice != sent {
				t.Errorf("stringified twice, %q became %q", sent, twice)
			}
		}
	})
}
