package cfntest

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/cfn/reading"
	"github.com/cfnresource/sdk-go/internal/play"
)

// exploreReadings explores under each reading alone with a tenth of the histories, and
// under each two with a hundredth. It tells what does harm there, and fails for nothing:
// nobody knows which reading is true.
func exploreReadings(t *testing.T, c play.Contract, o play.ExploreOptions) {
	t.Helper()
	histories := cmp.Or(o.Histories, play.DefaultHistories())
	harmful, played := map[string]bool{}, 0
	try := func(histories int, all ...reading.Assumption) {
		o.Assume = nil
		for _, a := range all {
			o.Assume = append(o.Assume, a.String())
		}
		o.Histories = max(histories, 1)
		n, harm := play.ExploreQuietly(t, c, o)
		if played += n; harm {
			harmful[strings.Join(o.Assume, " ")] = true
		}
	}
	for _, a := range reading.Others() {
		try(histories/10, a)
	}
	for _, p := range reading.Pairs() {
		if !harmful[p[0].String()] && !harmful[p[1].String()] {
			try(histories/100, p...)
		}
	}

	// What differs is told where it is seen without -v.
	text := fmt.Sprintf("%d histories under other readings of what AWS does not document did no harm that those under the assumed ones do not", played)
	if len(harmful) > 0 {
		text = fmt.Sprintf("of %d histories under other readings of what AWS does not document, some did harm; go test -v tells them:\n  %s",
			played, strings.Join(slices.Sorted(maps.Keys(harmful)), "\n  "))
	}
	fmt.Fprintf(os.Stderr, "cfntest.Explore: %s: %s\n", t.Name(), text)
}
