package output

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"sync"
)

// WithLabel has do run in a goroutine whose tracebacks, and those of all that it
// starts, show a name. A handler that panics in a goroutine of its own ends the test's
// process, and no test says anything after that: the label says what was played.
func WithLabel(name string, do func()) {
	showLabels()
	pprof.Do(context.Background(), pprof.Labels("cfntest", name), func(context.Context) { do() })
}

// showLabels has tracebacks show labels, unless GODEBUG says otherwise.
var showLabels = sync.OnceFunc(func() {
	const setting = "tracebacklabels="
	if g := os.Getenv("GODEBUG"); !strings.Contains(g, setting) {
		_ = os.Setenv("GODEBUG", strings.TrimPrefix(g+","+setting+"1", ",")) // without it there is less to read
	}
})

// A fatalWriter is a writer of package log that does not keep to itself what is
// written for log.Fatal.
type fatalWriter struct{ io.Writer }

func (w fatalWriter) Write(text []byte) (int, error) {
	if logsFatal() {
		fmt.Fprintf(os.Stderr, "cfntest: the handler calls log.Fatal, which ends the process, and so this test. Have it return an error. It says\n%s\n%s",
			text, debug.Stack())
	}
	return w.Writer.Write(text)
}

// logsFatal reports whether the calling goroutine is in log.Fatal, or in one like it.
func logsFatal() bool {
	pcs := make([]uintptr, 16)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for more := true; more; {
		var f runtime.Frame
		if f, more = frames.Next(); strings.HasPrefix(f.Function, "log.Fatal") || strings.HasPrefix(f.Function, "log.(*Logger).Fatal") {
			return true
		}
	}
	return false
}
