package cfntest_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// A fakeT is a testing.TB that records failures, so that a test can check how another
// test fails. It has only the methods that cfntest uses.
type fakeT struct {
	testing.TB
	ctx context.Context

	mu       sync.Mutex
	failures []string
	cleanups []func()
}

// try runs test as go test would, and returns the text of its failure, or "".
func try(t *testing.T, test func(t *fakeT)) (failures string) {
	t.Helper()
	f := &fakeT{ctx: t.Context()}
	done := make(chan struct{})
	go func() { // Fatalf ends its goroutine
		defer close(done)
		defer func() {
			for _, fn := range f.cleanups {
				fn()
			}
		}()
		test(f)
	}()
	<-done
	return strings.Join(f.failures, "\n")
}

func (f *fakeT) Helper()                  {}
func (f *fakeT) Context() context.Context { return f.ctx }
func (f *fakeT) Cleanup(fn func())        { f.cleanups = append(f.cleanups, fn) }

func (f *fakeT) Errorf(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failures = append(f.failures, fmt.Sprintf(format, args...))
}

func (f *fakeT) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	runtime.Goexit()
}
