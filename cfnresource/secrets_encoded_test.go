package cfnresource_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// writers are what errors are made with. internal/redact has all of them.
var writers = []struct {
	name  string
	write func(text string) string
}{
	{"as it is", func(s string) string { return s }},
	{"JSON", inJSON[string]},
	{"JSON of bytes", func(s string) string { return inJSON([]byte(s)) }},
	{"%q", func(s string) string { return fmt.Sprintf("%q", s) }},
	{"%v of bytes", func(s string) string { return fmt.Sprintf("%v", []byte(s)) }},
	{"%#v of bytes", func(s string) string { return fmt.Sprintf("%#v", []byte(s)) }},
	{"%x", func(s string) string { return fmt.Sprintf("%x", s) }},
	{"%c of bytes", func(s string) string { return fmt.Sprintf("%c", []byte(s)) }},
	{"%o of bytes", func(s string) string { return fmt.Sprintf("%o", []byte(s)) }},
	{"%b of bytes", func(s string) string { return fmt.Sprintf("%b", []byte(s)) }},
	{"%U of bytes", func(s string) string { return fmt.Sprintf("%U", []byte(s)) }},
	{"%q of runes", func(s string) string { return fmt.Sprintf("%q", []rune(s)) }},
	{"%v of runes", func(s string) string { return fmt.Sprintf("%v", []rune(s)) }},
	{"a query", url.QueryEscape},
	{"a path", url.PathEscape},
	{"hex", func(s string) string { return hex.EncodeToString([]byte(s)) }},
	{"base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }},
}

func inJSON[T string | []byte](v T) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

type secretData struct {
	Key string `cfn:"secret"`
}

// positions are how a handler gives away a text that holds its secret.
var positions = []struct {
	name string
	fail func(text string) error
}{
	{"error", errors.New},
	{"panic", func(text string) error { panic(text) }},
	{dataBesideError, errors.New},
	{"wrapped", func(text string) error {
		return fmt.Errorf("calling: %w", cfnresource.Errorf(cfnresource.CodeNotFound, "got %s, which is bad", text))
	}},
	{"joined", func(text string) error {
		return errors.Join(errors.New("one"), errors.New(text), fmt.Errorf("and %q", text))
	}},
	{"split over joined errors", func(text string) error { return errors.Join(errors.New("["+text), errors.New(text+"]")) }},
}

// dataBesideError is where the secret is not in the event.
const dataBesideError = "Data beside an error"

// What a handler's error becomes does not depend on the secret in it, whatever two
// encoders made of it one after the other. Secrets that are written with the same
// number of letters in each of them cannot be told from each other.
func TestAnswersDoNotDependOnSecrets(t *testing.T) {
	alike := [][2]string{
		{`pa"ss-word1`, `qb"tt-xpse2`},
		{"pass<word>1", "qbtt<xpse>2"},
		{"paß\nwörd€", "qbÞ\nxùse₭"},
	}
	for i, position := range positions {
		t.Run(position.name, func(t *testing.T) {
			for j, secrets := range alike {
				firsts, seconds := writers, writers
				if j > 0 {
					seconds = testrun.Sample(6, writers)
				}
				if i > 0 { // the text is the same
					firsts, seconds = testrun.Sample(4, writers), testrun.Sample(5, writers)
				}
				for _, first := range firsts {
					for _, second := range seconds {
						one := told(t, secrets[0], second.write(first.write(secrets[0])), position.name, position.fail)
						other := told(t, secrets[1], second.write(first.write(secrets[1])), position.name, position.fail)
						if one != other {
							t.Errorf("%q and %q, written as %s, then %s, can be told from each other:\n%s%s", secrets[0], secrets[1], first.name, second.name, one, other)
						}
					}
				}
			}
		})
	}
}

// told returns the Reason and the log of a call that fails with a text that holds a
// secret of the event, or of Data.
func told(t *testing.T, secret, text, position string, fail func(text string) error) string {
	t.Helper()
	var logged bytes.Buffer
	log := slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "elapsed" || a.Key == "stack" { // which differ, and hold no text
			return slog.Attr{}
		}
		return a
	}}))
	var p object
	var d secretData
	if position == dataBesideError {
		d.Key = secret
	} else {
		p = object{"Secret": secret}
	}
	h := cfnresource.Action(func(context.Context, *cfnresource.UpdateRequest[props]) (secretData, error) {
		return d, fail("it says " + text + " again")
	})
	got := invoke(t, cfnresource.New(h, func(o *cfnresource.Options) { o.Logger = log }), created(object{"ResourceProperties": p}))
	if got.Status != "FAILED" || !bytes.Contains(logged.Bytes(), []byte("***")) {
		t.Fatalf("%s: %s", got.Status, &logged)
	}
	return got.Reason + "\n" + logged.String()
}

// A secret that no event holds is redacted in every form once the handler has said that it is one.
func TestSecretsThatTheHandlerReadAreRedacted(t *testing.T) {
	const secret, rest = `pa"ss wörd/1`, "the service said: "
	for _, position := range positions {
		if position.name == dataBesideError {
			continue // it is a secret by its tag
		}
		for _, w := range writers {
			text := w.write(secret)
			for _, known := range []bool{true, false} {
				option, log := logged()
				h := creates(func(_ context.Context, req *create) (data, error) {
					if known {
						req.Secret(secret, "another-one")
					}
					return nil, position.fail(rest + text)
				})
				got := invoke(t, dispatcher(h, option), created(nil))
				written := got.Reason + log.String()
				if leaks := strings.Contains(written, text); leaks == known {
					t.Errorf("%s, %s: known is %t, and that %q is in the Reason or the log is %t:\n%s", position.name, w.name, known, text, leaks, written)
				}
				if !strings.Contains(got.Reason, strings.TrimSpace(rest)) {
					t.Errorf("%s, %s: the rest of the error is missing: %s", position.name, w.name, got.Reason)
				}
			}
		}
	}
	new(create).Secret(secret) // of a test's own request
}
