package testrun

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// path is one of CloudFormation's form.
const path = "/arn%3Aaws%3Acloudformation%3Aus-west-2%3A123456789012%3Astack/app/96896520-7ca9-11f1-99e5-06858cc65c2f%7CThing%7C6245fb70-1335-46ef-8452-2a0cde2f8238"

var key = ExampleKey("us-west-2")

// The first of each kind is Amazon's own example; the second was computed with
// Python's hmac and hashlib, line by line.
func TestSignatureVersion2(t *testing.T) {
	if got, want := key.SignatureV2("GET", "/johnsmith/photos/puppy.jpg", "1175139620", http.Header{}), "NpgCjnDzrM+WFzoENXmpNDUsSn8="; got != want {
		t.Errorf("Amazon's example: signature %s, want %s", got, want)
	}
	if got, want := key.SignatureV2("PUT", "/cloudformation-custom-resource-response-uswest2"+path, "1764000000", http.Header{}), "q8W8hg/nUNNy3wJda4zH1CAoNxQ="; got != want {
		t.Errorf("CloudFormation's form: signature %s, want %s", got, want)
	}
}

func TestSignatureVersion4(t *testing.T) {
	example := url.Values{
		"X-Amz-Algorithm":     {"AWS4-HMAC-SHA256"},
		"X-Amz-Credential":    {key.Access + "/20130524/us-east-1/s3/aws4_request"},
		"X-Amz-Date":          {"20130524T000000Z"},
		"X-Amz-Expires":       {"86400"},
		"X-Amz-SignedHeaders": {"host"},
	}
	if got, want := key.SignatureV4("GET", "examplebucket.s3.amazonaws.com", "/test.txt", example), "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"; got != want {
		t.Errorf("Amazon's example: signature %s, want %s", got, want)
	}
	signed := key.QueryV4("PUT", "cloudformation-custom-resource-response-uswest2.s3.us-west-2.amazonaws.com", path, time.Date(2025, 11, 24, 16, 0, 0, 0, time.UTC), 2*time.Hour)
	if want := "&X-Amz-Signature=636c81f4f9700dfd349f156bea672b76e2d3248d2808241cad525bd703eea7fc"; !strings.HasSuffix(signed, want) {
		t.Errorf("CloudFormation's form: %s, want %s at its end", signed, want)
	}
}
