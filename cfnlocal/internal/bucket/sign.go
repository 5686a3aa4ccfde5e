package bucket

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const timeFormat = "20060102T150405Z"

// keys are an access key and its secret.
type keys struct{ access, secret string }

// query signs a PUT of path, as it goes over the wire, with the host as the
// only signed header (Amazon S3 API Reference, "Authenticating Requests: Using
// Query Parameters"). The parameters are in CloudFormation's order.
func (k keys) query(host, path, region string, now time.Time, life time.Duration) string {
	date := now.UTC().Format(timeFormat)
	scope := date[:8] + "/" + region + "/s3/aws4_request"
	query := fmt.Sprintf("X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=%s&X-Amz-SignedHeaders=host&X-Amz-Expires=%d&X-Amz-Credential=%s",
		date, int64(life/time.Second), escape(k.access+"/"+scope, false))
	parsed, _ := url.ParseQuery(query) // just written
	signature, _ := k.sign(http.MethodPut, host, path, parsed)
	return query + "&X-Amz-Signature=" + signature
}

// sign returns the signature of a request with these parameters, and the text that it is of.
func (k keys) sign(method, host, path string, query url.Values) (signature, text string) {
	date := query.Get("X-Amz-Date")
	_, scope, _ := strings.Cut(query.Get("X-Amz-Credential"), "/")
	var pairs []string
	for name, values := range query {
		for _, value := range values {
			if name != "X-Amz-Signature" {
				pairs = append(pairs, escape(name, false)+"="+escape(value, false))
			}
		}
	}
	slices.Sort(pairs)
	if plain, err := url.PathUnescape(path); err == nil {
		path = escape(plain, true) // S3 does so, once
	}
	request := strings.Join([]string{method, path, strings.Join(pairs, "&"), "host:" + host, "", "host", "UNSIGNED-PAYLOAD"}, "\n")
	hash := sha256.Sum256([]byte(request))
	text = "AWS4-HMAC-SHA256\n" + date + "\n" + scope + "\n" + hex.EncodeToString(hash[:])

	key := []byte("AWS4" + k.secret)
	for part := range strings.SplitSeq(scope, "/") {
		key = sum256(key, part)
	}
	return hex.EncodeToString(sum256(key, text)), text
}

func sum256(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// escape is the UriEncode of Amazon's documents; in a path, slashes stay.
func escape(s string, path bool) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~", c) >= 0, path && c == '/':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

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

	// The parameters must be those of a URL of this bucket's.
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

	// The URL must be young enough, and signed for exactly this request.
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

// mismatch repeats the given signature, as S3 does: if only a header was wrong, a log of
// the document holds a URL's signature.
func mismatch(key, text, given string) *s3Error {
	return refusal(http.StatusForbidden, "SignatureDoesNotMatch",
		"The request signature we calculated does not match the signature you provided. Check your key and signing method.").
		with("AWSAccessKeyId", key).with("StringToSign", text).with("SignatureProvided", given)
}
