package bucket

import (
	"crypto/hmac"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A call is what a signature is checked against: a request as it came over the wire.
type call struct {
	method, host, path string // the path in its escaped form
	query              url.Values
	header             http.Header
}

// verify checks a call's signature, of version 4 alone, and expiry.
func (b *Bucket) verify(c call, now time.Time) *s3Error {
	switch signed := c.query.Has("X-Amz-Signature"); {
	case signed && c.header.Get("Authorization") != "":
		return refusal(http.StatusBadRequest, "InvalidArgument",
			"Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified")
	case !signed:
		return refusal(http.StatusForbidden, "AccessDenied", "Access Denied")
	}
	key, scope, _ := strings.Cut(c.query.Get("X-Amz-Credential"), "/")
	date := c.query.Get("X-Amz-Date")
	born, err := time.Parse(timeFormat, date)
	seconds, err2 := strconv.ParseInt(c.query.Get("X-Amz-Expires"), 10, 32)
	if err != nil || err2 != nil || seconds < 0 || c.query.Get("X-Amz-Algorithm") != "AWS4-HMAC-SHA256" ||
		c.query.Get("X-Amz-SignedHeaders") != "host" || scope != date[:8]+"/"+b.config.Region+"/s3/aws4_request" {
		return refusal(http.StatusBadRequest, "AuthorizationQueryParametersError", "Error parsing the X-Amz-Credential, X-Amz-Date, X-Amz-Expires or X-Amz-SignedHeaders parameter")
	}
	if key != b.keys.access {
		return refusal(http.StatusForbidden, "InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records.").
			with("AWSAccessKeyId", key)
	}
	if expires := born.Add(time.Duration(seconds) * time.Second); now.After(expires) {
		return expired(expires, now).with("X-Amz-Expires", strconv.FormatInt(seconds, 10))
	}
	signature, text := b.keys.sign(c.method, c.host, c.path, c.query)
	if given := c.query.Get("X-Amz-Signature"); !hmac.Equal([]byte(given), []byte(signature)) {
		return mismatch(key, text, given)
	}
	if names := amzHeaders(c.header); len(names) > 0 {
		return refusal(http.StatusForbidden, "AccessDenied", "There were headers present in the request which were not signed").
			with("HeadersNotSigned", strings.Join(names, ", "))
	}
	return nil
}

// amzHeaders are the names of the X-Amz headers, of which only signed ones may be there.
func amzHeaders(header http.Header) (names []string) {
	for name := range header {
		if name = strings.ToLower(name); strings.HasPrefix(name, "x-amz-") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func expired(at, now time.Time) *s3Error {
	const format = "2006-01-02T15:04:05Z"
	return refusal(http.StatusForbidden, "AccessDenied", "Request has expired").
		with("Expires", at.UTC().Format(format)).with("ServerTime", now.UTC().Format(format))
}

// mismatch repeats the signature that was given, as S3 does: where only a
// header was wrong, whoever logs the document logs a URL's signature.
func mismatch(key, text, given string) *s3Error {
	return refusal(http.StatusForbidden, "SignatureDoesNotMatch",
		"The request signature we calculated does not match the signature you provided. Check your key and signing method.").
		with("AWSAccessKeyId", key).with("StringToSign", text).with("SignatureProvided", given)
}
