package capture_test

import (
	"bytes"
	"fmt"
	"log"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/capture"
)

// What is logged goes to the Log, each record to whose it is, and afterwards where it went before.
func TestCaptureTakesWhatIsLogged(t *testing.T) {
	var before bytes.Buffer
	writer := log.Writer()
	log.SetOutput(&before)
	defer log.SetOutput(writer)

	l := capture.Start()
	l.SetOwner("one")
	slog.Debug("by slog")
	l.SetOwner("two")
	log.Print("by log")
	if got := l.Last("one"); !strings.Contains(got, "by slog") || strings.Contains(got, "by log") {
		t.Errorf("the first has %q", got)
	}
	if got := l.Of("two"); strings.Contains(got, "by slog") || !strings.Contains(got, "by log") {
		t.Errorf("the second has %q", got)
	}
	if got := l.Take(); !strings.Contains(got, "by slog") || !strings.Contains(got, "by log") {
		t.Errorf("both have %q", got)
	}
	if got := l.Take(); got != "" {
		t.Errorf("there is still %q", got)
	}
	l.Release()
	if before.Len() > 0 {
		t.Errorf("logged meanwhile: %s", before.String())
	}
	if log.Print("after"); !strings.Contains(before.String(), "after") {
		t.Errorf("logged afterwards: %q", before.String())
	}
}

// A log shows the end of what there is, in lines that can be read.
func TestLastIsShort(t *testing.T) {
	l := capture.Start()
	defer l.Release()
	for i := range 20 {
		slog.Info(strings.Repeat("ä", 1000), "number", i)
	}
	lines := strings.Split(l.Last(nil), "\n")
	if len(lines) != 8 {
		t.Errorf("there are %d lines", len(lines))
	}
	for _, line := range lines {
		if len(line) > 410 || !strings.HasSuffix(line, "ä…") {
			t.Errorf("a line of %d bytes ends with %q", len(line), line[len(line)-10:])
		}
	}
}

// What is printed does not appear, and is returned.
func TestPrints(t *testing.T) {
	got := capture.Prints(func() {
		fmt.Print("to one, ")
		fmt.Fprint(os.Stderr, "and to the other")
	})
	if want := "to one, and to the other"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}
