package cfntest_test

import (
	"testing"

	"github.com/cfnresource/sdk-go/cfntest"
)

// What is wrong with an answer is told in one order, so that a story is the same in each run.
func TestWhatIsWrongWithAnAnswerIsToldInOneOrder(t *testing.T) {
	const event = `{"RequestType":"Create","StackId":"s","RequestId":"r","LogicalResourceId":"l"}`
	const body = `{"Status":"SUCCESS","PhysicalResourceId":"p","A":1,"B":2,"C":null,"D":4,"Data":{"a":1,"b":null,"c":{},"d":4}}`
	first := ""
	for i := range 30 {
		told := try(t, func(t *fakeT) { cfntest.Invoke(t, sends{[][]byte{[]byte(body)}, nil}, []byte(event)) })
		if i == 0 {
			first = told
		}
		if told == "" || told != first {
			t.Fatalf("at first\n%s\nand then\n%s", first, told)
		}
	}
}
