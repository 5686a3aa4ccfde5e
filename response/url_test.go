package response

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

const (
	bucketEU = "cloudformation-custom-resource-response-euwest1.s3-eu-west-1.amazonaws.com"
	pathEU   = "/arn%3Aaws%3Acloudformation%3Aeu-west-1%3A123456789012%3Astack/shop/guid%7CTopic%7C6245fb70"
	queryV4  = "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20211117T025540Z&X-Amz-SignedHeaders=host&X-Amz-Expires=7200&X-Amz-Credential=AKIAXAMPLE%2F20211117%2Feu-west-1%2Fs3%2Faws4_request&X-Amz-Signature=c0ffee"
	queryV2  = "AWSAccessKeyId=AKIAXAMPLE&Expires=1637125000&Signature=c0ffee%3D"
)

func mustParse(t testing.TB, raw string) URL {
	t.Helper()
	u, err := ParseURL(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// However a URL is printed, the signature stays hidden: it is the right to answer for the resource.
func TestURLHidesItsQuery(t *testing.T) {
	u := mustParse(t, "https://user:c0ffee@"+bucketEU+pathEU+"?"+queryV4+"#c0ffee")
	const want = "https://" + bucketEU + pathEU + "?…"
	if u.String() != want {
		t.Errorf("String = %s, want %s", u, want)
	}
	if u.Host() != bucketEU {
		t.Errorf("Host = %s", u.Host())
	}
	var out bytes.Buffer
	type holder struct {
		U      URL
		hidden URL
		list   []URL
	}
	h := holder{u, u, []URL{u}}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%T", "%p", "%w", "%!", "%08.3f"} {
		for _, v := range []any{u, &u, h, &h, []any{u}, map[string]URL{"u": u}} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
	}
	fmt.Fprintln(&out, u, h)
	for _, logger := range []*slog.Logger{slog.New(slog.NewJSONHandler(&out, nil)), slog.New(slog.NewTextHandler(&out, nil))} {
		logger.Info("x", "u", u, "h", h, "p", &h)
	}
	encoded, err := json.Marshal(map[string]any{"u": u, "p": &u, "h": h})
	if err != nil {
		t.Fatal(err)
	}
	out.Write(encoded)
	for _, secret := range []string{"c0ffee", "AKIAXAMPLE", "X-Amz"} {
		if i := strings.Index(out.String(), secret); i >= 0 {
			t.Errorf("%q shows in …%s", secret, out.String()[max(0, i-80):i+20])
		}
	}
	for want, got := range map[string]string{
		`"` + want + `"`:               fmt.Sprintf("%q", u),
		`response.URL("` + want + `")`: fmt.Sprintf("%#v", u),
		``:                             fmt.Sprint(URL{}),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestParseURLErrors(t *testing.T) {
	for name, raw := range map[string]string{
		"none":           "",
		"no scheme":      bucketEU + pathEU + "?" + queryV4,
		"other scheme":   "ftp://" + bucketEU + "/?" + queryV4,
		"no host":        "https:///path?" + queryV4,
		"port only":      "https://:443/path?" + queryV4,
		"opaque":         "https:" + bucketEU + "?" + queryV4,
		"bad escape":     "https://" + bucketEU + "/%zz?" + queryV4,
		"bad port":       "https://" + bucketEU + ":c0ffee/?" + queryV4,
		"no address":     "https://[::1/?" + queryV4,
		"control":        "https://" + bucketEU + "/?\n" + queryV4,
		"request splits": "https://" + bucketEU + "/ HTTP/1.1\r\nHost: x\r\n?" + queryV4,
	} {
		t.Run(name, func(t *testing.T) {
			u, err := ParseURL(raw)
			if err == nil || u.String() != "" {
				t.Fatalf("ParseURL = %v, %v, want an error", u, err)
			}
			if strings.Contains(err.Error(), "c0ffee") || strings.Contains(err.Error(), "X-Amz") || strings.Contains(err.Error(), bucketEU) {
				t.Errorf("the error holds the URL: %v", err)
			}
		})
	}
}

func TestSignedAt(t *testing.T) {
	tests := []struct {
		name, query string
		want        string // "" for none
	}{
		{"SigV4: when it was signed", queryV4, "2021-11-17T02:55:40Z"},
		{"SigV2: two hours before it expires", queryV2, "2021-11-17T02:56:40Z"},
		{"none", "", ""},
		{"a date that is none", "X-Amz-Date=yesterday", ""},
		{"an expiry that is none", "Expires=soon", ""},
		{"an expiry out of range", "Expires=9223372036854775807", ""},
		{"a negative expiry", "Expires=-1", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := mustParse(t, "https://h/p?"+tt.query).SignedAt()
			if ok != (tt.want != "") || ok && got.Format(time.RFC3339) != tt.want {
				t.Errorf("SignedAt = %v, %v, want %q", got, ok, tt.want)
			}
		})
	}
	if _, ok := (URL{}).SignedAt(); ok {
		t.Error("the zero URL has a date")
	}
}

func FuzzParseURL(f *testing.F) {
	f.Add("https://"+bucketEU+pathEU, queryV4)
	f.Add("http://127.0.0.1:8080/", queryV2)
	f.Add("https://a@b:443", "x#y")
	f.Add("https://[::1%25lo]:1/%2f", "Expires=7201")
	f.Add("https:opaque", "%zz")
	f.Fuzz(func(t *testing.T, base, query string) {
		const secret = "Signature=0d15ea5e0d15ea5e"
		u, err := ParseURL(base + "?" + query + "&" + secret)
		shown := fmt.Sprintf("%v %+v %#v %q %x %d", u, u, u, u, u, struct{ u URL }{u})
		if err != nil {
			shown = err.Error()
		}
		if text, _ := u.MarshalText(); strings.Contains(shown+string(text), "0d15ea5e") && !strings.Contains(base, "0d15ea5e") {
			t.Fatalf("the query shows: %s", shown)
		}
		u.SignedAt()
		u.Host()
		sender := NewSender("eu-west-1", SenderOptions{})
		if err := sender.Check(u); err == nil {
			if ok := strings.HasPrefix(strings.ToLower(u.Host()), "cloudformation-custom-resource-response-euwest1.s3"); !ok {
				t.Errorf("allowed: %s", u)
			}
		} else if strings.Contains(err.Error(), "0d15ea5e") && !strings.Contains(base, "0d15ea5e") {
			t.Errorf("the query shows: %v", err)
		}
	})
}
