package mask

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

func TestSignaturesAreHidden(t *testing.T) {
	for _, text := range []string{
		`url=https://b.s3.amazonaws.com/k?X-Amz-Algorithm=A&X-Amz-Credential=SECRET%2Fs3&X-Amz-Signature=SECRET rest`,
		`"https://b/k?AWSAccessKeyId=SECRET&Expires=1&Signature=SECRET" rest`,
		`to=https%3A%2F%2Fb%2Fk%3FX-Amz-Credential%3DSECRET%252Fs3%26X-Amz-Signature%3dSECRET%26and rest`,
		`to=https%253A%252F%252Fb%252Fk%253FX-Amz-Credential%253DSECRET%25252Fs3%2526X-Amz-Signature%253DSECRET%2526and rest`,
		`"https://b/k?X-Amz-Credential\u003dSECRET\u0026X-Amz-Signature\u003dSECRET" rest`,
	} {
		if got := Signatures(text); strings.Contains(got, "SECRET") || !strings.HasSuffix(got, "rest") {
			t.Errorf("%s", got)
		}
	}
}

// A secret is hidden as JSON writes it, where another one holds it, and without breaking the JSON.
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
		got := string(JSON([]byte(test.text), Of(test.secrets)))
		if got != test.want || json.Valid([]byte(test.text)) && !json.Valid([]byte(got)) {
			t.Errorf("%s: %s, want %s", test.text, got, test.want)
		}
	}
}

func TestSecretDataIsThatOfNoEcho(t *testing.T) {
	if got := SecretsOf(`{"NoEcho":true,"Data":{"A":"one","B":["two",{"C":"three"}],"D":-12345678901234567890}}`); len(got) != 4 || !slices.Contains(got, "-12345678901234567890") {
		t.Errorf("%v", got)
	}
	for _, answer := range []string{`{"Data":{"A":"one"}}`, `not JSON`, ``} {
		if got := SecretsOf(answer); got != nil {
			t.Errorf("%s: %v", answer, got)
		}
	}
}

// TestReasonsOfAStackAreHidden: wherever a stack has a reason, a secret in it is hidden in the copy.
func TestReasonsOfAStackAreHidden(t *testing.T) {
	const reason = "sesame is refused"
	one := func() *engine.Stack {
		return &engine.Stack{
			StatusReason: reason,
			Events:       []engine.Event{{ResourceStatusReason: reason, ResourceProperties: `{"A":"sesame"}`}},
			Resources:    []*engine.StackResource{{StatusReason: reason}},
			Leaving:      []*engine.StackResource{{StatusReason: reason}},
			Left:         []engine.Left{{Why: reason}},
		}
	}
	whole := one()
	whole.Nested = []*engine.Stack{one()}
	for secrets, want := range map[string]int{"sesame": 0, "another": 12} {
		text, err := json.Marshal(Stack(whole, Of([]string{secrets})))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(text), "sesame"); got != want {
			t.Errorf("%d of 12 are shown, want %d: %s", got, want, text)
		}
	}
}

// TestReasonsHideTheLongerSecretFirst: one secret can be the beginning of another,
// whose rest is not to be seen either.
func TestReasonsHideTheLongerSecretFirst(t *testing.T) {
	secrets := Of([]string{"sesame", "sesame-street", "sesame"})
	if got := secrets.Texts(); len(got) != 2 {
		t.Fatalf("%q", got)
	}
	got := Event(engine.Event{ResourceStatusReason: "the password sesame-street is refused"}, secrets).ResourceStatusReason
	if strings.Contains(got, "street") {
		t.Errorf("the reason is %q", got)
	}
}

// TestReasonsHideWhatIsQuoted: the reason of a registered type's row has the handler's
// message as fmt quotes it.
func TestReasonsHideWhatIsQuoted(t *testing.T) {
	for _, secret := range []string{"open\u00a0sesame", "open\x01sesame", "open\u200bsesame", `open"\sesame`, "open\x7fsesame"} {
		reason := fmt.Sprintf("Resource handler returned message: %q", "refused: "+secret)
		if got := Text(reason, Of([]string{secret})); strings.Contains(got, "sesame") {
			t.Errorf("the reason is %s", got)
		}
	}
}

// TestSecretsOfBefore: what is learned later is hidden beside what was known, and the lines of both.
func TestSecretsOfBefore(t *testing.T) {
	secrets := Of([]string{"sesame"}).With([]string{"two\nlines", "sesame"}).ByLine()
	if got, want := Text("sesame: lines", secrets), Hidden+": "+Hidden; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
