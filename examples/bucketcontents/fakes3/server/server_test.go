package server

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Pages follow one another without a gap, also where one ends between two
// versions of an object, and where that version is gone meanwhile.
func TestPages(t *testing.T) {
	for _, versioned := range []bool{false, true} {
		for size := 1; size < 8; size++ {
			t.Run(fmt.Sprintf("versioned %v, pages of %d", versioned, size), func(t *testing.T) {
				// What is in the bucket.
				s := &Server{}
				s.MakeBucket("site", versioned)
				for _, key := range []string{"p/a", "p/b", "p/a", "p/c", "p/a", "q"} {
					s.Put("site", key, Object{Body: key})
				}
				want := []string{"p/a", "p/b", "p/c"}
				if versioned {
					want = []string{"p/a", "p/a", "p/a", "p/b", "p/c"}
				}

				// All pages. The last version on each is deleted before the next.
				var got []string
				query := url.Values{"versions": {""}, "prefix": {"p/"}, "max-keys": {fmt.Sprint(size)}}
				for range 10 {
					reply := httptest.NewRecorder()
					s.ServeHTTP(reply, httptest.NewRequest(http.MethodGet, "/site?"+query.Encode(), nil))
					var page struct {
						IsTruncated                        bool
						NextKeyMarker, NextVersionIdMarker string
						Version                            []struct{ Key, VersionId string }
					}
					if err := xml.Unmarshal(reply.Body.Bytes(), &page); err != nil {
						t.Fatal(err)
					}
					for _, v := range page.Version {
						got = append(got, v.Key)
					}
					if !page.IsTruncated {
						break
					}
					query["key-marker"], query["version-id-marker"] = []string{page.NextKeyMarker}, []string{page.NextVersionIdMarker}
					b := s.buckets["site"]
					b.objects["p/a"] = slices.DeleteFunc(b.objects["p/a"], func(v version) bool { return v.id() == page.NextVersionIdMarker && page.NextKeyMarker == "p/a" })
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("listed (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// With AnyBucket there is each bucket that something is put into.
func TestAnyBucket(t *testing.T) {
	s := &Server{AnyBucket: true}
	for _, step := range []struct {
		method, path, body string
		status             int
		has                string
	}{
		{http.MethodPut, "/bucket/a/b", "text", http.StatusOK, ""},
		{http.MethodGet, "/bucket/a/b", "", http.StatusOK, "text"},
		{http.MethodGet, "/bucket?versions&prefix=a/", "", http.StatusOK, "<Key>a/b</Key>"},
		{http.MethodGet, "/other?versions", "", http.StatusNotFound, "NoSuchBucket"},
		{http.MethodPut, "/Bucket/a/b", "text", http.StatusBadRequest, "InvalidBucketName"},
		{http.MethodGet, "/Bucket?versions", "", http.StatusBadRequest, "InvalidBucketName"},
	} {
		reply := httptest.NewRecorder()
		s.ServeHTTP(reply, httptest.NewRequest(step.method, step.path, strings.NewReader(step.body)))
		if got := reply.Body.String(); reply.Code != step.status || !strings.Contains(got, step.has) {
			t.Errorf("%s %s: %d %s, want %d with %q", step.method, step.path, reply.Code, got, step.status, step.has)
		}
	}
}
