package cfnresource_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// A tape is a slog.Handler that writes lines as they are, as simple ones do.
type tape struct {
	slog.Handler
	lines *[]string
}

func (tape) Enabled(context.Context, slog.Level) bool { return true }

func (l tape) Handle(_ context.Context, r slog.Record) error {
	line := r.Message
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "stack" {
			line += fmt.Sprintf(" %s=%v", a.Key, a.Value.Resolve())
		}
		return true
	})
	*l.lines = append(*l.lines, line)
	return nil
}

// maxWork is thirty times what the worst event costs; one whose cost grows with the
// square of its size costs a minute.
const maxWork = 2 * time.Second

// Whatever the event, it is answered soon and with little memory, what is
// logged stays short, and nothing that came in the event begins a line.
func TestHostileEventsCostLittle(t *testing.T) {
	for name, attack := range hostile {
		t.Run(name, func(t *testing.T) {
			// What the invocation costs, of which the garbage collector takes a part.
			handle := func(size int) (work time.Duration, memory uint64) {
				var lines []string
				var logged bytes.Buffer
				logger := slog.New(slog.NewMultiHandler(slog.NewJSONHandler(&logged, nil), tape{lines: &lines}))
				d := cfnresource.New(target{}, func(o *cfnresource.Options) { o.Logger = logger })
				raw := attack(size)()
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				start := cpuTime()
				var rec recorder
				_, err := d.Invoke(hook.WithSender(t.Context(), &rec), raw)
				work = cpuTime() - start
				runtime.ReadMemStats(&after)
				memory = after.TotalAlloc - before.TotalAlloc
				if err != nil {
					t.Fatalf("%.300v", err)
				}
				if len(rec.bodies) != 1 || !json.Valid(rec.bodies[0]) {
					t.Fatalf("%d answers", len(rec.bodies))
				}
				for line := range bytes.Lines(logged.Bytes()) {
					if len(line) > 32<<10 {
						t.Errorf("a record of %d bytes: %.200s", len(line), line)
					}
				}
				for _, line := range lines {
					if strings.ContainsAny(line, "\r\n\x1b\u2028") {
						t.Errorf("a line begins in %.300q", line)
					}
				}
				return work, memory
			}
			handle(3_000) // what is made once
			_, few := handle(eventSize / 10)
			work, many := handle(eventSize)
			t.Logf("%v, %d kB; a tenth of it: %d kB", work.Round(time.Millisecond), many>>10, few>>10)
			if work > maxWork && !testrun.Race {
				t.Errorf("it took a processor %v, want at most %v", work, maxWork)
			}
			if many > 64<<20 && !testrun.Race {
				t.Errorf("it took %d MB", many>>20)
			}
			if many > 14*few+4<<20 && !testrun.Race {
				t.Errorf("a tenth of it takes %d kB, the whole %d kB", few>>10, many>>10)
			}
		})
	}
}
