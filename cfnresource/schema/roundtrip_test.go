package schema_test

import (
	"testing"

	"github.com/cfnresource/sdk-go/internal/roundtrip"
)

// TestWhatTypesRefuse: a schema and the type that it is made from allow and refuse the
// same, over all kinds of types, but for what stands here.
func TestWhatTypesRefuse(t *testing.T) {
	roundtrip.Test[every](t, roundtrip.Type{
		Stricter: map[string]string{
			"Addr":   "its UnmarshalText reads addresses alone",
			"Big":    "its UnmarshalJSON reads numbers alone",
			"Port":   "its UnmarshalJSON reads numbers alone",
			"Number": "JSON writes no 010",
			"Time":   "JSON Schema's date-time is a hint",
			"Tree":   "a list of itself is described as a list of anything",
			"Dict":   "so is a map",
		},
		Looser: map[string]string{
			"Bytes": "a list of numbers is read, too",
		},
		Values: map[string]any{
			"Addr":   "10.0.0.1",
			"Big":    "7",
			"Port":   "80",
			"Number": "1.50",
			"Tree":   []any{},
			"Dict":   map[string]any{},
		},
	})
}
