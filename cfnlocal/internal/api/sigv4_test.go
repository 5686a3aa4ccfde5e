package api

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
)

const createShop = "Action=CreateStack&Version=2010-05-15&StackName=shop"

var signedAt = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// signed returns a request as a client of the SDK sends it.
func signed(t *testing.T, k Key, at time.Time, change func(*http.Request)) *http.Request {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:4000/", strings.NewReader(createShop))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	sum := sha256.Sum256([]byte(createShop))
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
	k := NewKey()
	for name, tt := range map[string]struct {
		request *http.Request
		body    string
		want    error
	}{
		"signed":                {signed(t, k, signedAt, nil), createShop, nil},
		"14 minutes ago":        {signed(t, k, signedAt.Add(-14*time.Minute), nil), createShop, nil},
		"an hour ago":           {signed(t, k, signedAt.Add(-time.Hour), nil), createShop, errTime},
		"in an hour":            {signed(t, k, signedAt.Add(time.Hour), nil), createShop, errTime},
		"by another key":        {signed(t, NewKey(), signedAt, nil), createShop, errKey},
		"with another secret":   {signed(t, Key{ID: k.ID, Secret: "another"}, signedAt, nil), createShop, errSignature},
		"with another body":     {signed(t, k, signedAt, nil), createShop + "&OnFailure=DELETE", errSignature},
		"for another host":      {signed(t, k, signedAt, func(r *http.Request) { r.Host = "127.0.0.1:4001" }), createShop, errSignature},
		"with another query":    {signed(t, k, signedAt, func(r *http.Request) { r.URL.RawQuery = "Action=DeleteStack" }), createShop, errSignature},
		"with another path":     {signed(t, k, signedAt, func(r *http.Request) { r.URL.Path = "/other" }), createShop, errSignature},
		"with another method":   {signed(t, k, signedAt, func(r *http.Request) { r.Method = http.MethodPut }), createShop, errSignature},
		"with another type":     {signed(t, k, signedAt, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }), createShop, errSignature},
		"with another date":     {signed(t, k, signedAt, func(r *http.Request) { r.Header.Set("X-Amz-Date", "20260701T120001Z") }), createShop, errSignature},
		"without a date":        {signed(t, k, signedAt, func(r *http.Request) { r.Header.Del("X-Amz-Date") }), createShop, errUnreadable},
		"not signed":            {httptest.NewRequest(http.MethodPost, "/", nil), "", errUnsigned},
		"with a bearer's token": {signed(t, k, signedAt, func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }), createShop, errUnreadable},
		"a header not signed": {signed(t, k, signedAt, func(r *http.Request) {
			a := r.Header.Get("Authorization")
			r.Header.Set("Authorization", strings.Replace(a, "host;", "", 1))
		}), createShop, errUnreadable},
	} {
		if err := k.verify(tt.request, []byte(tt.body), "cloudformation", signedAt); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
	if err := k.verify(signed(t, k, signedAt, nil), []byte(createShop), "lambda", signedAt); !errors.Is(err, errUnreadable) {
		t.Errorf("for another service: %v", err)
	}
}

func FuzzVerify(f *testing.F) {
	f.Add("AWS4-HMAC-SHA256 Credential=A/20260701/us-east-1/cloudformation/aws4_request, SignedHeaders=host;x-amz-date, Signature=" + strings.Repeat("0", 64))
	k := NewKey()
	f.Fuzz(func(t *testing.T, authorization string) {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.Header.Set("Authorization", authorization)
		r.Header.Set("X-Amz-Date", "20260701T120000Z")
		if err := k.verify(r, nil, "cloudformation", signedAt); err == nil {
			t.Errorf("%q is taken", authorization)
		}
	})
}
