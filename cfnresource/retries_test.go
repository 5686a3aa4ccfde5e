package cfnresource_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// What passes is tried again until the deadline: a rollback meets the request that it overtook.
func TestRetriableCodes(t *testing.T) {
	retriable := []cfnresource.Code{cfnresource.CodeResourceConflict, cfnresource.CodeThrottling, cfnresource.CodeServiceInternalError, cfnresource.CodeNetworkFailure}
	for _, code := range retriable {
		for _, lasting := range []bool{false, true} {
			subtest(t, string(code), func(t *testing.T) {
				fails := func(calls int) error {
					if lasting || calls < 4 {
						return cfnresource.Errorf(code, "busy")
					}
					return nil
				}
				n := 0
				h := &finder{}
				h.onUpdate = func(context.Context, *update) (res data, err error) {
					n++
					return res, fails(n)
				}
				h.onDelete = func(context.Context, *del) error { n++; return fails(n) }
				h.onFind = func(context.Context, *find) (string, error) { n++; return "", fails(n) }
				want := map[bool]string{false: "SUCCESS", true: "FAILED"}[lasting]
				d := dispatcher(h)
				for _, ev := range []payload{updated("svc-1", "a", "a"), deleted("svc-1"), deleted(stable("a"))} {
					n = 0
					if got := invoke(t, d, ev); got.Status != want || n < 4 {
						t.Errorf("%s (%s) after %d calls, want %s after 4 or more", got.Status, got.Reason, n, want)
					}
					if lasting && n > 20 {
						t.Errorf("%d calls in 30 s, want fewer", n)
					}
				}
			})
		}
	}
	for code, again := range map[cfnresource.Code]bool{
		cfnresource.CodeThrottling:           true, // nothing was made
		cfnresource.CodeResourceConflict:     false,
		cfnresource.CodeServiceInternalError: false,
		cfnresource.CodeNetworkFailure:       false,
	} {
		subtest(t, "Create "+string(code), func(t *testing.T) {
			h := &finder{}
			h.onCreate = func(context.Context, *create) (data, error) {
				if len(h.calls) > 2 {
					h.onFind = finds(map[string]string{"a": "svc-1"}) // another delivery's
				}
				return nil, cfnresource.Errorf(code, "busy")
			}
			got := invoke(t, dispatcher(h), created(nil))
			want := []string{"Find a", "Create a"} // what it did is not known
			if again {
				want = append(want, "Find a", "Create a", "Find a", "Update svc-1")
			}
			if diff := cmp.Diff(want, h.calls); diff != "" || (got.Status == "SUCCESS") != again {
				t.Errorf("%s, calls (-want +got):\n%s", got.Status, diff)
			}
		})
	}
	t.Run("not other codes", func(t *testing.T) {
		h := &fake{onDelete: func(context.Context, *del) error { return cfnresource.Errorf(cfnresource.CodeAccessDenied, "no") }}
		invoke(t, dispatcher(h), deleted("svc-1"))
		if len(h.calls) != 1 {
			t.Errorf("calls %q, want one", h.calls)
		}
	})
}
