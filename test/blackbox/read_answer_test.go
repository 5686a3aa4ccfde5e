package blackbox

import (
	"testing"

	"github.com/cfnresource/sdk-go/internal/answercheck"
)

// These checks need more than one answer: other answers to the request, and the
// physical ID before it.
func TestRead(t *testing.T) {
	create := event{request: "Create"}.deliver(0, "us-west-2", nil)
	body := func(status string) string {
		return `{"StackId":"` + create.stackID + `","RequestId":"` + create.id + `","LogicalResourceId":"` + create.logical +
			`","PhysicalResourceId":"id-1","Status":"` + status + `","Reason":"no"}`
	}
	if _, faults := readAnswer(create, []string{body("SUCCESS"), body("SUCCESS")}); len(faults) > 0 {
		t.Errorf("the same answer twice: %q", faults)
	}
	if _, faults := readAnswer(create, []string{body("SUCCESS"), body("FAILED")}); len(faults) != 1 {
		t.Errorf("two answers: %q", faults)
	}
	if _, faults := readAnswer(create, []string{"SUCCESS"}); len(faults) == 0 {
		t.Error("what is no answer has no fault")
	}

	remove := event{request: "Delete", physicalID: "id-1"}.deliver(1, "us-west-2", nil)
	update := event{request: "Update", physicalID: "id-1"}.deliver(2, "us-west-2", nil)
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
		if got := idChanged(c.to, answercheck.Response{PhysicalResourceID: c.id}, c.replaces); got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
	}
}
