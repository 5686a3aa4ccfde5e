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
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/hook"
	"github.com/cfnresource/sdk-go/internal/testrun"
	"github.com/cfnresource/sdk-go/response"
)

// Values tagged secret are redacted in what the SDK writes, in the forms in
// which errors quote them.
func TestSecretsAreRedacted(t *testing.T) {
	const secret, old, out = `hun"ter/2 é`, "previous-one", "made-of-it"
	var logged bytes.Buffer
	type secretData struct {
		Key string `cfn:"secret"`
	}
	texts := []string{secret, old, `hun\"ter/2 é`, "hun%22ter%2F2+%C3%A9", "hun%22ter%2F2%20%C3%A9"}
	for _, panics := range []bool{false, true} {
		d := dispatcher(&fake{onUpdate: func(context.Context, *update) (res data, err error) {
			if panics {
				panic(strings.Join(texts, " and "))
			}
			return res, errors.New(strings.Join(texts, " and "))
		}}, func(o *cfnresource.Options) { o.Logger = slog.New(slog.NewTextHandler(&logged, nil)) })
		got := invoke(t, d, event("Update", object{
			"PhysicalResourceId":    "svc-1",
			"ResourceProperties":    object{"Secret": secret},
			"OldResourceProperties": object{"Secret": old},
		}))
		for _, text := range append(texts, old) {
			if strings.Contains(got.Reason, text) || strings.Contains(logged.String(), text) {
				t.Errorf("%q is in the Reason or the log:\n%s\n%s", text, got.Reason, &logged)
			}
		}
		if !strings.Contains(got.Reason, "*** and ***") {
			t.Errorf("Reason %q, want the rest kept", got.Reason)
		}
	}
	t.Run("NoEcho", func(t *testing.T) {
		d := cfnresource.New(cfnresource.Action(func(context.Context, *cfnresource.UpdateRequest[props]) (res secretData, _ error) {
			res.Key = out
			return res, nil
		}), silent)
		if got := invoke(t, d, created(nil)); !got.NoEcho || got.Data["Key"] != out {
			t.Errorf("NoEcho %v, Data %v; want true, and the value", got.NoEcho, got.Data)
		}
	})
}

// What is logged of a call before its event is answered tells no secret of the Data
// beside its error either.
func TestRecordsOfTriesTellNoSecrets(t *testing.T) {
	const secret = "made-of-it"
	type secretData struct {
		Key string `cfn:"secret"`
	}
	for name, err := range map[string]error{
		"is tried again":     cfnresource.Errorf(cfnresource.CodeThrottling, "too soon for %s", secret),
		"is not tried again": errors.New("503 for " + secret),
	} {
		for _, p := range []payload{created(nil), updated("svc-1", "a", "a")} {
			bubble(t, func(t *testing.T) {
				option, log := logged()
				tries := 0
				got := invoke(t, cfnresource.New(cfnresource.Action(func(context.Context, *update) (secretData, error) {
					if tries++; tries < 3 {
						return secretData{secret}, err
					}
					return secretData{secret}, nil
				}), option), p)
				if !strings.Contains(log.String(), name) || strings.Contains(log.String()+got.Reason, secret) {
					t.Errorf("logged, which should say that it %s: %s", name, log)
				}
			})
		}
	}
}

// A physical ID that is made of a secret goes to CloudFormation as it is, and into the log
// without it.
func TestPhysicalIDsInRecordsTellNoSecrets(t *testing.T) {
	const secret = "hunter2-hunter2"
	for name, fails := range map[string]error{"succeeds": nil, "fails": errSome} {
		bubble(t, func(t *testing.T) {
			option, log := logged()
			h := creates(func(_ context.Context, req *create) (data, error) {
				req.Created("id-" + req.Properties.Secret)
				return nil, fails
			})
			got := invoke(t, dispatcher(h, option), created(object{"ResourceProperties": object{"Secret": secret}}))
			if got.PhysicalResourceId != "id-"+secret || strings.Contains(log.String(), secret) {
				t.Errorf("%s: answered %s, and logged %s", name, got.PhysicalResourceId, log)
			}
		})
	}
}

// A leakyConnector refuses to do one thing, with an error that holds the URL.
type leakyConnector struct{ refuses string }

// do returns the error of http.Client.
func (c *leakyConnector) do(what string) error {
	if what != c.refuses {
		return nil
	}
	return &url.Error{Op: "Put", URL: signedURL(time.Now(), "r1"), Err: errors.New("no route")}
}

func (c *leakyConnector) Check(response.URL) error                               { return c.do("Check") }
func (c *leakyConnector) Connect(context.Context, response.URL) error            { return c.do("Connect") }
func (c *leakyConnector) Send(_ context.Context, _ response.URL, _ []byte) error { return c.do("Send") }

// Whatever a Sender's errors hold, the SDK does not write the signed URL.
func TestSignedURLStaysOut(t *testing.T) {
	for _, refuses := range []string{"Check", "Connect", "Send"} {
		bubble(t, func(t *testing.T) {
			var logged bytes.Buffer
			create := func(context.Context, *create) (res data, _ error) {
				synctest.Wait() // for Connect
				return res, nil
			}
			d := dispatcher(&fake{onCreate: create}, func(o *cfnresource.Options) {
				o.Logger = slog.New(slog.NewJSONHandler(&logged, nil))
				o.Sender = &leakyConnector{refuses: refuses}
			})
			_, err := d.Invoke(t.Context(), created(nil)())
			told := fmt.Sprint(err, &logged)
			if strings.Contains(told, "5ec2e7") || strings.Contains(told, "X-Amz") || !strings.Contains(told, "no route") {
				t.Errorf("%s: the signed URL is in it, or the error is not: %s", refuses, told)
			}
		})
	}
}

// The secrets of both sides are redacted in what is known of a death.
func TestDeathsTellNoSecrets(t *testing.T) {
	p := event("Update", object{
		"PhysicalResourceId": "svc-1", "ResourceProperties": object{"Secret": "new-secret-1"}, "OldResourceProperties": object{"Secret": "old-secret-1"},
	})
	got := invoke(t, dispatcher(&fake{}), func() []byte {
		return encode(object{
			"requestContext": object{"condition": "RetriesExhausted"}, "requestPayload": json.RawMessage(p()),
			"responsePayload": object{"errorMessage": "from old-secret-1 to new-secret-1"},
		})
	})
	if !strings.Contains(got.Reason, "from *** to ***") {
		t.Errorf("Reason %q", got.Reason)
	}
}

// What died may have been another library, whose errors hold the URL to which it answers.
func TestDeathsTellNoSignedURL(t *testing.T) {
	address := signedURL(time.Now(), "r1")
	option, log := logged()
	got := invoke(t, dispatcher(&fake{}, option), func() []byte {
		return encode(object{
			"requestContext": object{"condition": "RetriesExhausted"}, "requestPayload": json.RawMessage(created(object{"ResponseURL": address})()),
			"responsePayload": object{"errorMessage": fmt.Sprintf("Put %q: no route", address)},
		})
	})
	if told := got.Reason + log.String(); !strings.Contains(told, "no route") || strings.Contains(told, "X-Amz") || strings.Contains(told, "5ec2e7") {
		t.Errorf("the signed URL is told, or the error is not: %s", told)
	}
}

// A Sender's error is text of the user's: it is redacted like a handler's.
func TestSendersErrorIsRedacted(t *testing.T) {
	d := cfnresource.New(target{}, silent)
	rec := recorder{err: errors.New(strings.Repeat("\nFAKE hunter2hunter2 ", 100_000))}
	_, err := d.Invoke(hook.WithSender(t.Context(), &rec), created(object{"ResourceProperties": object{"Secrets": []string{"hunter2hunter2"}}})())
	if err == nil || len(err.Error()) > 16<<10 || strings.ContainsAny(err.Error(), "\n") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%.300v", err)
	}
}

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
				h := creates(func(ctx context.Context, _ *create) (data, error) {
					if known {
						cfnresource.Secret(ctx, secret, "another-one")
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
}
