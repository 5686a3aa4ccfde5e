package cfnresource_test

import (
	"bytes"
	"context"
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
