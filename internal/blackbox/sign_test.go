package blackbox

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The key pair of Amazon's documents, which no account has.
const (
	accessKey = "AKIAIOSFODNN7EXAMPLE"
	secretKey = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
)

const urlLife = 2 * time.Hour

// presignV2 signs a PUT of path, in its escaped form, to host with signature
// version 2, as CloudFormation did until about 2019 (Amazon S3 developer
// guide, "Signing and authenticating REST requests").
func presignV2(host, path string, birth time.Time) string {
	expires := strconv.FormatInt(birth.Add(urlLife).Unix(), 10)
	signature := signV2(http.MethodPut, host, path, expires, http.Header{})
	return "https://" + host + path + "?AWSAccessKeyId=" + accessKey + "&Expires=" + expires +
		"&Signature=" + url.QueryEscape(signature)
}

func signV2(method, host, path, expires string, header http.Header) string {
	bucket, _, _ := strings.Cut(host, ".s3")
	var amz []string
	for name, values := range header {
		if name = strings.ToLower(name); strings.HasPrefix(name, "x-amz-") {
			amz = append(amz, name+":"+strings.Join(values, ",")+"\n")
		}
	}
	slices.Sort(amz)
	lines := []string{method, header.Get("Content-MD5"), header.Get("Content-Type"), expires}
	mac := hmac.New(sha1.New, []byte(secretKey))
	mac.Write([]byte(strings.Join(lines, "\n") + "\n" + strings.Join(amz, "") + "/" + bucket + path))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// presignV4 signs with signature version 4 and the host as the only signed
// header, as CloudFormation does now (Amazon S3 API reference,
// "Authenticating requests: using query parameters").
func presignV4(host, path, region string, birth time.Time) string {
	date := birth.UTC().Format("20060102T150405Z")
	scope := date[:8] + "/" + region + "/s3/aws4_request"
	query := "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=" + date + "&X-Amz-SignedHeaders=host&X-Amz-Expires=" +
		strconv.Itoa(int(urlLife.Seconds())) + "&X-Amz-Credential=" + url.QueryEscape(accessKey+"/"+scope)
	values, err := url.ParseQuery(query)
	if err != nil {
		panic(err)
	}
	return "https://" + host + path + "?" + query + "&X-Amz-Signature=" + signV4(http.MethodPut, host, path, values)
}

func signV4(method, host, path string, query url.Values) string {
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
		path = escape(plain, true)
	}
	canonical := strings.Join([]string{method, path, strings.Join(pairs, "&"), "host:" + host, "", "host", "UNSIGNED-PAYLOAD"}, "\n")
	hash := sha256.Sum256([]byte(canonical))
	key := []byte("AWS4" + secretKey)
	for part := range strings.SplitSeq(scope, "/") {
		key = hmac256(key, part)
	}
	return hex.EncodeToString(hmac256(key, "AWS4-HMAC-SHA256\n"+date+"\n"+scope+"\n"+hex.EncodeToString(hash[:])))
}

func hmac256(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// escape is the UriEncode of Amazon's documents.
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

// An s3Error is an error as Amazon S3 reports it.
type s3Error struct {
	status        int
	code, message string
}

func (e *s3Error) Error() string { return fmt.Sprintf("%d %s: %s", e.status, e.code, e.message) }

// authorize checks the signature of a request whose path and query are as they came
// over the wire.
func authorize(method, host, path, rawQuery string, header http.Header, now time.Time) *s3Error {
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return &s3Error{http.StatusBadRequest, "InvalidURI", "Couldn't parse the specified URI."}
	}
	var key, given, want string
	var expires time.Time
	switch {
	case query.Has("X-Amz-Signature"):
		key, _, _ = strings.Cut(query.Get("X-Amz-Credential"), "/")
		born, err := time.Parse("20060102T150405Z", query.Get("X-Amz-Date"))
		seconds, err2 := strconv.Atoi(query.Get("X-Amz-Expires"))
		if err != nil || err2 != nil || query.Get("X-Amz-SignedHeaders") != "host" {
			return &s3Error{http.StatusBadRequest, "AuthorizationQueryParametersError", "Error parsing the X-Amz-* parameters"}
		}
		expires = born.Add(time.Duration(seconds) * time.Second)
		given, want = query.Get("X-Amz-Signature"), signV4(method, host, path, query)
	case query.Has("Signature"):
		key = query.Get("AWSAccessKeyId")
		seconds, err := strconv.ParseInt(query.Get("Expires"), 10, 64)
		if err != nil {
			return &s3Error{http.StatusForbidden, "AccessDenied", "Invalid date (should be seconds since epoch): " + query.Get("Expires")}
		}
		expires = time.Unix(seconds, 0)
		given, want = query.Get("Signature"), signV2(method, host, path, query.Get("Expires"), header)
	default:
		return &s3Error{http.StatusForbidden, "AccessDenied", "Access Denied"}
	}
	switch {
	case key != accessKey:
		return &s3Error{http.StatusForbidden, "InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records."}
	case now.After(expires):
		return &s3Error{http.StatusForbidden, "AccessDenied", "Request has expired"}
	case !hmac.Equal([]byte(given), []byte(want)):
		return &s3Error{http.StatusForbidden, "SignatureDoesNotMatch", "The request signature we calculated does not match the signature you provided. Check your key and signing method."}
	}
	return nil
}
