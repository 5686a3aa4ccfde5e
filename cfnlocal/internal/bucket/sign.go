package bucket

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"slices"
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
