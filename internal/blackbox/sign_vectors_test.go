package blackbox

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

const (
	vectorPath   = "/arn%3Aaws%3Acloudformation%3Aus-west-2%3A123456789012%3Astack/app/96896520-7ca9-11f1-99e5-06858cc65c2f%7CThing%7C6245fb70-1335-46ef-8452-2a0cde2f8238"
	vectorHostV2 = "cloudformation-custom-resource-response-uswest2.s3-us-west-2.amazonaws.com"
	vectorHostV4 = "cloudformation-custom-resource-response-uswest2.s3.us-west-2.amazonaws.com"
)

// The first of each kind is Amazon's own example; the second was computed with
// Python's hmac and hashlib, line by line.
func TestSignatureVersion2(t *testing.T) {
	if got, want := signV2("GET", "johnsmith.s3.amazonaws.com", "/photos/puppy.jpg", "1175139620", http.Header{}), "NpgCjnDzrM+WFzoENXmpNDUsSn8="; got != want {
		t.Errorf("Amazon's example: signature %s, want %s", got, want)
	}
	if got, want := signV2("PUT", vectorHostV2, vectorPath, "1764000000", http.Header{}), "q8W8hg/nUNNy3wJda4zH1CAoNxQ="; got != want {
		t.Errorf("CloudFormation's form: signature %s, want %s", got, want)
	}
}

func TestSignatureVersion4(t *testing.T) {
	example := url.Values{
		"X-Amz-Algorithm":     {"AWS4-HMAC-SHA256"},
		"X-Amz-Credential":    {accessKey + "/20130524/us-east-1/s3/aws4_request"},
		"X-Amz-Date":          {"20130524T000000Z"},
		"X-Amz-Expires":       {"86400"},
		"X-Amz-SignedHeaders": {"host"},
	}
	if got, want := signV4("GET", "examplebucket.s3.amazonaws.com", "/test.txt", example), "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"; got != want {
		t.Errorf("Amazon's example: signature %s, want %s", got, want)
	}
	signed := presignV4(vectorHostV4, vectorPath, "us-west-2", time.Date(2025, 11, 24, 16, 0, 0, 0, time.UTC))
	if want := "&X-Amz-Signature=636c81f4f9700dfd349f156bea672b76e2d3248d2808241cad525bd703eea7fc"; !strings.HasSuffix(signed, want) {
		t.Errorf("CloudFormation's form: %s, want %s at its end", signed, want)
	}
}

// A bucket that takes what Amazon's would refuse proves nothing.
func TestAuthorize(t *testing.T) {
	birth := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	v2, v4 := presignV2(vectorHostV2, vectorPath, birth), presignV4(vectorHostV4, vectorPath, "us-west-2", birth)
	plain := http.Header{}
	for _, c := range []struct {
		name, method, url string
		header            http.Header
		after             time.Duration
		want              string
	}{
		{"version 2", "PUT", v2, plain, time.Minute, ""},
		{"version 4", "PUT", v4, plain, time.Minute, ""},
		{"version 2 signs an empty Content-Type", "PUT", v2, http.Header{"Content-Type": {"application/json"}}, time.Minute, "SignatureDoesNotMatch"},
		{"version 4 signs the host alone", "PUT", v4, http.Header{"Content-Type": {"application/json"}}, time.Minute, ""},
		{"version 2 signs amz headers", "PUT", v2, http.Header{"X-Amz-Acl": {"private"}}, time.Minute, "SignatureDoesNotMatch"},
		{"version 2, another method", "POST", v2, plain, time.Minute, "SignatureDoesNotMatch"},
		{"version 4, another method", "POST", v4, plain, time.Minute, "SignatureDoesNotMatch"},
		{"version 2, after two hours", "PUT", v2, plain, urlLife + time.Second, "AccessDenied"},
		{"version 4, after two hours", "PUT", v4, plain, urlLife + time.Second, "AccessDenied"},
		{"version 2, path decoded", "PUT", strings.ReplaceAll(v2, "%7C", "|"), plain, time.Minute, "SignatureDoesNotMatch"},
		{"version 4, path decoded: S3 encodes it again", "PUT", strings.ReplaceAll(v4, "%7C", "|"), plain, time.Minute, ""},
		{"version 2, another key", "PUT", strings.ReplaceAll(v2, "Thing", "Think"), plain, time.Minute, "SignatureDoesNotMatch"},
		{"version 4, another key", "PUT", strings.ReplaceAll(v4, "Thing", "Think"), plain, time.Minute, "SignatureDoesNotMatch"},
		{"version 4, another host", "PUT", strings.ReplaceAll(v4, ".s3.us", ".s3-us"), plain, time.Minute, "SignatureDoesNotMatch"},
		{"version 2, the bucket's other host", "PUT", strings.ReplaceAll(v2, ".s3-us", ".s3.us"), plain, time.Minute, ""},
		{"version 2, another access key", "PUT", strings.ReplaceAll(v2, accessKey, "AKIAOTHER"), plain, time.Minute, "InvalidAccessKeyId"},
		{"no signature", "PUT", "https://" + vectorHostV2 + vectorPath + "?a=b", plain, time.Minute, "AccessDenied"},
	} {
		t.Run(c.name, func(t *testing.T) {
			host, rest, _ := strings.Cut(strings.TrimPrefix(c.url, "https://"), "/")
			path, query, _ := strings.Cut("/"+rest, "?")
			got := ""
			if err := authorize(c.method, host, path, query, c.header, birth.Add(c.after)); err != nil {
				got = err.code
			}
			if got != c.want {
				t.Errorf("code %q, want %q", got, c.want)
			}
		})
	}
}
