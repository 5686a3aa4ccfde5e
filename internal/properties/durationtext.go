package properties

import (
	"strings"
	"time"
)

// DurationText writes a duration as a person does: 1h30m, where String has 1h30m0s. It
// is the one text of a duration that a registered type takes, since it comes back.
func DurationText(d time.Duration) string {
	text := strings.Replace(d.String(), "µ", "u", 1)
	if before, ok := strings.CutSuffix(text, "m0s"); ok {
		text = before + "m"
	}
	return strings.Replace(text, "h0m", "h", 1)
}
