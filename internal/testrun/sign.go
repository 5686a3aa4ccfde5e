package testrun

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // signature version 2 is made with it
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

// A Key is a key pair, and the region that version 4 signs for. It signs URLs for Amazon S3 as the response buckets of
// CloudFormation have them: in signature version 2 until about 2019, in version 4 since. It shares no code with what
// signs and verifies in the local CloudFormation, so that a mistake there is seen.
type Key struct{ Access, Secret, Region string }

// ExampleKey is the key pair of Amazon's documents, which no account has.
func ExampleKey(region string) Key {
	return Key{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", region}
}

// QueryV2 returns the query of a URL that can be used until it expires. Resource is the bucket and
// the escaped key, as "/bucket/key", wherever the URL has the bucket.
func (k Key) QueryV2(method, resource string, expires time.Time) string {
	seconds := strconv.FormatInt(expires.Unix(), 10)
	return "AWSAccessKeyId=" + url.QueryEscape(k.Access) + "&Expires=" + seconds +
		"&Signature=" + url.QueryEscape(k.SignatureV2(method, resource, seconds, http.Header{}))
}

// SignatureV2 signs a method, the Content-MD5, Content-Type and X-Amz headers, and a resource
// (Amazon S3 developer guide, "Signing and authenticating REST requests").
func (k Key) SignatureV2(method, resource, expires string, header http.Header) string {
	var amz []string
	for name, values := range header {
		if name = strings.ToLower(name); strings.HasPrefix(name, "x-amz-") {
			amz = append(amz, name+":"+strings.Join(values, ",")+"\n")
		}
	}
	slices.Sort(amz)
	lines := []string{method, header.Get("Content-MD5"), header.Get("Content-Type"), expires}
	mac := hmac.New(sha1.New, []byte(k.Secret))
	mac.Write([]byte(strings.Join(lines, "\n") + "\n" + strings.Join(amz, "") + resource))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// QueryV4 returns the query of a URL whose host is the only signed header, as
// CloudFormation's is. Path is escaped as it goes over the wire.
func (k Key) QueryV4(method, host, path string, birth time.Time, life time.Duration) string {
	date := birth.UTC().Format("20060102T150405Z")
	values := url.Values{
		"X-Amz-Algorithm":     {"AWS4-HMAC-SHA256"},
		"X-Amz-Credential":    {k.Access + "/" + date[:8] + "/" + k.Region + "/s3/aws4_request"},
		"X-Amz-Date":          {date},
		"X-Amz-Expires":       {strconv.Itoa(int(life.Seconds()))},
		"X-Amz-SignedHeaders": {"host"},
	}
	var query strings.Builder
	for _, name := range []string{"X-Amz-Algorithm", "X-Amz-Date", "X-Amz-SignedHeaders", "X-Amz-Expires", "X-Amz-Credential"} { // CloudFormation's order
		query.WriteString(name + "=" + url.QueryEscape(values.Get(name)) + "&")
	}
	return query.String() + "X-Amz-Signature=" + k.SignatureV4(method, host, path, values)
}

// SignatureV4 signs a method, a host, a path and the parameters of a query, of
// which it leaves out the signature (Amazon S3 API reference, "Authenticating
// requests: using query parameters"). Date and scope are the query's.
func (k Key) SignatureV4(method, host, path string, query url.Values) string {
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
	key := []byte("AWS4" + k.Secret)
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
