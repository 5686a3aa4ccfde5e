package local

import (
	"path/filepath"
	"testing"

	"github.com/cfnresource/sdk-go/internal/cfn/record"
)

// Handlers poll for their stack: what was not kept anew is not read again, and
// what was is.
func TestRecordsAreReadAgain(t *testing.T) {
	h, err := Open(filepath.Join(t.TempDir(), "stacks"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = h.Close() }()
	deployTopics(t, h, "shop", topics, "one")
	r := newRecordCache(h)
	look := func() (kept *record.Record) {
		t.Helper()
		if err := r.look("shop", func(of *record.Record) { kept = of }); err != nil {
			t.Fatal(err)
		}
		return kept
	}
	first := look()
	if look() != first {
		t.Error("the record was read again, and nothing had changed")
	}
	deployTopics(t, h, "shop", topics, "two")
	second := look()
	if second == first || second.Stack.Status != "UPDATE_COMPLETE" {
		t.Errorf("after an update, what is seen is in %s", second.Stack.Status)
	}
	if err := r.look("other", func(*record.Record) {}); err == nil {
		t.Error("a stack that there is not was looked at")
	}
}
