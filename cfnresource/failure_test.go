package cfnresource_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// Only codes are acted on. Whoever returns a client's error as it is learns from the
// log why one 429 failed the deployment.
func TestWarningOfAnErrorWithoutACode(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
		want bool
	}{
		{"a status", errors.New("hub: PUT /topics: status 429"), true},
		{"a status in a sentence", errors.New("the API answered 503."), false}, // "503." could be a number's beginning
		{"a status's text", errors.New("Service Unavailable"), true},
		{"a throttled call", errors.New("ThrottlingException: Rate exceeded"), true},
		{"a connection", errors.New("read tcp 10.0.0.1:443: connection reset by peer"), true},
		{"another number", errors.New("topic 4290 is not there"), false},
		{"an ID", errors.New("no topic 7b-429-e1"), false},
		{"another error", errors.New("the name is taken"), false},
		{"one with a code", cfnresource.Errorf(cfnresource.CodeInvalidRequest, "status 429"), false},
	} {
		subtest(t, tc.name, func(t *testing.T) {
			h := &fake{onCreate: func(context.Context, *create) (data, error) { return nil, tc.err }}
			option, log := logged()
			invoke(t, dispatcher(h, option), created(nil))
			if got := strings.Contains(log.String(), "without a code"); got != tc.want {
				t.Errorf("warned: %t, want %t: %s", got, tc.want, log)
			}
		})
	}
}
