package local

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestSignaturesAreHidden(t *testing.T) {
	for _, text := range []string{
		`url=https://b.s3.amazonaws.com/k?X-Amz-Algorithm=A&X-Amz-Credential=SECRET%2Fs3&X-Amz-Signature=SECRET rest`,
		`"https://b/k?AWSAccessKeyId=SECRET&Expires=1&Signature=SECRET" rest`,
	} {
		if got := hideSignature(text); strings.Contains(got, "SECRET") || !strings.HasSuffix(got, "rest") {
			t.Errorf("%s", got)
		}
	}
}

// A secret is hidden as JSON writes it, where another one holds it, and without
// breaking the JSON.
func TestValuesAreHidden(t *testing.T) {
	for _, test := range []struct {
		text, want string
		secrets    []string
	}{
		{`{"A":"sesame","B":"x sesame y"}`, `{"A":"****","B":"x **** y"}`, []string{"sesame"}},
		{`{"A":"open sesame"}`, `{"A":"****"}`, []string{"open", "open sesame"}},
		{`{"A":"a\"b\\c\n<&>"}`, `{"A":"****"}`, []string{"a\"b\\c\n<&>"}},
		{`{"A":"ab","B":"abc"}`, `{"A":"****","B":"abc"}`, []string{"ab"}},
		{`{"A":"\u0073esame"}`, `{"A":"****"}`, []string{"sesame"}},
		{`no JSON, sesame`, `no JSON, ****`, []string{"sesame"}},
		{`{"A":""}`, `{"A":""}`, []string{""}},
	} {
		got := string(HideValues([]byte(test.text), test.secrets))
		if got != test.want || json.Valid([]byte(test.text)) && !json.Valid([]byte(got)) {
			t.Errorf("%s: %s, want %s", test.text, got, test.want)
		}
	}
}

func TestSecretDataIsThatOfNoEcho(t *testing.T) {
	if got := SecretData(`{"NoEcho":true,"Data":{"A":"one","B":["two",{"C":"three"}]}}`); len(got) != 3 {
		t.Errorf("%v", got)
	}
	for _, answer := range []string{`{"Data":{"A":"one"}}`, `not JSON`, ``} {
		if got := SecretData(answer); got != nil {
			t.Errorf("%s: %v", answer, got)
		}
	}
}
