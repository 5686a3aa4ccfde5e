package local

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestSignaturesAreHidden(t *testing.T) {
	for _, text := range []string{
		`url=https://b.s3.amazonaws.com/k?X-Amz-Algorithm=A&X-Amz-Credential=SECRET%2Fs3&X-Amz-Signature=SECRET rest`,
		`"https://b/k?AWSAccessKeyId=SECRET&Expires=1&Signature=SECRET" rest`,
		`to=https%3A%2F%2Fb%2Fk%3FX-Amz-Credential%3DSECRET%252Fs3%26X-Amz-Signature%3dSECRET%26and rest`,
		`to=https%253A%252F%252Fb%252Fk%253FX-Amz-Credential%253DSECRET%25252Fs3%2526X-Amz-Signature%253DSECRET%2526and rest`,
		`"https://b/k?X-Amz-Credential\u003dSECRET\u0026X-Amz-Signature\u003dSECRET" rest`,
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
		{`{"A":86420,"B":864201}`, `{"A":"****","B":864201}`, []string{"86420"}},
		{`event: {"A":"a\u0026b\"c"}`, `event: {"A":"****"}`, []string{`a&b"c`}},
		{`event: {"A":"a&b\"c"}`, `event: {"A":"****"}`, []string{`a&b"c`}},
		{`msg="{\"A\":\"a\\u0026b\\\"c\"}"`, `msg="{\"A\":\"****\"}"`, []string{`a&b"c`}},
		{`{"msg":"{\"A\":\"a\\u0026b\\\"c\"}"}`, `{"msg":"{\"A\":\"****\"}"}`, []string{`a&b"c`}},
		{`postgres://app:p%40ss+w@db`, `postgres://app:****@db`, []string{`p@ss w`}},
		{`postgres://app:p%40s%2fs@db`, `postgres://app:****@db`, []string{`p@s/s`}},
		{`postgres://app:p@ss%20w@db`, `postgres://app:****@db`, []string{`p@ss w`}},
		{`{"A":"https://b/k?X-Amz-Signature=abc&B=1","C":2}`, `{"A":"https://b/k?X-Amz-Signature=hidden\u0026B=1","C":2}`, nil},
		{`PUT https://b/k?X-Amz-Signature=abc: timeout`, `PUT https://b/k?X-Amz-Signature=hidden timeout`, []string{"sesame"}},
	} {
		got := string(HideValues([]byte(test.text), test.secrets))
		if got != test.want || json.Valid([]byte(test.text)) && !json.Valid([]byte(got)) {
			t.Errorf("%s: %s, want %s", test.text, got, test.want)
		}
	}
}

func TestSecretDataIsThatOfNoEcho(t *testing.T) {
	if got := SecretData(`{"NoEcho":true,"Data":{"A":"one","B":["two",{"C":"three"}],"D":-12345678901234567890}}`); len(got) != 4 || !slices.Contains(got, "-12345678901234567890") {
		t.Errorf("%v", got)
	}
	for _, answer := range []string{`{"Data":{"A":"one"}}`, `not JSON`, ``} {
		if got := SecretData(answer); got != nil {
			t.Errorf("%s: %v", answer, got)
		}
	}
}
