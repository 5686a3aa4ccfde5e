package redact

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// Thirty times the secrets, or the text, cost about thirty times as much: 10,500 secrets must not
// take up the time to answer in. The shapes are those that make other ways of searching slow. What
// is counted is memory, and the steps of the matcher.
func TestRedactGrowsLinearly(t *testing.T) {
	many := func(n int, secret func(i int) string) []string {
		var all []string
		for i := range n {
			all = append(all, secret(i))
		}
		return all
	}
	shapes := map[string]func(n int) (text string, secrets []string){
		"many": func(n int) (string, []string) {
			return strings.Repeat("secret-00042 ", 1000), many(n, func(i int) string { return fmt.Sprintf("secret-%05d", i) })
		},
		"one begins like the other": func(n int) (string, []string) {
			return strings.Repeat("a", 10_000), many(n/50, func(i int) string { return strings.Repeat("a", 400+i%100) + fmt.Sprint(i) })
		},
		"one ends like the other": func(n int) (string, []string) {
			return strings.Repeat("a", 10_000), many(n/50, func(i int) string { return fmt.Sprint(i) + strings.Repeat("a", 400) })
		},
		"every byte follows": func(n int) (string, []string) {
			return strings.Repeat("abcdefgh", 1000), many(n, func(i int) string { return fmt.Sprintf("ab%c%c%c", i%256, i/256, i) })
		},
		"a long text": func(n int) (string, []string) {
			return strings.Repeat(`\\\"%41+ 0x61`, n), []string{"aaaaaaaaaaaa", "hunter2"}
		},
	}
	for name, shape := range shapes {
		cost := func(n int) (bytes uint64, steps int) {
			text, secrets := shape(n)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var r Redactor
			r.Add(secrets...)
			r.Redact(text, 1<<20)
			runtime.ReadMemStats(&after)
			m, _ := r.prepared()
			readAll(text, func(v *view) { steps += m.steps(v.text) })
			return after.TotalAlloc - before.TotalAlloc, steps
		}
		t.Run(name, func(t *testing.T) {
			few, fewSteps := cost(500)
			many, manySteps := cost(15_000)
			t.Logf("500: %d kB, %d steps; 15,000: %d kB, %d steps", few>>10, fewSteps, many>>10, manySteps)
			if many > 45*few { // buffers grow in steps
				t.Errorf("thirty times as much takes %d and %d bytes", few, many)
			}
			if manySteps > 32*fewSteps {
				t.Errorf("thirty times as much takes %d and %d steps", fewSteps, manySteps)
			}
		})
	}
}

// steps returns how many states a matcher goes through in a text.
func (m matcher) steps(text []byte) (n int) {
	at := int32(0)
	for _, b := range text {
		next := m.successor(at, fold(b))
		for n++; at != 0 && m[at].length >= m[next].length; n++ { // each that it fell back to
			at = m[at].fail
		}
		at = next
	}
	return n
}

// No text is read in so many ways that they are not in proportion to its length: one
// that could be is withheld. This one was found by search for what has most.
func TestManyReadingsAreWithheld(t *testing.T) {
	const most = `\\f767433+ee63eba9ffaeaa7/687232783332333\f9fdeeaad767473+ee63eb69ffae/a77737232+033322%3%39f83e`
	text := strings.Repeat(most, 200)
	bytes := 0
	if readAll(text, func(v *view) { bytes += len(v.text) }) {
		t.Errorf("all was read: %d bytes for each", bytes/len(text))
	}
	if most := 4 * (effort*len(text) + leastEffort + len(text)); bytes > most { // each is cleaned, too, and three times as long then
		t.Errorf("%d bytes were read, the most are %d", bytes, most)
	}
	var r Redactor
	r.Add("hunter2")
	if got := r.Redact(text, len(text)); got != tooManyViews {
		t.Errorf("%.100q", got)
	}
}

// What errors hold is far from that bound, however it is encoded.
func TestFewReadings(t *testing.T) {
	for name, text := range texts {
		for _, n := range []int{100, 10_000} {
			text := text(n)
			bytes := 0
			if !readAll(text, func(v *view) { bytes += len(v.text) }) || bytes > effort/2*len(text) {
				t.Errorf("%s: %d bytes are read as %d", name, len(text), bytes)
			}
		}
	}
}

// Beyond the bound nothing is looked for, and nothing is said.
func TestTooManySecrets(t *testing.T) {
	var r Redactor
	r.Add(strings.Repeat("x", maxSecrets), "hunter2")
	if got := r.Redact("hunter2", 100); got != tooMany {
		t.Errorf("%q", got)
	}
}

// The common case is free.
func TestNoSecretsCostNothing(t *testing.T) {
	var r Redactor
	const text = "a line that is fit to be logged, größe 東京"
	if n := testing.AllocsPerRun(100, func() { r.Add(); r.Redact(text, 1000) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// A list of numbers below 128 says the same whether they are bytes or characters. The text is read once
// then: a second reading costs the time of the first, and of all that is encoded in it.
func TestASCIIIsReadOnce(t *testing.T) {
	for _, text := range []string{"104, 117, 110, 116, 101, 114", "[h u n t e r]"} {
		times := 0
		readAll(text, func(v *view) {
			if string(v.text) == "hunter\xff" { // with the gap, as before it is made clean
				times++
			}
		})
		if times != 1 {
			t.Errorf("%s was read as hunter %d times, want once", text, times)
		}
	}
}

// A byte beyond ASCII is no character of the same number, so both readings of its list count.
func TestBytesBeyondASCIIAreReadAsBytesAndAsCharacters(t *testing.T) {
	for _, secret := range []string{"h\xffnter", "hÿnter"} {
		r := New(nil)
		r.Add(secret)
		if got := r.Redact("104, 255, 110, 116, 101, 114", 100); got != mask {
			t.Errorf("the list of %q became %q", secret, got)
		}
	}
}
