package blackbox

import (
	"crypto/hmac"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

const urlLifetime = 2 * time.Hour

// accessKey is what the response bucket's URLs are signed with.
var accessKey = testrun.ExampleKey("").Access

// presignV2 signs a PUT of an escaped path to one of a bucket's hosts, as
// CloudFormation did until about 2019.
func presignV2(host, path string, signedAt time.Time) string {
	return "https://" + host + path + "?" + testrun.ExampleKey("").QueryV2(http.MethodPut, resource(host, path), signedAt.Add(urlLifetime))
}

// presignV4 signs a PUT as CloudFormation does now.
func presignV4(host, path, region string, signedAt time.Time) string {
	return "https://" + host + path + "?" + testrun.ExampleKey(region).QueryV4(http.MethodPut, host, path, signedAt, urlLifetime)
}

// resource returns the canonicalized resource of signature version 2: the host's
// bucket and the path.
func resource(host, path string) string {
	bucket, _, _ := strings.Cut(host, ".s3")
	return "/" + bucket + path
}

// An s3Error is an error as Amazon S3 reports it.
type s3Error struct {
	status        int
	code, message string
}

func (e *s3Error) Error() string { return fmt.Sprintf("%d %s: %s", e.status, e.code, e.message) }

// authorize checks the signature of a request. The path and the query must be as they were sent.
func authorize(method, host, path, rawQuery string, header http.Header, now time.Time) *s3Error {
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return &s3Error{http.StatusBadRequest, "InvalidURI", "Couldn't parse the specified URI."}
	}
	key := testrun.ExampleKey("") // the region is in the query
	var access, given, want string
	var expires time.Time
	switch {
	case query.Has("X-Amz-Signature"):
		access, _, _ = strings.Cut(query.Get("X-Amz-Credential"), "/")
		born, err := time.Parse("20060102T150405Z", query.Get("X-Amz-Date"))
		seconds, err2 := strconv.Atoi(query.Get("X-Amz-Expires"))
		if err != nil || err2 != nil || query.Get("X-Amz-SignedHeaders") != "host" {
			return &s3Error{http.StatusBadRequest, "AuthorizationQueryParametersError", "Error parsing the X-Amz-* parameters"}
		}
		expires = born.Add(time.Duration(seconds) * time.Second)
		given, want = query.Get("X-Amz-Signature"), key.SignatureV4(method, host, path, query)
	case query.Has("Signature"):
		access = query.Get("AWSAccessKeyId")
		seconds, err := strconv.ParseInt(query.Get("Expires"), 10, 64)
		if err != nil {
			return &s3Error{http.StatusForbidden, "AccessDenied", "Invalid date (should be seconds since epoch): " + query.Get("Expires")}
		}
		expires = time.Unix(seconds, 0)
		given, want = query.Get("Signature"), key.SignatureV2(method, resource(host, path), query.Get("Expires"), header)
	default:
		return &s3Error{http.StatusForbidden, "AccessDenied", "Access Denied"}
	}
	switch {
	case access != key.Access:
		return &s3Error{http.StatusForbidden, "InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records."}
	case now.After(expires):
		return &s3Error{http.StatusForbidden, "AccessDenied", "Request has expired"}
	case !hmac.Equal([]byte(given), []byte(want)):
		return &s3Error{http.StatusForbidden, "SignatureDoesNotMatch", "The request signature we calculated does not match the signature you provided. Check your key and signing method."}
	}
	return nil
}

const (
	vectorPath   = "/arn%3Aaws%3Acloudformation%3Aus-west-2%3A123456789012%3Astack/app/96896520-7ca9-11f1-99e5-06858cc65c2f%7CThing%7C6245fb70-1335-46ef-8452-2a0cde2f8238"
	vectorHostV2 = "cloudformation-custom-resource-response-uswest2.s3-us-west-2.amazonaws.com"
	vectorHostV4 = "cloudformation-custom-resource-response-uswest2.s3.us-west-2.amazonaws.com"
)

// The bucket refuses the requests that Amazon S3 would refuse.
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
		{"version 2, after two hours", "PUT", v2, plain, urlLifetime + time.Second, "AccessDenied"},
		{"version 4, after two hours", "PUT", v4, plain, urlLifetime + time.Second, "AccessDenied"},
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
