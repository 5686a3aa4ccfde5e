package main

import (
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"unicode"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cfnresource/sdk-go/cfnresource"
)

type Props struct {
	_ struct{} `doc:"Text objects in an S3 bucket, under a prefix of their own."`

	Bucket  string   `cfn:"createOnly,required" doc:"The bucket's name. Another bucket is another set of objects."`
	Objects []Object `cfn:"required" doc:"The whole set: an update removes what is not in it."`
}

// An Object is text under a key, which begins after the set's prefix.
type Object struct {
	Key         string `cfn:"required" doc:"The key, after the set's prefix."`
	Body        string `cfn:"secret" doc:"The text, which no log shows."`
	ContentType string `json:"ContentType,omitempty" doc:"The media type. The default is text/plain; charset=utf-8."`
}

// maxKey is the length of the longest key. S3's limit is 1024 bytes, of which
// the prefix takes up to 79.
const maxKey = 900

// bucketName matches the names of buckets, old ones of up to 255 characters included. Another one, such as that of a
// block of YAML, which ends with a line break, is no part of a URL.
var bucketName = regexp.MustCompile(`^[\w.-]{1,255}$`)

// Validate is called before anything is put. What would be read as a path by
// something between here and S3 could leave the prefix.
func (p Props) Validate() error {
	if !bucketName.MatchString(p.Bucket) {
		return &cfnresource.PropertyError{Path: "Bucket", Err: fmt.Errorf("is not the name of a bucket")}
	}
	if len(p.Objects) == 0 {
		return &cfnresource.PropertyError{Path: "Objects", Err: fmt.Errorf("is empty: list one object at least, or take the resource out of the template")}
	}
	first := map[string]int{}
	for i, o := range p.Objects {
		var err error
		switch before, twice := first[o.Key]; {
		case twice:
			err = fmt.Errorf("is that of Objects[%d] too", before)
		case !fs.ValidPath(o.Key) || o.Key == ".":
			err = fmt.Errorf("is not of the form a/b/c: it has no empty parts, and none that is . or ..")
		case len(o.Key) > maxKey:
			err = fmt.Errorf("has %d bytes: the longest has %d", len(o.Key), maxKey)
		case strings.ContainsFunc(o.Key, func(r rune) bool { return !unicode.IsPrint(r) }):
			err = fmt.Errorf("has a character that cannot be printed")
		}
		if err != nil {
			return &cfnresource.PropertyError{Path: fmt.Sprintf("Objects[%d].Key", i), Err: err}
		}
		first[o.Key] = i
	}
	return nil
}

type Data struct {
	Prefix string `doc:"The prefix of all keys."`
}

// A Contents manages sets of objects in buckets. Each set is all that there is
// under a prefix of its own: what else is in the bucket is never touched.
type Contents struct {
	s3      *s3.Client
	workers int // how many objects are put at once
}

// folder is what the prefixes of all sets begin with. The function's role may write nothing else.
// It is part of the physical IDs: do not change it while there are resources.
const folder = "bucketcontents/"

// A place is where a set is.
type place struct{ bucket, prefix string }

// placeIn is where a resource has its set in a bucket. The prefix follows from the bucket's name
// alone, which the physical ID holds: the properties of a Delete may be unreadable.
func placeIn(r cfnresource.Request, bucket string) place {
	return place{bucket, folder + r.StableIDOf(bucket) + "/"}
}

// id is the physical ID of the set: BUCKET/PREFIX.
func (p place) id() string { return p.bucket + "/" + p.prefix }

// placeOf returns the place that a physical ID names, if it is this resource's.
// No other ID leads to anything that could be removed.
func placeOf(r cfnresource.Request, id string) (at place, ours bool) {
	bucket, _, _ := strings.Cut(id, "/")
	at = placeIn(r, bucket)
	return at, at.id() == id
}

// Create is called where Find found nothing. If it dies half way, the next
// delivery's Find leads to Update, which puts the rest.
func (c *Contents) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
	at := placeIn(req.Request, req.Properties.Bucket)
	err := c.put(ctx, at, req.Properties.Objects, func() { req.Created(at.id()) }) // from the first object on
	return Data{Prefix: at.prefix}, err
}

// Update puts the whole set, since nobody knows what an update that failed has
// left, and then removes the rest.
func (c *Contents) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	at, ours := placeOf(req.Request, req.PhysicalID)
	if !ours || at.bucket != req.Properties.Bucket {
		return Data{}, cfnresource.Errorf(cfnresource.CodeNotUpdatable, "another program made %s, and it cannot be taken over: "+
			"rename the resource in the template to have a new one made", req.PhysicalID)
	}
	err := c.put(ctx, at, req.Properties.Objects, func() {})
	if err == nil {
		err = c.prune(ctx, at, req.Properties.Objects)
	}
	return Data{Prefix: at.prefix}, err
}

// Delete removes the set, with all its versions. A bucket that is gone is
// CodeNotFound, which is success.
func (c *Contents) Delete(ctx context.Context, req *cfnresource.DeleteRequest[Props]) error {
	at, ours := placeOf(req.Request, req.PhysicalID)
	if !ours {
		return cfnresource.Errorf(cfnresource.CodeNotFound, "%s is no set of objects of this resource's", req.PhysicalID)
	}
	return c.clear(ctx, at)
}

// Find implements [cfnresource.Finder]: whatever is under the prefix, half of a
// set or versions of what was, is this resource's. There is nothing to search:
// the bucket's name says where the set is, and S3 lists what is there now.
func (c *Contents) Find(ctx context.Context, req *cfnresource.FindRequest[Props]) (physicalID string, err error) {
	bucket := req.Properties.Bucket
	if bucket == "" {
		return "", nil // it could not be read, and nothing else leads to the set
	}
	at := placeIn(req.Request, bucket)
	switch some, err := c.any(ctx, at); {
	case noBucket(err):
		return "", nil
	case err != nil || !some:
		return "", err
	}
	return at.id(), nil
}
