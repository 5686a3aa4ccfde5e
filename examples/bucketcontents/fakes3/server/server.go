// Package server is the part of Amazon S3 that the example needs, in memory: to put and get
// objects, to list their versions and to delete them, in buckets with versioning and without. It
// believes every signature, knows no permissions, checksums, locks or storage classes, wants the
// bucket's name in the path, and forgets everything when it ends.
package server

import (
	"context"
	"crypto/md5" //nolint:gosec // S3 defines ETags as MD5.
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Server is an S3 server without buckets. Its zero value can be used.
type Server struct {
	// AnyBucket makes a bucket when something is first put into it.
	AnyBucket bool
	// Page is how many versions are listed at once, if fewer than S3 lists: S3 may list fewer, too.
	Page int
	// Refuse is asked in each DeleteObjects. If it returns one of S3's codes, the first of the
	// objects is kept: the reply, of status 200, says so.
	Refuse func(ctx context.Context) (code string)

	mu      sync.Mutex
	buckets map[string]*bucket
	last    int // number of the last version
}

type bucket struct {
	versioned bool
	objects   map[string][]version // by key, the latest first
}

type version struct {
	number int // a later one is higher; 0 is that of a bucket without versioning
	marker bool
	Object
}

func (v version) id() string {
	if v.number == 0 {
		return "null"
	}
	return strconv.Itoa(v.number)
}

func numberOf(id string) int {
	n, _ := strconv.Atoi(id) // "null" is 0
	return n
}

// page is how many versions are listed, or objects deleted, at once.
const page = 1000

// An Object is what an object is, beside its key.
type Object struct{ Body, ContentType string }

// MakeBucket makes a bucket, with versioning or without.
func (s *Server) MakeBucket(name string, versioned bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bucket(name, true).versioned = versioned
}

// RemoveBucket removes a bucket, empty or not.
func (s *Server) RemoveBucket(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.buckets, name)
}

// Put puts an object into a bucket that exists.
func (s *Server) Put(bucket, key string, o Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(s.buckets[bucket], key, version{Object: o})
}

// Objects returns the objects of a bucket whose keys begin with a prefix, by
// what follows it. What is under a delete marker is not among them.
func (s *Server) Objects(bucket, prefix string) map[string]Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := map[string]Object{}
	if b := s.bucket(bucket, false); b != nil {
		for key, versions := range b.objects {
			if rest, ok := strings.CutPrefix(key, prefix); ok && !versions[0].marker {
				found[rest] = versions[0].Object
			}
		}
	}
	return found
}

// Keys returns all keys of which there is a version or a delete marker, as BUCKET/KEY.
func (s *Server) Keys() (keys []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, b := range s.buckets {
		for key := range b.objects {
			keys = append(keys, name+"/"+key)
		}
	}
	slices.Sort(keys)
	return keys
}

func (s *Server) bucket(name string, ifMissing bool) *bucket {
	b := s.buckets[name]
	if b == nil && ifMissing {
		if s.buckets == nil {
			s.buckets = map[string]*bucket{}
		}
		b = &bucket{objects: map[string][]version{}}
		s.buckets[name] = b
	}
	return b
}

// bucketName matches the names that buckets can have ("General purpose bucket naming rules" in the Amazon S3 User Guide),
// as far as single characters and the length go.
var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	name, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	query := r.URL.Query()
	keep := "" // why an object is kept, asked before others have to wait
	if s.Refuse != nil && r.Method == http.MethodPost && query.Has("delete") {
		keep = s.Refuse(r.Context())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	valid := bucketName.MatchString(name)
	b := s.bucket(name, valid && s.AnyBucket && r.Method == http.MethodPut)
	switch {
	case !valid:
		refuse(w, http.StatusBadRequest, "InvalidBucketName", "The specified bucket is not valid")
	case b == nil:
		refuse(w, http.StatusNotFound, "NoSuchBucket", "The specified bucket does not exist")
	case r.Method == http.MethodPut && key != "":
		s.put(b, key, version{Object: Object{string(body), r.Header.Get("Content-Type")}})
	case r.Method == http.MethodGet && key != "":
		get(w, b, key)
	case r.Method == http.MethodGet && query.Has("versions"):
		s.list(w, b, query)
	case r.Method == http.MethodPost && query.Has("delete"):
		s.remove(w, b, body, keep)
	default:
		refuse(w, http.StatusNotImplemented, "NotImplemented", "This server does not know "+r.Method+" "+r.URL.String())
	}
}

// put puts a version over those that there are, or in their place.
func (s *Server) put(b *bucket, key string, v version) {
	if !b.versioned {
		b.objects[key] = []version{v}
		return
	}
	s.last++
	v.number = s.last
	b.objects[key] = append([]version{v}, b.objects[key]...)
}

func get(w http.ResponseWriter, b *bucket, key string) {
	versions := b.objects[key]
	if len(versions) == 0 || versions[0].marker {
		refuse(w, http.StatusNotFound, "NoSuchKey", "The specified key does not exist.")
		return
	}
	w.Header().Set("Content-Type", versions[0].ContentType)
	_, _ = io.WriteString(w, versions[0].Body)
}

type entry struct {
	Key       string
	VersionID string `xml:"VersionId"`
	IsLatest  bool
	ETag      string `xml:",omitempty"`
}

// list lists versions in the order of their keys, the latest of each first.
func (s *Server) list(w http.ResponseWriter, b *bucket, query url.Values) {
	var out struct {
		XMLName             xml.Name `xml:"ListVersionsResult"`
		IsTruncated         bool
		NextKeyMarker       string `xml:",omitempty"`
		NextVersionIDMarker string `xml:"NextVersionIdMarker,omitempty"`
		Version             []entry
		DeleteMarker        []entry
	}
	most, err := strconv.Atoi(query.Get("max-keys"))
	if err != nil || most > page {
		most = page
	}
	if s.Page > 0 {
		most = min(most, s.Page)
	}
	afterKey, afterVersion := query.Get("key-marker"), query.Get("version-id-marker")
	for _, key := range slices.Sorted(maps.Keys(b.objects)) {
		if !strings.HasPrefix(key, query.Get("prefix")) {
			continue
		}
		for i, v := range b.objects[key] {
			if key < afterKey || key == afterKey && (afterVersion == "" || v.number >= numberOf(afterVersion)) {
				continue
			}
			if len(out.Version)+len(out.DeleteMarker) == most {
				out.IsTruncated = true
				reply(w, http.StatusOK, out)
				return
			}
			named := key
			if query.Get("encoding-type") == "url" {
				named = strings.ReplaceAll(url.QueryEscape(key), "%2F", "/")
			}
			e := entry{Key: named, VersionID: v.id(), IsLatest: i == 0}
			if v.marker {
				out.DeleteMarker = append(out.DeleteMarker, e)
			} else {
				e.ETag = fmt.Sprintf("%q", fmt.Sprintf("%x", md5.Sum([]byte(v.Body)))) //nolint:gosec // as S3 does
				out.Version = append(out.Version, e)
			}
			out.NextKeyMarker, out.NextVersionIDMarker = e.Key, e.VersionID
		}
	}
	out.NextKeyMarker, out.NextVersionIDMarker = "", ""
	reply(w, http.StatusOK, out)
}

// remove removes a version, or, where none is named, the object: where there is
// versioning, by a marker.
func (s *Server) remove(w http.ResponseWriter, b *bucket, body []byte, keep string) {
	var in struct {
		Object []struct {
			Key       string
			VersionID string `xml:"VersionId"`
		}
	}
	if err := xml.Unmarshal(body, &in); err != nil || len(in.Object) == 0 || len(in.Object) > page {
		refuse(w, http.StatusBadRequest, "MalformedXML", "The XML you provided was not well-formed")
		return
	}
	type kept struct{ Key, Code, Message string }
	var errs []kept
	for _, o := range in.Object {
		if keep != "" && len(errs) == 0 {
			errs = append(errs, kept{o.Key, keep, "the object is kept"})
			continue
		}
		switch {
		case o.VersionID != "":
			b.objects[o.Key] = slices.DeleteFunc(b.objects[o.Key], func(v version) bool { return v.id() == o.VersionID })
		case b.versioned:
			s.put(b, o.Key, version{marker: true})
		default:
			b.objects[o.Key] = nil
		}
		if len(b.objects[o.Key]) == 0 {
			delete(b.objects, o.Key)
		}
	}
	reply(w, http.StatusOK, struct {
		XMLName xml.Name `xml:"DeleteResult"`
		Error   []kept
	}{Error: errs})
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	reply(w, status, struct {
		XMLName       xml.Name `xml:"Error"`
		Code, Message string
	}{Code: code, Message: message})
}

func reply(w http.ResponseWriter, status int, what any) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_ = xml.NewEncoder(w).Encode(what) // the client may be gone
}
