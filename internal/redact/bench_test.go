package redact

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// texts are what errors hold, repeated to a length.
var texts = map[string]func(n int) string{
	"prose": func(n int) string {
		return repeated("the service refused the subscription with status 404: no such topic in eu-central-1, ", n)
	},
	"JSON": func(n int) string {
		return repeated(`{\"error\":{\"message\":\"not found\",\"id\":\"4f0c9a2e\",\"link\":\"/a%20b\"}}, `, n)
	},
	"base64": func(n int) string { return base64.StdEncoding.EncodeToString(random(n * 3 / 4)) },
	"base64 of prose": func(n int) string {
		return base64.StdEncoding.EncodeToString([]byte(repeated("the service refused the subscription ", n*3/4)))
	},
	"hexadecimal": func(n int) string { return fmt.Sprintf("%x", random(n/2)) },
	"bytes":       func(n int) string { return fmt.Sprint(random(n / 4)) },
	"escapes":     func(n int) string { return repeated(`\\\"%41+ 0x61`, n) },
}

func repeated(text string, n int) string { return strings.Repeat(text, n/len(text)+1)[:n] }

func random(n int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// BenchmarkRedact removes one secret from texts that do not hold it: time is that of
// the text's length. Short random texts take less: where one byte of thousands looks
// like an escape, all are read once more. TestFewReadings has the most.
func BenchmarkRedact(b *testing.B) {
	for name, text := range texts {
		for _, n := range []int{200, 2_000, 20_000} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				var r Redactor
				r.Add("correct horse battery")
				text := text(n)
				b.SetBytes(int64(n))
				b.ReportAllocs()
				for b.Loop() {
					r.Redact(text, n)
				}
			})
		}
	}
}

// BenchmarkNoSecrets is the ordinary case: an event without secrets.
func BenchmarkNoSecrets(b *testing.B) {
	var r Redactor
	text := texts["prose"](200)
	b.ReportAllocs()
	for b.Loop() {
		r.Redact(text, MaxText)
	}
}
