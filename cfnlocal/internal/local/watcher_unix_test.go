//go:build unix

package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// logged returns the log of an operation in which something is logged.
func logged(t *testing.T, to Watcher, work func(w *serialWatcher)) string {
	t.Helper()
	h := home(t)
	o := newOperation(h, record.New("shop", engine.Options{}, nil), nil, Settings{Watcher: to})
	var opened unwinding
	if err := o.openLogs(t.Context(), &opened); err != nil {
		t.Fatal(err)
	}
	work(o.watcher)
	log, err := os.ReadFile(h.Log("shop"))
	if err := errors.Join(err, opened.run()); err != nil {
		t.Fatal(err)
	}
	return string(log)
}

// What a function writes beyond its limit, or that of the operation, is dropped, and its log says
// so once. The limit of one function is not that of another.
func TestLogLimits(t *testing.T) {
	line := strings.Repeat("y", 1<<10)
	const enough = maxFunctionLog >> 10 // lines
	type function struct {
		Name   string
		Lines  int  // that it wrote
		Logged bool // whether all of them were logged
	}
	for _, test := range []struct {
		name string
		want []function
	}{
		{"within the limit", []function{{"a", enough / 2, true}, {"b", enough / 2, true}}},
		{"beyond it", []function{{"a", 3 * enough, false}, {"b", enough / 2, true}}},
		{"beyond the operation's", []function{{"a", enough * 9 / 10, true}, {"b", enough * 9 / 10, true}, {"c", enough * 9 / 10, true}, {"d", enough * 9 / 10, true}, {"e", enough * 9 / 10, false}, {"f", 1, false}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			log := logged(t, nil, func(w *serialWatcher) {
				for _, f := range test.want {
					for range f.Lines {
						w.Log(f.Name, "", line)
					}
				}
			})
			var got []function
			for _, f := range test.want {
				dropped := strings.Count(log, f.Name+" | "+restDropped+"\n")
				kept := strings.Count(log, f.Name+" | "+line+"\n")
				if dropped > 1 || (dropped == 0) != (kept == f.Lines) {
					t.Errorf("of the %d lines of %s %d were logged, and the log says %d times that the rest was not", f.Lines, f.Name, kept, dropped)
				}
				got = append(got, function{f.Name, f.Lines, dropped == 0})
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("functions (-want +got):\n%s", diff)
			}
			if len(log) > maxLog+1000 {
				t.Errorf("the log has %d bytes", len(log))
			}
		})
	}
}

// A loudWatcher counts the lines of handlers until it has heard enough.
type loudWatcher struct {
	notes
	bytes  int
	enough func()
}

func (w *loudWatcher) Log(_, line string) {
	if w.bytes += len(line); line == restDropped || w.bytes > 2*maxFunctionLog {
		w.enough()
	}
}

// A function that writes without end does not fill the disk.
func TestEndlessOutput(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // if nothing says that it is enough
	defer cancel()
	log := logged(t, &loudWatcher{enough: cancel}, func(w *serialWatcher) {
		l := newLambda(ctx, host.Config{}, w)
		defer l.Close()
		const arn = "arn:aws:lambda:us-east-1:123456789012:function:endless"
		err := l.Add(host.Function{ARN: arn, Command: []string{"sh", "-c", fmt.Sprintf("while true; do echo %01000d; done", 0)}, Timeout: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Call(ctx, arn, []byte("{}")); !errors.Is(err, context.Canceled) {
			t.Errorf("Call: %v", err)
		}
	})
	if !strings.HasSuffix(log, "endless | "+restDropped+"\n") || len(log) > maxFunctionLog+1000 {
		t.Errorf("the log has %d bytes, and ends with %q", len(log), log[max(0, len(log)-100):])
	}
}
