package page

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

const (
	hostile = `</title></script></style>--></svg><x-evil>"' onevil="{{.}}"` + "`${evil}" + hidden
	// hidden would move a terminal's cursor where a page is printed, hide text, or turn it.
	hidden = "\x1b\r\u009b\x9b\u202E\u2066\u200F\u2028\u200B"
)

// fill puts a text into every string of a value.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(10)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() && (v.Type().Name() != "Lane" || v.Type().Field(i).Name != "Inner") {
				fill(f, text)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), text)
		}
	}
}

// Whatever a view holds is text: no element, no attribute, no script comes of it, and
// nothing that does not show.
func TestHostileTexts(t *testing.T) {
	var v View
	fill(reflect.ValueOf(&v).Elem(), hostile)
	v.Operations[0].Lanes[0].Inner = v.Operations[1].Lanes
	v.Operations[0].Lanes[0].Bars[0].Width = 0
	var l List
	fill(reflect.ValueOf(&l).Elem(), hostile)
	var list, missing strings.Builder
	if err := l.Write(&list); err != nil {
		t.Fatal(err)
	}
	if err := WriteMissing(&missing, hostile, hostile); err != nil {
		t.Fatal(err)
	}
	for name, page := range map[string]string{"stack": html(t, v), "list": list.String(), "missing": missing.String()} {
		for _, raw := range []string{"<x-evil", `" onevil=`, `' onevil=`, "--><"} {
			if i := strings.Index(page, raw); i >= 0 {
				t.Errorf("%s has %s: …%s…", name, raw, page[max(0, i-100):min(len(page), i+60)])
			}
		}
		if i := strings.IndexFunc(page, func(r rune) bool { return strings.ContainsRune(hidden, r) && r != utf8.RuneError }); i >= 0 || !utf8.ValidString(page) {
			t.Errorf("%s has %q", name, page[max(0, i-40):i+20])
		}
		if n := strings.Count(page, "</script>"); n != 1 {
			t.Errorf("%s has %d ends of scripts", name, n)
		}
		if !strings.Contains(page, "&lt;x-evil&gt;") {
			t.Errorf("%s does not show the text", name)
		}
	}
}

// Secrets are hidden wherever they stand.
func TestSecrets(t *testing.T) {
	s := newStage(t)
	s.id = "-of-sesame"
	s.deploy("sesame", "Queue", "Index")
	s.fail = "Index"
	s.deploy("sesame again", "Queue", "Index")
	q := s.Machine.Stack().Requests[0]
	story := s.story(engine.Note{At: start, Kind: engine.NoteTold, Text: "sesame"}, engine.Note{At: start, Kind: engine.NoteWrote, Request: q.RequestID, Text: "sesame"},
		engine.Note{At: start, Kind: engine.NoteBroke, Request: q.RequestID, Text: "sesame"}, engine.Note{At: start, Kind: engine.NoteTold, Request: q.RequestID, Text: "sesame"})
	story.Facts = []Fact{{"Found", "sesame", false}}
	story.Left = []Left{{"Queue", "sesame"}}
	stack := s.Machine.Stack()
	stack.StatusReason = "for sesame"
	for i := range stack.Events {
		stack.Events[i].ResourceStatusReason = "for sesame"
	}
	for _, q := range stack.Requests {
		q.Reason, q.Late, q.Lost = "for sesame", []string{q.Answer}, []string{"sesame, and no JSON"}
	}
	story.Hide = func(text []byte) []byte { return []byte(strings.ReplaceAll(string(text), "sesame", "hidden")) }
	page := html(t, story.View())
	if i := strings.Index(page, "sesame"); i >= 0 {
		t.Errorf("…%s…", page[max(0, i-200):min(len(page), i+50)])
	}
}

// The policy lets the page's own style and script be used, and nothing else: their
// hashes are those of what stands in the page.
func TestPolicy(t *testing.T) {
	page := html(t, View{Title: "shop"})
	for _, element := range []string{"style", "script"} {
		m := regexp.MustCompile(`(?s)<` + element + `>(.*)</` + element + `>`).FindStringSubmatch(page)
		if m == nil {
			t.Fatalf("no %s", element)
		}
		sum := sha256.Sum256([]byte(m[1]))
		if want := element + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(Policy(false), want) {
			t.Errorf("%s is not in %s", want, Policy(false))
		}
	}
	if strings.Contains(Policy(false), "connect-src") || strings.Contains(Policy(true), "unsafe") || !strings.HasPrefix(Policy(true), "default-src 'none'") {
		t.Errorf("a file: %s\nserved: %s", Policy(false), Policy(true))
	}
	if regexp.MustCompile(`(?i)\s(style|on\w+)="`).MatchString(page) {
		t.Error("an attribute would need another policy")
	}
}

// Words can be read on what is behind them, in light and in dark (WCAG's AA: 4.5 to 1),
// and shapes can be told from the page (3 to 1).
func TestContrast(t *testing.T) {
	blocks := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(style, 2)
	if len(blocks) != 2 {
		t.Fatal("light and dark are not found")
	}
	for i, block := range blocks {
		colour := map[string]string{}
		for _, m := range regexp.MustCompile(`--(\w+): (#[0-9a-f]{6})`).FindAllStringSubmatch(block[1], -1) {
			colour[m[1]] = m[2]
		}
		for _, pair := range []struct {
			on, behind string
			least      float64
		}{
			{"text", "ground", 4.5}, {"text", "panel", 4.5}, {"dim", "ground", 4.5}, {"dim", "panel", 4.5}, {"link", "ground", 4.5}, {"fail", "ground", 4.5}, {"fault", "ground", 4.5}, {"fault", "panel", 4.5},
			{"on", "work", 4.5}, {"on", "done", 4.5}, {"on", "fail", 4.5}, {"on", "dim", 4.5},
			{"work", "ground", 3}, {"done", "ground", 3}, {"stripe", "ground", 3},
		} {
			if got := contrast(t, colour[pair.on], colour[pair.behind]); got < pair.least {
				t.Errorf("%s: %s on %s is %.2f to 1, want %.1f", []string{"light", "dark"}[i], pair.on, pair.behind, got, pair.least)
			}
		}
	}
}

// contrast is WCAG's ratio of two colours.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	luminance := func(colour string) (sum float64) {
		if len(colour) != 7 {
			t.Fatalf("%q is no colour", colour)
		}
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			c := float64(n) / 255
			if c <= 0.04045 {
				c /= 12.92
			} else {
				c = math.Pow((c+0.055)/1.055, 2.4)
			}
			sum += weight * c
		}
		return sum + 0.05
	}
	x, y := luminance(a), luminance(b)
	return max(x, y) / min(x, y)
}

// What a page of 500 resources costs grows with their number, and no more: the work is
// counted by what is allocated.
func TestGrowth(t *testing.T) {
	cost := func(n int) float64 {
		s := newStage(t)
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("Queue%d", i))
		}
		s.deploy("one", names...)
		story := s.story()
		return testing.AllocsPerRun(1, func() { html(t, story.View()) })
	}
	if few, many := cost(50), cost(500); many > 15*few {
		t.Errorf("%.0f allocations for 50 resources, %.0f for 500", few, many)
	}
}
