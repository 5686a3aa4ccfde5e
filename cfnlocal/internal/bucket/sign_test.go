package bucket

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// The key pair of Amazon's documents, which no account has.
var example = keys{access: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}

const (
	examplePath = "/arn%3Aaws%3Acloudformation%3Aus-west-2%3A123456789012%3Astack/app/96896520-7ca9-11f1-99e5-06858cc65c2f%7CThing%7C6245fb70-1335-46ef-8452-2a0cde2f8238"
	exampleHost = "cloudformation-custom-resource-response-uswest2.s3.us-west-2.amazonaws.com"
)

// The first is Amazon's own example; the second was computed line by line with
// Python's hmac and hashlib.
func TestSignatureVersion4(t *testing.T) {
	query := url.Values{
		"X-Amz-Algorithm":     {"AWS4-HMAC-SHA256"},
		"X-Amz-Credential":    {example.access + "/20130524/us-east-1/s3/aws4_request"},
		"X-Amz-Date":          {"20130524T000000Z"},
		"X-Amz-Expires":       {"86400"},
		"X-Amz-SignedHeaders": {"host"},
	}
	got, _ := example.sign(http.MethodGet, "examplebucket.s3.amazonaws.com", "/test.txt", query)
	if want := "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"; got != want {
		t.Errorf("Amazon's example: signature %s, want %s", got, want)
	}
	signed := example.query(exampleHost, examplePath, "us-west-2", time.Date(2025, 11, 24, 16, 0, 0, 0, time.UTC), 2*time.Hour)
	if want := "&X-Amz-Signature=636c81f4f9700dfd349f156bea672b76e2d3248d2808241cad525bd703eea7fc"; !strings.HasSuffix(signed, want) {
		t.Errorf("CloudFormation's form: %s, want %s at its end", signed, want)
	}
}

// The URL is in the form that events have: handlers and their log filters are written for it.
func TestURLsHaveCloudFormationsForm(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	b := newBucket("http://127.0.0.1:8000", Config{Region: "us-west-2", Now: func() time.Time { return now }})
	r := Request{"arn:aws:cloudformation:us-west-2:123456789012:stack/app/96896520-7ca9-11f1-99e5-06858cc65c2f", "Thing", "6245fb70-1335-46ef-8452-2a0cde2f8238"}
	path, query, _ := strings.Cut(b.Sign(r), "?")
	if want := b.Origin() + examplePath; path != want {
		t.Errorf("the URL is %s, want %s", path, want)
	}
	for _, part := range []string{
		"X-Amz-Algorithm=AWS4-HMAC-SHA256", "X-Amz-Date=20260501T120000Z", "X-Amz-SignedHeaders=host", "X-Amz-Expires=7200",
		"X-Amz-Credential=AKIA", "%2F20260501%2Fus-west-2%2Fs3%2Faws4_request", "X-Amz-Signature=",
	} {
		if !strings.Contains(query, part) {
			t.Errorf("the query %s has no %s", query, part)
		}
	}
	if strings.Contains(query, "X-Amz-Security-Token") {
		t.Errorf("the query %s has a token, and CloudFormation's has none", query)
	}
}

// Whoever knows one URL knows no other: keys are random, and each bucket's own.
func TestKeysAreSecret(t *testing.T) {
	one, two := newBucket("http://127.0.0.1:1", Config{}), newBucket("http://127.0.0.1:1", Config{})
	if one.keys == two.keys || len(one.keys.secret) < 26 || len(one.keys.access) != 20 {
		t.Errorf("the access keys %s and %s, want two random ones", one.keys.access, two.keys.access)
	}
	if strings.Contains(one.Sign(Request{}), one.keys.secret) {
		t.Error("the URL holds the secret")
	}
}
