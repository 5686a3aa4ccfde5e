package local

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/template"
	"github.com/cfnresource/sdk-go/internal/cfn/template/secret"
)

// TestReasonsHideTheLongerSecretFirst: one secret can be the beginning of another,
// whose rest is not to be seen either.
func TestReasonsHideTheLongerSecretFirst(t *testing.T) {
	secrets := distinct([]string{"sesame-street", "sesame", "sesame"})
	if len(secrets) != 2 {
		t.Fatalf("%q", secrets)
	}
	got := HideEvent(engine.Event{ResourceStatusReason: "the password sesame-street is refused"}, secrets).ResourceStatusReason
	if strings.Contains(got, "street") {
		t.Errorf("the reason is %q", got)
	}
}

// TestReasonsHideWhatIsQuoted: the reason of a registered type's row has the handler's
// message as fmt quotes it.
func TestReasonsHideWhatIsQuoted(t *testing.T) {
	for _, secret := range []string{"open\u00a0sesame", "open\x01sesame", "open\u200bsesame", `open"\sesame`, "open\x7fsesame"} {
		reason := fmt.Sprintf("Resource handler returned message: %q", "refused: "+secret)
		if got := hideIn(reason, []string{secret}); strings.Contains(got, "sesame") {
			t.Errorf("the reason is %s", got)
		}
	}
}

// TestSecretNumbers: what a schema makes a number of what was made of a parameter with
// NoEcho is hidden as it is written.
func TestSecretNumbers(t *testing.T) {
	plans := []*template.Plan{{Secrets: map[string][]secret.Path{"Door": {{"Pin"}}}}}
	properties := engine.Properties(`{"Name":"a","Pin":12345678901234567890}`)
	secrets := secretProperties("Door", plans, properties)
	if got := string(HideValues([]byte(properties), secrets)); strings.Contains(got, "1234567890") {
		t.Errorf("they are shown as %s", got)
	}
}

// TestPageHidesTheLinesOfASecret: a handler's log is kept line by line, and a key has
// several lines.
func TestPageHidesTheLinesOfASecret(t *testing.T) {
	h, _ := pagesOf(t)
	record, err := h.Stack("shop")
	if err != nil {
		t.Fatal(err)
	}
	record.Former = append(record.Former, "-----BEGIN KEY-----\r\nc2VzYW1lb3Blbg\r\n-----END KEY-----\r\n")
	story, err := h.story(record)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"c2VzYW1lb3Blbg", "key: c2VzYW1lb3Blbg", `{"msg":"c2VzYW1lb3Blbg"}`} {
		if got := string(story.Hide([]byte(line))); strings.Contains(got, "c2Vz") {
			t.Errorf("%s is shown as %s", line, got)
		}
	}
}
