package schema_test

import (
	"encoding/base64"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/properties"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// returned are the kinds of which one value has several texts.
type returned struct {
	Wait  time.Duration `cfn:"default=90s"`
	When  time.Time
	Bytes []byte
	Text  string
	Maybe *string
	Count int
	Port  uint16
	Pair  [2]string
	Slots map[int]string
	Share float32
}

func returnedPattern(t *testing.T, name, property string) *regexp.Regexp {
	t.Helper()
	s := read[returned, struct{}](t, name)
	p := s["properties"].(map[string]any)[property].(map[string]any)
	return regexp.MustCompile(p["pattern"].(string))
}

// A number that no float32 holds is refused, and comes back as nothing.
func TestSmallFloatsHaveBounds(t *testing.T) {
	p := read[returned, struct{}](t, "Example::Web::Thing")["properties"].(map[string]any)["Share"].(map[string]any)
	least, most := fmt.Sprintf("%.0f", -math.MaxFloat32), fmt.Sprintf("%.0f", math.MaxFloat32)
	if got := fmt.Sprintf("%.0f %.0f", p["minimum"], p["maximum"]); got != least+" "+most {
		t.Errorf("the schema takes from %s, want from %s to %s", got, least, most)
	}
}

// Of all the texts that are read as the same duration, the schema of a registered type
// takes the one that comes back.
func TestDurationsComeBack(t *testing.T) {
	pattern := returnedPattern(t, "Example::Web::Thing", "Wait")
	rng := rand.New(rand.NewPCG(1, 2))
	units := []string{"h", "m", "s", "ms", "us", "ns"}
	numbers := []string{"0", "1", "01", "7", "30", "59", "60", "90", "999", "1000", "1.5", "0.5", "0.25", "1.50", "2.", ".5", "1.000000001"}
	allowed := 0
	for range testrun.Share(20_000, 200_000) {
		text := []string{"", "", "", "-", "+"}[rng.IntN(5)]
		for range 1 + rng.IntN(3) {
			text += numbers[rng.IntN(len(numbers))] + units[rng.IntN(len(units))]
		}
		d, err := time.ParseDuration(text)
		if err != nil {
			continue
		}
		if comes := properties.DurationText(d) == text; comes != pattern.MatchString(text) {
			t.Fatalf("%s comes back as %s, and the schema takes it: %t", text, properties.DurationText(d), !comes)
		} else if comes {
			allowed++
		}
	}
	if allowed < 500 {
		t.Errorf("only %d texts come back", allowed)
	}
	for range testrun.Share(2_000, 10_000) {
		d := time.Duration(rng.Int64N(1 << uint(1+rng.IntN(51)))) // of up to 26 days, or as far as hours have six digits
		if text := properties.DurationText(d); !pattern.MatchString(text) {
			t.Fatalf("%s is not taken", text)
		}
	}
	for _, text := range []string{"1h30m", "30s", "0s", "-5m", "1.5s", "999999h59m59.999999999s"} {
		if !pattern.MatchString(text) {
			t.Errorf("%s is not taken", text)
		}
	}
}

// So it is with times: there is no thirtieth of February, and UTC has one name.
func TestTimesComeBack(t *testing.T) {
	pattern := returnedPattern(t, "Example::Web::Thing", "When")
	rng := rand.New(rand.NewPCG(1, 2))
	for range testrun.Share(10_000, 50_000) {
		text := fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d", rng.IntN(10)*400+rng.IntN(200), 1+rng.IntN(12), rng.IntN(33), rng.IntN(26), rng.IntN(60), rng.IntN(60)) +
			[]string{"", "", ".5", ".50", ".123456789"}[rng.IntN(5)] + []string{"Z", "Z", "+00:00", ""}[rng.IntN(4)]
		when, err := time.Parse(time.RFC3339, text)
		if comes := err == nil && when.Format(time.RFC3339Nano) == text; comes != pattern.MatchString(text) {
			t.Fatalf("%s: %v, it comes back as %s", text, err, when.Format(time.RFC3339Nano))
		}
	}
}

// And with bytes: the last letter of base64 may have bits that mean nothing.
func TestBytesComeBack(t *testing.T) {
	pattern := returnedPattern(t, "Example::Web::Thing", "Bytes")
	rng := rand.New(rand.NewPCG(1, 2))
	const letters = "ABQgwEIMUYcghijz+/9="
	for range testrun.Share(20_000, 200_000) {
		var b strings.Builder
		for range 4 * rng.IntN(3) {
			b.WriteByte(letters[rng.IntN(len(letters))])
		}
		text := b.String()
		raw, err := base64.StdEncoding.DecodeString(text)
		if comes := err == nil && len(raw) > 0 && base64.StdEncoding.EncodeToString(raw) == text; comes != pattern.MatchString(text) {
			t.Fatalf("%q: %v", text, err)
		}
	}
}

// What a registered type says of the rest, and that a custom resource, which is never
// read, is as free as its types.
func TestWhatCannotComeBackIsRefused(t *testing.T) {
	at := func(s map[string]any, property, keyword string) any {
		return s["properties"].(map[string]any)[property].(map[string]any)[keyword]
	}
	registered, custom := read[returned, struct{}](t, "Example::Web::Thing"), read[returned, struct{}](t, "Custom::Thing")
	for _, test := range []struct {
		property, keyword  string
		registered, custom any
	}{
		{"Text", "minLength", 1.0, nil},
		{"Maybe", "minLength", nil, nil},
		{"Wait", "default", "1m30s", "90s"},
		{"Count", "maximum", 9007199254740991.0, nil},
		{"Count", "minimum", -9007199254740991.0, nil},
		{"Port", "maximum", 65535.0, 65535.0},
		{"Pair", "minItems", 2.0, nil},
		{"When", "format", nil, "date-time"},
	} {
		if is := at(registered, test.property, test.keyword); is != test.registered {
			t.Errorf("registered: %s of %s is %v, want %v", test.keyword, test.property, is, test.registered)
		}
		if is := at(custom, test.property, test.keyword); is != test.custom {
			t.Errorf("custom: %s of %s is %v, want %v", test.keyword, test.property, is, test.custom)
		}
	}
	if keys := at(registered, "Slots", "patternProperties").(map[string]any); keys["^-?(0|[1-9][0-9]*)$"] == nil {
		t.Errorf("the keys are %v", keys)
	}
	if !returnedPattern(t, "Custom::Thing", "Wait").MatchString("90m") {
		t.Error("a custom resource is refused 90m")
	}
}
