package sigv4_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/sigv4"
)

const form = "Action=CreateStack&Version=2010-05-15&StackName=shop"

var now = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// signed returns a request as a client of the SDK sends it.
func signed(t *testing.T, k sigv4.Key, at time.Time, change func(*http.Request)) *http.Request {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:4000/", strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	sum := sha256.Sum256([]byte(form))
	err := v4.NewSigner().SignHTTP(context.Background(), aws.Credentials{AccessKeyID: k.ID, SecretAccessKey: k.Secret}, r, hex.EncodeToString(sum[:]), "cloudformation", "us-east-1", at)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	return r
}

func TestOnlyWhatTheKeySignedIsTaken(t *testing.T) {
	k := sigv4.NewKey()
	for name, tt := range map[string]struct {
		request *http.Request
		body    string
		want    error
	}{
		"signed":                {signed(t, k, now, nil), form, nil},
		"14 minutes ago":        {signed(t, k, now.Add(-14*time.Minute), nil), form, nil},
		"an hour ago":           {signed(t, k, now.Add(-time.Hour), nil), form, sigv4.ErrTime},
		"in an hour":            {signed(t, k, now.Add(time.Hour), nil), form, sigv4.ErrTime},
		"by another key":        {signed(t, sigv4.NewKey(), now, nil), form, sigv4.ErrKey},
		"with another secret":   {signed(t, sigv4.Key{ID: k.ID, Secret: "another"}, now, nil), form, sigv4.ErrSignature},
		"with another body":     {signed(t, k, now, nil), form + "&OnFailure=DELETE", sigv4.ErrSignature},
		"for another host":      {signed(t, k, now, func(r *http.Request) { r.Host = "127.0.0.1:4001" }), form, sigv4.ErrSignature},
		"with another query":    {signed(t, k, now, func(r *http.Request) { r.URL.RawQuery = "Action=DeleteStack" }), form, sigv4.ErrSignature},
		"with another path":     {signed(t, k, now, func(r *http.Request) { r.URL.Path = "/other" }), form, sigv4.ErrSignature},
		"with another method":   {signed(t, k, now, func(r *http.Request) { r.Method = http.MethodPut }), form, sigv4.ErrSignature},
		"with another type":     {signed(t, k, now, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }), form, sigv4.ErrSignature},
		"with another date":     {signed(t, k, now, func(r *http.Request) { r.Header.Set("X-Amz-Date", "20260701T120001Z") }), form, sigv4.ErrSignature},
		"without a date":        {signed(t, k, now, func(r *http.Request) { r.Header.Del("X-Amz-Date") }), form, sigv4.ErrMalformed},
		"not signed":            {httptest.NewRequest(http.MethodPost, "/", nil), "", sigv4.ErrUnsigned},
		"with a bearer's token": {signed(t, k, now, func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }), form, sigv4.ErrMalformed},
		"a header not signed": {signed(t, k, now, func(r *http.Request) {
			a := r.Header.Get("Authorization")
			r.Header.Set("Authorization", strings.Replace(a, "host;", "", 1))
		}), form, sigv4.ErrMalformed},
	} {
		if err := k.Verify(tt.request, []byte(tt.body), "cloudformation", now); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
	if err := k.Verify(signed(t, k, now, nil), []byte(form), "lambda", now); !errors.Is(err, sigv4.ErrMalformed) {
		t.Errorf("for another service: %v", err)
	}
}

func FuzzVerify(f *testing.F) {
	f.Add("AWS4-HMAC-SHA256 Credential=A/20260701/us-east-1/cloudformation/aws4_request, SignedHeaders=host;x-amz-date, Signature=" + strings.Repeat("0", 64))
	k := sigv4.NewKey()
	f.Fuzz(func(t *testing.T, authorization string) {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.Header.Set("Authorization", authorization)
		r.Header.Set("X-Amz-Date", "20260701T120000Z")
		if err := k.Verify(r, nil, "cloudformation", now); err == nil {
			t.Errorf("%q is taken", authorization)
		}
	})
}
