package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/registry"
)

// asking is a shelf whose Create asks for what the request has of the account.
type asking struct {
	*shelf
	ask func(ctx context.Context) error
}

func (a asking) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	if err := a.ask(ctx); err != nil {
		return data{}, err
	}
	return a.shelf.Create(ctx, req)
}

const caller = `,"callerCredentials":{"accessKeyId":"AKIACALLER","secretAccessKey":"callers","sessionToken":"session"}`

// The caller's credentials are the request's, and their lack is InvalidCredentials
// before anything is called.
func TestCredentials(t *testing.T) {
	var key string
	s := asking{newShelf(), func(ctx context.Context) error {
		c, err := registry.Credentials(ctx).Retrieve(ctx)
		key = c.AccessKeyID + " " + c.SessionToken
		return err
	}}
	d := registry.New(typeName, s)
	if a := invoke(t, d, event{action: "CREATE", properties: asked}.json()); a.ErrorCode != "InvalidCredentials" || s.made != 0 {
		t.Errorf("without credentials the answer is %+v, and %d things are made", a, s.made)
	}
	if a := invoke(t, d, event{action: "CREATE", token: "2", properties: asked, more: caller}.json()); a.Status != "SUCCESS" || key != "AKIACALLER session" {
		t.Errorf("with credentials the answer is %+v, the key %s", a, key)
	}
}

// The type's configuration is read as properties are; what is wrong with it has a
// code of its own, and its text no value.
func TestConfiguration(t *testing.T) {
	type configuration struct {
		Key     string `cfn:"required,secret"`
		Retries int    `cfn:"default=3"`
	}
	for _, test := range []struct{ name, more, code string }{
		{"right", `,"typeConfiguration":{"Key":"hush-hush"}`, ""},
		{"missing", ``, "InvalidTypeConfiguration"},
		{"of another type", `,"typeConfiguration":{"Key":"hush-hush","Retries":"hush-hush"}`, "InvalidTypeConfiguration"},
		{"with a member too much", `,"typeConfiguration":{"Key":"hush-hush","Kye":1}`, "InvalidTypeConfiguration"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got configuration
			s := asking{newShelf(), func(ctx context.Context) (err error) {
				got, err = registry.Configuration[configuration](ctx)
				return err
			}}
			a := invoke(t, registry.New(typeName, s), event{action: "CREATE", properties: asked, more: test.more}.json())
			const cure = "aws cloudformation set-type-configuration --type RESOURCE --type-name " + typeName
			if a.ErrorCode != test.code || strings.Contains(a.Message, "hush") || strings.Contains(a.Message, cure) != (test.code != "") || strings.Contains(a.Message, "template") {
				t.Errorf("the answer is %+v, want the code %q, and what to do", a, test.code)
			}
			if want := (configuration{"hush-hush", 3}); test.code == "" && got != want {
				t.Errorf("the configuration is %+v", got)
			}
		})
	}
}

// A logGroup plays CloudWatch Logs, and keeps what is called, and by whom.
type logGroup struct {
	mu     sync.Mutex
	absent bool // the group and its stream
	calls  []string
	text   string
}

func (l *logGroup) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	l.mu.Lock()
	defer l.mu.Unlock()
	_, call, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	l.calls = append(l.calls, call)
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	switch {
	case !strings.Contains(r.Header.Get("Authorization"), "AKIAPROVIDER"):
		w.WriteHeader(http.StatusForbidden)
	case call == "CreateLogGroup":
		l.absent = false
		_, _ = io.WriteString(w, "{}")
	case l.absent:
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"__type":"ResourceNotFoundException"}`)
	default:
		if call == "PutLogEvents" {
			l.text += string(body)
		}
		_, _ = io.WriteString(w, "{}")
	}
}

const provider = `,"providerLogGroupName":"things","providerCredentials":{"accessKeyId":"AKIAPROVIDER","secretAccessKey":"providers","sessionToken":"s"}`

// Records go to the log group of the account that uses the type, with the
// credentials that came for it. They hold no secret, and neither credentials.
func TestLogs(t *testing.T) {
	group := &logGroup{absent: true}
	server := httptest.NewServer(group)
	defer server.Close()
	t.Setenv("AWS_ENDPOINT_URL_CLOUDWATCH_LOGS", server.URL)
	t.Setenv("AWS_REGION", "eu-west-1")
	s := asking{newShelf(), func(ctx context.Context) error {
		registry.Logger(ctx).Info("the handler's words about hush-hush")
		return nil
	}}
	d := registry.New(typeName, s)
	if a := invoke(t, d, event{action: "CREATE", properties: asked, more: caller + provider}.json()); a.Status != "SUCCESS" {
		t.Fatalf("the answer is %+v", a)
	}
	for _, want := range []string{"the handler's words", "Create succeeded", "CREATE is answered SUCCESS"} {
		if !strings.Contains(group.text, want) {
			t.Errorf("the log does not say %q:\n%s", want, group.text)
		}
	}
	for _, secret := range []string{"hush", "AKIA", "callers", "providers"} {
		if strings.Contains(group.text, secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
	if want := "PutLogEvents CreateLogStream CreateLogGroup CreateLogStream PutLogEvents"; strings.Join(group.calls, " ") != want {
		t.Errorf("the calls are %q, want %s", group.calls, want)
	}
}

// A log group that cannot be written fails no request.
func TestLogsThatFail(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	t.Setenv("AWS_ENDPOINT_URL_CLOUDWATCH_LOGS", server.URL)
	t.Setenv("AWS_REGION", "eu-west-1")
	if a := invoke(t, newType(t, newShelf()), event{action: "LIST", more: provider}.json()); a.Status != "SUCCESS" {
		t.Errorf("the answer is %+v", a)
	}
}

// Whatever comes, the answer is one of the contract's forms.
func FuzzInvoke(f *testing.F) {
	f.Add(event{action: "CREATE", properties: asked, more: caller}.json())
	f.Add(event{action: "UPDATE", properties: `{"PhysicalResourceId":"t-1"}`, context: json.RawMessage(`{"cfnresource":1,"action":"UPDATE","token":"token-1","calls":1,"settled":"t-1"}`)}.json())
	f.Add([]byte(`{"action":"LIST","requestData":{"resourceProperties":{"a":`))
	quiet := func(o *registry.Options) { o.Logger = slog.New(slog.DiscardHandler) }
	d := registry.New(typeName, newShelf(), quiet)
	f.Fuzz(func(t *testing.T, payload []byte) {
		if strings.Contains(string(payload), "providerLogGroupName") {
			t.Skip("nothing is to be sent anywhere")
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond) // a Poll may wait for nothing
		defer cancel()
		raw, err := d.Invoke(ctx, payload)
		var a answer
		if err != nil || json.Unmarshal(raw, &a) != nil {
			t.Fatalf("%q is answered %s, %v", payload, raw, err)
		}
		switch {
		case a.Status == "SUCCESS" && a.ErrorCode == "" && a.CallbackContext == nil:
		case a.Status == "FAILED" && a.ErrorCode != "" && a.Message != "" && a.CallbackContext == nil && a.CallbackDelaySeconds == 0:
		case a.Status == "IN_PROGRESS" && a.ErrorCode == "" && a.CallbackContext != nil:
		default:
			t.Errorf("%q is answered %s", payload, raw)
		}
	})
}

// A text is cut behind the credentials that stand in it, or in front of them.
func TestNoPartOfCredentialsIsLeftByACut(t *testing.T) {
	var records strings.Builder
	logger := func(o *registry.Options) { o.Logger = slog.New(slog.NewTextHandler(&records, nil)) }
	s := newShelf()
	s.fails = errors.New(strings.Repeat("x", 8<<10-len("key-of")) + "key-of-the-caller") // 8 KB of a text are kept
	invoke(t, registry.New(typeName, s, logger), event{action: "CREATE", properties: asked,
		more: `,"callerCredentials":{"accessKeyId":"AKIA","secretAccessKey":"key-of-the-caller"}`}.json())
	if text := records.String(); strings.Contains(text, "key") || !strings.Contains(text, "xxx") {
		t.Errorf("the records end in %q", text[max(0, len(text)-200):])
	}
}
