// Package s3 sends answers to a real implementation of Amazon S3 that verifies signed URLs, as the
// bucket behind a ResponseURL does. What a fake of ours would let through because it shares an
// error with the code, this one refuses.
//
// The test needs that server, and is skipped without one. On Debian, as root,
//
//	.ci/with-swift go test -v ./test/s3
//
// installs OpenStack Swift, starts it on loopback, and runs the test beside it.
package s3

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/testrun"
	"github.com/cfnresource/sdk-go/response"
)

const (
	bucket = "cloudformation-custom-resource-response-uswest2"
	// The name that CloudFormation gives to an answer, and as it escapes it.
	object      = "arn:aws:cloudformation:us-west-2:123456789012:stack/my-stack/51af3dc0|Thing|7b7b9d2e"
	escaped     = "arn%3Aaws%3Acloudformation%3Aus-west-2%3A123456789012%3Astack/my-stack/51af3dc0%7CThing%7C7b7b9d2e"
	life        = 2 * time.Hour
	testTimeout = time.Minute // far more than any of this takes
)

// versions of the signature: CloudFormation's URLs had 2 until about 2019, and have 4 now.
var versions = []int{2, 4}

// TestAnswerIsStored: what the sender delivers is what CloudFormation reads,
// byte for byte and under the very name that it signed.
func TestAnswerIsStored(t *testing.T) {
	s := start(t)
	for _, version := range versions {
		t.Run(fmt.Sprint("signature version ", version), func(t *testing.T) {
			path := s.path(t)
			body := answer(t, fmt.Sprint("signature version ", version))
			if err := s.send(t, s.presign(version, http.MethodPut, path, time.Now(), life), body); err != nil {
				t.Fatal(err)
			}
			stored := s.get(t, version, path)
			if diff := cmp.Diff(string(body), string(stored)); diff != "" {
				t.Errorf("what is stored is not what was sent (-sent +stored):\n%s", diff)
			}
			if names, want := s.list(t), strings.TrimPrefix(unescaped(path), "/"+bucket+"/"); !slices.Contains(names, want) {
				t.Errorf("the bucket holds %q, want %q among them: the path was changed on its way", names, want)
			}
		})
	}
}

// TestSecondDeliveryReplaces: an answer that is sent again, because its
// acknowledgement was lost, is no error.
func TestSecondDeliveryReplaces(t *testing.T) {
	s := start(t)
	path := s.path(t)
	to := s.presign(4, http.MethodPut, path, time.Now(), life)
	for _, reason := range []string{"first", "second"} {
		body := answer(t, reason)
		if err := s.send(t, to, body); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(body), string(s.get(t, 4, path))); diff != "" {
			t.Errorf("%s delivery (-sent +stored):\n%s", reason, diff)
		}
	}
}

// TestLargestAnswer: 4096 bytes, the most that CloudFormation reads, go through.
func TestLargestAnswer(t *testing.T) {
	s := start(t)
	path := s.path(t)
	body := answer(t, strings.Repeat("a long story ", 1000))
	if len(body) > response.MaxBytes || len(body) < response.MaxBytes-3 {
		t.Fatalf("the answer has %d bytes, want about %d", len(body), response.MaxBytes)
	}
	if err := s.send(t, s.presign(2, http.MethodPut, path, time.Now(), life), body); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(body), string(s.get(t, 2, path))); diff != "" {
		t.Errorf("(-sent +stored):\n%s", diff)
	}
}

// TestRefusedURL: what S3 refuses for good is an error at once, with S3's
// reason and without the signature, and nothing is stored.
func TestRefusedURL(t *testing.T) {
	s := start(t)
	now := time.Now()
	for _, version := range versions {
		for _, test := range []struct {
			name, code string
			url        func(path string) string
		}{
			{"expired", "AccessDenied", func(path string) string {
				return s.presign(version, http.MethodPut, path, now.Add(-2*life), life)
			}},
			{"signed for another method", "SignatureDoesNotMatch", func(path string) string {
				return s.presign(version, http.MethodGet, path, now, life)
			}},
			{"signed for another path", "SignatureDoesNotMatch", func(path string) string {
				return strings.Replace(s.presign(version, http.MethodPut, path, now, life), "%7CThing", "%7COther", 1)
			}},
			{"signed by another key", "SignatureDoesNotMatch", func(path string) string {
				stranger := s
				stranger.key.Secret = "another"
				return stranger.presign(version, http.MethodPut, path, now, life)
			}},
		} {
			t.Run(fmt.Sprintf("signature version %d, %s", version, test.name), func(t *testing.T) {
				path := s.path(t)
				to := test.url(path)
				err := s.send(t, to, answer(t, "refused"))
				var status *response.StatusError
				if !errors.As(err, &status) || status.StatusCode != http.StatusForbidden || status.Code != test.code {
					t.Fatalf("Send: %v, want a StatusError with 403 %s", err, test.code)
				}
				_, signature, _ := strings.Cut(to, "Signature=")
				if signature, _, _ = strings.Cut(signature, "&"); strings.Contains(err.Error(), signature) {
					t.Errorf("the error holds the signature: %v", err)
				}
				if code, _ := s.do(t, http.MethodGet, s.presign(4, http.MethodGet, path, now, life), nil, ""); code != http.StatusNotFound {
					t.Errorf("after the refusal, GET gives %d, want 404", code)
				}
			})
		}
	}
}

// TestServerVerifies shows that the server is worth asking: it refuses what
// clients do that send a Content-Type, and so would have refused the sender.
func TestServerVerifies(t *testing.T) {
	s := start(t)
	for _, test := range []struct {
		name, contentType string
		version, status   int
		code              string
	}{
		{"version 2 signs that there is no Content-Type", "application/json", 2, http.StatusForbidden, "SignatureDoesNotMatch"},
		{"version 4 does not sign it", "application/json", 4, http.StatusOK, ""},
		{"without one, version 2 is content", "", 2, http.StatusOK, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			to := s.presign(test.version, http.MethodPut, s.path(t), time.Now(), life)
			status, body := s.do(t, http.MethodPut, to, []byte("{}"), test.contentType)
			if status != test.status || !strings.Contains(string(body), test.code) {
				t.Errorf("PUT with Content-Type %q: %d %s, want %d %s", test.contentType, status, body, test.status, test.code)
			}
		})
	}
}

// answer returns an answer as the SDK encodes it.
func answer(t *testing.T, reason string) []byte {
	t.Helper()
	body, err := response.Answer{
		Status:             response.Failed,
		Reason:             reason,
		PhysicalResourceID: "my-stack-thing-0123456789abcdef",
		StackID:            "arn:aws:cloudformation:us-west-2:123456789012:stack/my-stack/51af3dc0",
		RequestID:          "7b7b9d2e",
		LogicalResourceID:  "Thing",
		Data:               map[string]any{"Größe": "14 µm"},
	}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// A server is an S3 server and the key to it.
type server struct {
	endpoint string
	key      testrun.Key
}

// start returns the server that the environment names, with the bucket made.
func start(t *testing.T) server {
	t.Helper()
	s := server{
		endpoint: os.Getenv("S3TEST_ENDPOINT"),
		key:      testrun.Key{Access: os.Getenv("S3TEST_ACCESS_KEY"), Secret: os.Getenv("S3TEST_SECRET_KEY"), Region: os.Getenv("S3TEST_REGION")},
	}
	if s.endpoint == "" {
		t.Skip("S3TEST_ENDPOINT names no S3 server; on Debian, as root, `.ci/with-swift go test ./test/s3` installs and starts one")
	}
	// A bucket that is there already is this test's own.
	status, body := s.do(t, http.MethodPut, s.presign(4, http.MethodPut, "/"+bucket, time.Now(), life), nil, "")
	if status != http.StatusOK && status != http.StatusConflict {
		t.Fatalf("making the bucket: %d %s", status, body)
	}
	return s
}

// presign returns an escaped path at the server as a URL that is signed in version
// 2 or 4.
func (s server) presign(version int, method, path string, birth time.Time, life time.Duration) string {
	if version == 2 {
		return s.endpoint + path + "?" + s.key.QueryV2(method, path, birth.Add(life))
	}
	_, host, _ := strings.Cut(s.endpoint, "://")
	return s.endpoint + path + "?" + s.key.QueryV4(method, host, path, birth, life)
}

// path returns the escaped path of an object that no other test uses.
func (s server) path(t *testing.T) string {
	t.Helper()
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, t.Name())
	return "/" + bucket + "/" + escaped + name
}

func unescaped(path string) string { return strings.Replace(path, escaped, object, 1) }

// send sends an answer as a dispatcher does.
func (s server) send(t *testing.T, to string, body []byte) error {
	t.Helper()
	u, err := response.ParseURL(to)
	if err != nil {
		t.Fatal(err)
	}
	sender := response.NewSender("", response.SenderOptions{Hosts: []string{s.endpoint}})
	if err := sender.Err(); err != nil {
		t.Fatal(err)
	}
	defer sender.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	return sender.Send(ctx, u, body)
}

// get reads an object back.
func (s server) get(t *testing.T, version int, path string) []byte {
	t.Helper()
	status, body := s.do(t, http.MethodGet, s.presign(version, http.MethodGet, path, time.Now(), life), nil, "")
	if status != http.StatusOK {
		t.Fatalf("GET %s: %d %s", path, status, body)
	}
	return body
}

// list returns the names of the objects in the bucket.
func (s server) list(t *testing.T) (names []string) {
	t.Helper()
	status, body := s.do(t, http.MethodGet, s.presign(4, http.MethodGet, "/"+bucket, time.Now(), life), nil, "")
	var result struct {
		Contents []struct{ Key string }
	}
	if err := xml.Unmarshal(body, &result); status != http.StatusOK || err != nil {
		t.Fatalf("listing the bucket: %d %s (%v)", status, body, err)
	}
	for _, object := range result.Contents {
		names = append(names, object.Key)
	}
	return names
}

// do sends a request that has nothing to do with the code under test.
func (s server) do(t *testing.T, method, to string, body []byte, contentType string) (status int, text []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, to, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err = io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, text
}
