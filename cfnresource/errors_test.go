package cfnresource_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// A code that the table lacks would be refused by package registrytest.
func TestEveryCodeIsKnown(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "errors.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			if value, ok := spec.Values[0].(*ast.BasicLit); ok {
				code, err := strconv.Unquote(value.Value)
				if count++; err != nil || !cfnresource.Code(code).Known() {
					t.Errorf("%s = %s is not in the table: %v", spec.Names[0], value.Value, err)
				}
			}
		}
		return true
	})
	if count == 0 {
		t.Error("errors.go has no codes")
	}
	for _, code := range []cfnresource.Code{"", "notfound", "Surprise"} {
		if code.Known() || code.Transient() {
			t.Errorf("%q is known", code)
		}
	}
}

func TestHTTPStatus(t *testing.T) {
	for status, want := range map[int]cfnresource.Code{
		200: "", 302: "",
		400: cfnresource.CodeInvalidRequest,
		401: cfnresource.CodeInvalidCredentials,
		402: cfnresource.CodeGeneralServiceException,
		403: cfnresource.CodeAccessDenied,
		404: cfnresource.CodeNotFound,
		408: cfnresource.CodeNetworkFailure,
		409: cfnresource.CodeResourceConflict,
		410: cfnresource.CodeNotFound,
		422: cfnresource.CodeInvalidRequest,
		423: cfnresource.CodeResourceConflict,
		429: cfnresource.CodeThrottling,
		500: cfnresource.CodeServiceInternalError,
		503: cfnresource.CodeServiceInternalError,
		507: cfnresource.CodeServiceLimitExceeded,
	} {
		err := cfnresource.HTTPStatus(status, errSome)
		if got := cfnresource.CodeOf(err); got != want || !errors.Is(err, errSome) || err.Error() != errSome.Error() {
			t.Errorf("%d: %q %v, want %q", status, got, err, want)
		}
	}
	taken := cfnresource.AlreadyExists("svc-1")
	if got := cfnresource.HTTPStatus(409, taken); cfnresource.CodeOf(got) != cfnresource.CodeAlreadyExists {
		t.Errorf("409 of what has a code: %q, want the code to stay", cfnresource.CodeOf(got))
	}
	if cfnresource.HTTPStatus(500, nil) != nil {
		t.Error("no error became one")
	}
}

// A call that the service throttles is not tried again before RetryAfter says,
// and not at all if there is no time left then.
func TestRetryAfter(t *testing.T) {
	for _, tt := range []struct {
		name   string
		after  time.Duration
		status string
		takes  time.Duration
	}{
		{"within the time that is left", 20 * time.Second, "SUCCESS", 20 * time.Second},
		{"longer", 28 * time.Second, "FAILED", 0},
		{"much longer", 1 << 62, "FAILED", 0},
	} {
		for _, op := range []string{"Create", "Update", "Delete"} {
			subtest(t, op+" "+tt.name, func(t *testing.T) {
				calls := 0
				busy := func() error {
					if calls++; calls > 1 {
						return nil
					}
					return cfnresource.RetryAfter(cfnresource.HTTPStatus(429, errSome), tt.after)
				}
				h := &fake{
					onCreate: func(context.Context, *create) (data, error) { return nil, busy() },
					onUpdate: func(context.Context, *update) (data, error) { return nil, busy() },
					onDelete: func(context.Context, *del) error { return busy() },
				}
				ev := map[string]payload{"Create": created(nil), "Update": updated("svc-1", "a", "a"), "Delete": deleted("svc-1")}[op]
				start := time.Now()
				if got := invoke(t, dispatcher(h), ev); got.Status != tt.status || time.Since(start) != tt.takes {
					t.Errorf("%s (%s) after %s, want %s after %s", got.Status, got.Reason, time.Since(start), tt.status, tt.takes)
				}
			})
		}
	}
}

func TestRetryAfterKeepsTheError(t *testing.T) {
	if cfnresource.RetryAfter(nil, time.Second) != nil {
		t.Error("no error became one")
	}
	err := cfnresource.RetryAfter(cfnresource.Errorf(cfnresource.CodeThrottling, "slow: %w", errSome), time.Second)
	if cfnresource.CodeOf(err) != cfnresource.CodeThrottling || !errors.Is(err, errSome) || err.Error() != "slow: "+errSome.Error() {
		t.Errorf("%v (%s)", err, cfnresource.CodeOf(err))
	}
}

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
