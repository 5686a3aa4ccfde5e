package cfntest_test

import (
	"encoding/json"
	"testing"

	"github.com/cfnresource/sdk-go/cfntest"
)

// Every answer is either refused or read unchanged.
func FuzzAnswer(f *testing.F) {
	const event = `{"RequestType":"Create","StackId":"s","RequestId":"r","LogicalResourceId":"l"}`
	const good = `{"Status":"SUCCESS","PhysicalResourceId":"p","StackId":"s","RequestId":"r","LogicalResourceId":"l"`
	for _, seed := range []string{
		good + `}`,
		good + `,"NoEcho":true,"Data":{"a":"b","c":["d"]}}`,
		good + `,"Status":"FAILED","Reason":"why"}`,
		good + `,"status":null}`,
		good + `}{}`,
		`null`, `[]`, ``, `{"Status"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var got cfntest.Response
		refused := try(t, func(t *fakeT) { got = cfntest.Invoke(t, sends{[][]byte{body}, nil}, []byte(event)) })
		if refused != "" {
			return
		}
		var want struct {
			Status             string `json:"Status"`
			Reason             string `json:"Reason"`
			PhysicalResourceID string `json:"PhysicalResourceId"`
		}
		if err := json.Unmarshal(body, &want); err != nil {
			t.Fatalf("accepted what is not JSON: %v", err)
		}
		if got.Status != want.Status || got.Reason != want.Reason || got.PhysicalResourceID != want.PhysicalResourceID {
			t.Errorf("read as %+v, want %+v", got, want)
		}
		if len(body) > 4096 || got.PhysicalResourceID == "" || got.Status == "FAILED" && got.Reason == "" {
			t.Errorf("accepted %d bytes, %+v", len(body), got)
		}
	})
}
