package answercheck_test

import (
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/answercheck"
)

// A judge that accepts everything would find every answer good.
func TestRead(t *testing.T) {
	create := answercheck.Request{RequestType: "Create", StackID: "arn:aws:cloudformation:us-west-2:123456789012:stack/my-stack/1", RequestID: "r-1", LogicalResourceID: "Thing"}
	remove := create
	remove.RequestType, remove.RequestID, remove.PhysicalResourceID = "Delete", "r-2", "id-1"
	body := func(r answercheck.Request, fields string) string {
		return `{"StackId":"` + r.StackID + `","RequestId":"` + r.RequestID + `","LogicalResourceId":"` + r.LogicalResourceID + `",` + fields + `}`
	}
	good := `"Status":"SUCCESS","PhysicalResourceId":"id-1"`
	failed := `"Status":"FAILED","PhysicalResourceId":"id-1"`
	pad := func(n int) string {
		s := body(create, failed+`,"Reason":"`)
		return s + strings.Repeat("x", n-len(s)-2) + `"}`
	}
	for _, c := range []struct {
		name string
		to   answercheck.Request
		body string
		want string // in its faults; "" is none
	}{
		{"success", create, body(create, good), ""},
		{"success with data", create, body(create, good+`,"NoEcho":true,"Data":{"a.b":"c","l":["d",["e"],{"f":"g"}]}`), ""},
		{"failure", create, body(create, failed+`,"Reason":"no"`), ""},
		{"success of a delete", remove, body(remove, good), ""},
		{"success with white space around it", create, "\n" + body(create, good) + "\n", ""},
		{"4096 bytes", create, pad(4096), ""},
		{"4097 bytes", create, pad(4097), "too long"},
		{"not UTF-8", create, body(create, failed+",\"Reason\":\"\xff\""), "UTF-8"},
		{"not JSON", create, "SUCCESS", "one JSON object"},
		{"not an object", create, `["SUCCESS"]`, "one JSON object"},
		{"null", create, "null", "it is null"},
		{"nothing", create, "", "one JSON object"},
		{"cut", create, strings.TrimSuffix(body(create, good), "}"), "one JSON object"},
		{"more after it", create, body(create, good) + "{}", "follows"},
		{"no status", create, body(create, `"PhysicalResourceId":"id-1"`), "neither SUCCESS nor FAILED"},
		{"another status", create, body(create, `"Status":"FAILURE","PhysicalResourceId":"id-1"`), "neither SUCCESS nor FAILED"},
		{"no reason", create, body(create, failed), "without a Reason"},
		{"blank reason", create, body(create, failed+`,"Reason":" "`), "without a Reason"},
		{"reason with an escape", create, body(create, failed+`,"Reason":"\u001b[31m"`), "control"},
		{"reason with a line break", create, body(create, failed+`,"Reason":"a\nb"`), "control"},
		{"null reason", create, body(create, good+`,"Reason":null`), "its Reason is null"},
		{"no ID", create, body(create, `"Status":"SUCCESS"`), "missing or empty"},
		{"empty ID", create, body(create, `"Status":"SUCCESS","PhysicalResourceId":""`), "missing or empty"},
		{"null ID", create, body(create, `"Status":"SUCCESS","PhysicalResourceId":null`), "its PhysicalResourceId is null"},
		{"ID a number", create, body(create, `"Status":"SUCCESS","PhysicalResourceId":7`), "is not a string"},
		{"ID of 1025 bytes", create, body(create, `"Status":"SUCCESS","PhysicalResourceId":"`+strings.Repeat("i", 1025)+`"`), "has 1025 bytes"},
		{"another ID of a delete", remove, body(remove, `"Status":"SUCCESS","PhysicalResourceId":"id-2"`), "cannot change it"},
		{"ID with a control character", create, body(create, `"Status":"SUCCESS","PhysicalResourceId":"a\tb"`), "control"},
		{"another request", create, strings.Replace(body(create, good), create.RequestID, remove.RequestID, 1), "RequestId"},
		{"another stack", create, strings.Replace(body(create, good), "my-stack", "your-stack", 1), "StackId"},
		{"another resource", create, strings.Replace(body(create, good), `"Thing"`, `"thing"`, 1), "LogicalResourceId"},
		{"data is a list", create, body(create, good+`,"Data":["a"]`), "not an object"},
		{"data is nested", create, body(create, good+`,"Data":{"a":{"b":1}}`), "Fn::GetAtt"},
		{"data has a null", create, body(create, good+`,"Data":{"a":null}`), `null as "a"`},
		{"data has a number", create, body(create, good+`,"Data":{"a":1}`), "as a string"},
		{"data is a list with a number", create, body(create, good+`,"Data":{"l":["a",["b",{"c":1}]]}`), "list"},
		{"data on a delete", remove, body(remove, good+`,"Data":{}`), "Data"},
		{"NoEcho is a string", create, body(create, good+`,"NoEcho":"true"`), "NoEcho"},
		{"unknown field", create, body(create, good+`,"PhysicalResourceID":"b"`), "PhysicalResourceID"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := answercheck.Read(c.to, []byte(c.body))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("its faults are %v, want %q", err, c.want)
			}
		})
	}
}
