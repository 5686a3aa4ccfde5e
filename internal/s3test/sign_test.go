package s3test

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// signed returns path at the server as a signed URL. version is 2 or 4. Path is
// escaped as it goes over the wire. Both ways sign no header but the host's,
// and version 2 signs that there is no Content-Type.
func (s server) signed(version int, method, path string, birth time.Time, life time.Duration) string {
	if version == 2 {
		return s.endpoint + path + "?" + s.queryV2(method, path, birth.Add(life))
	}
	return s.endpoint + path + "?" + s.queryV4(method, path, birth, life)
}

// queryV2 signs as Amazon S3's developer guide says in "Signing and
// authenticating REST requests": the method, no Content-MD5, no Content-Type,
// the time of expiry, and the path with the bucket in it.
func (s server) queryV2(method, path string, expires time.Time) string {
	mac := hmac.New(sha1.New, []byte(s.secretKey))
	fmt.Fprintf(mac, "%s\n\n\n%d\n%s", method, expires.Unix(), path)
	return fmt.Sprintf("AWSAccessKeyId=%s&Expires=%d&Signature=%s", url.QueryEscape(s.accessKey),
		expires.Unix(), url.QueryEscape(base64.StdEncoding.EncodeToString(mac.Sum(nil))))
}

// queryV4 signs as Amazon S3's API reference says in "Authenticating requests:
// using query parameters": the host and nothing of the body.
func (s server) queryV4(method, path string, birth time.Time, life time.Duration) string {
	date := birth.UTC().Format("20060102T150405Z")
	scope := date[:8] + "/" + s.region + "/s3/aws4_request"
	query := fmt.Sprintf("X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=%s&X-Amz-Date=%s&X-Amz-Expires=%d&X-Amz-SignedHeaders=host",
		url.QueryEscape(s.accessKey+"/"+scope), date, int(life.Seconds()))
	_, host, _ := strings.Cut(s.endpoint, "://")
	request := strings.Join([]string{method, path, query, "host:" + host, "", "host", "UNSIGNED-PAYLOAD"}, "\n")
	hash := sha256.Sum256([]byte(request))

	key := []byte("AWS4" + s.secretKey)
	for part := range strings.SplitSeq(scope, "/") {
		key = hmacSHA256(key, part)
	}
	text := "AWS4-HMAC-SHA256\n" + date + "\n" + scope + "\n" + hex.EncodeToString(hash[:])
	return query + "&X-Amz-Signature=" + hex.EncodeToString(hmacSHA256(key, text))
}

func hmacSHA256(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
