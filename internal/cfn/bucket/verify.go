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

// A call is what a signature is checked against: a request as it came over the
// wire.
type call struct {
	method, host, path string // the path in its escaped form
	query              url.Values
	header             http.Header
}

// verify checks a call's signature and expiry.
func (b *Bucket) verify(c call, now time.Time) *s3Error {
	v4, v2 := c.query.Has("X-Amz-Signature"), c.query.Has("Signature")
	switch {
	case c.header.Get("Authorization") != "" && (v4 || v2), v4 && v2:
		return refusal(http.StatusBadRequest, "InvalidArgument",
			"Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified")
	case v4:
		return b.verifyV4(c, now)
	case v2:
		return b.verifyV2(c, now)
	default:
		return refusal(http.StatusForbidden, "AccessDenied", "Access Denied")
	}
}

func (b *Bucket) verifyV4(c call, now time.Time) *s3Error {
	key, scope, _ := strings.Cut(c.query.Get("X-Amz-Credential"), "/")
	date := c.query.Get("X-Amz-Date")
	born, err := time.Parse(timeFormat, date)
	seconds, err2 := strconv.ParseInt(c.query.Get("X-Amz-Expires"), 10, 32)
	if err != nil || err2 != nil || seconds < 0 || c.query.Get("X-Amz-Algorithm") != "AWS4-HMAC-SHA256" ||
		c.query.Get("X-Amz-SignedHeaders") != "host" || scope != date[:8]+"/"+b.config.Region+"/s3/aws4_request" {
		return refusal(http.StatusBadRequest, "AuthorizationQueryParametersError", "Error parsing the X-Amz-Credential, X-Amz-Date, X-Amz-Expires or X-Amz-SignedHeaders parameter")
	}
	if key != b.keys.access {
		return unknownKey(key)
	}
	if expires := born.Add(time.Duration(seconds) * time.Second); now.After(expires) {
		return expired(expires, now).with("X-Amz-Expires", strconv.FormatInt(seconds, 10))
	}
	signature, text := b.keys.signV4(c.method, c.host, c.path, c.query)
	if given := c.query.Get("X-Amz-Signature"); !hmac.Equal([]byte(given), []byte(signature)) {
		return mismatch(key, text, given)
	}
	if names := amzHeaders(c.header); len(names) > 0 {
		return refusal(http.StatusForbidden, "AccessDenied", "There were headers present in the request which were not signed").
			with("HeadersNotSigned", strings.Join(names, ", "))
	}
	return nil
}

func (b *Bucket) verifyV2(c call, now time.Time) *s3Error {
	key := c.query.Get("AWSAccessKeyId")
	seconds, err := strconv.ParseInt(c.query.Get("Expires"), 10, 64)
	if err != nil {
		return refusal(http.StatusForbidden, "AccessDenied", "Invalid date (should be seconds since epoch)")
	}
	if key != b.keys.access {
		return unknownKey(key)
	}
	if expires := time.Unix(seconds, 0); now.After(expires) {
		return expired(expires, now)
	}
	signature, text := b.keys.signV2(c.method, b.name, c.path, c.query.Get("Expires"), c.header)
	if given := c.query.Get("Signature"); !hmac.Equal([]byte(given), []byte(signature)) {
		return mismatch(key, text, given)
	}
	return nil
}

// amzHeaders are the names of the X-Amz headers, of which only signed ones may
// be there.
func amzHeaders(header http.Header) (names []string) {
	for name := range header {
		if name = strings.ToLower(name); strings.HasPrefix(name, "x-amz-") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func unknownKey(key string) *s3Error {
	return refusal(http.StatusForbidden, "InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records.").
		with("AWSAccessKeyId", key)
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
