package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// page is how many versions a list has at most, and how many objects S3 deletes
// at once ("DeleteObjects" in the Amazon S3 API Reference).
const page = 1000

// put puts objects, some at once, and calls made after each one. At the first
// error, and when the time is over, it begins no more.
func (c *Contents) put(ctx context.Context, at place, objects []Object, made func()) error {
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var next, done atomic.Int64
	var workers sync.WaitGroup
	putNext := func() bool {
		i := int(next.Add(1)) - 1
		if working.Err() != nil || i >= len(objects) {
			return false
		}
		if err := c.putOne(working, at, objects[i]); err != nil {
			stop(fmt.Errorf("Objects[%d]: %w", i, coded(working, err))) // only the first is kept
			return false
		}
		made()
		done.Add(1)
		return true
	}
	if putNext() { // one alone: what is put at once may be there though no answer comes
		for range min(c.workers, len(objects)) {
			workers.Go(func() {
				for putNext() {
				}
			})
		}
	}
	workers.Wait()
	n, err := int(done.Load()), context.Cause(working)
	switch {
	case n == len(objects):
		return nil
	case ctx.Err() != nil, errors.Is(err, errNoTime):
		return outOfTime(err, fmt.Sprintf("%d of %d objects are put", n, len(objects)),
			"raise the function's Timeout and the resource's ServiceTimeout, or share the objects among several resources")
	}
	return fmt.Errorf("%d of %d objects are put: %w", n, len(objects), err)
}

func (c *Contents) putOne(ctx context.Context, at place, o Object) error {
	_, err := c.s3.PutObject(ctx, &s3.PutObjectInput{
		Bucket:      &at.bucket,
		Key:         aws.String(at.prefix + o.Key),
		Body:        strings.NewReader(o.Body),
		ContentType: aws.String(cmp.Or(o.ContentType, "text/plain; charset=utf-8")),
	})
	return err
}

// any reports whether there is a version of anything at a place.
func (c *Contents) any(ctx context.Context, at place) (bool, error) {
	out, err := c.list(ctx, at, 1, nil)
	return err == nil && len(versions(out)) > 0, coded(ctx, err)
}

// clear removes all that is at a place. In a bucket with versioning, S3 would
// only put a marker over an object whose version is not named, and a bucket
// with versions or markers in it cannot be deleted. It lists from the start
// until there is nothing, and so misses nothing that is put meanwhile.
func (c *Contents) clear(ctx context.Context, at place) error {
	for removed := 0; ; {
		out, err := c.list(ctx, at, page, nil)
		if err != nil {
			return interrupted(ctx, removed, err)
		}
		ids := versions(out)
		if len(ids) == 0 {
			return nil
		}
		if err := c.remove(ctx, at, ids); err != nil {
			return interrupted(ctx, removed, err)
		}
		removed += len(ids)
	}
}

// prune removes what is at a place and not among the objects. In a bucket with
// versioning, the versions that there were stay until the set is deleted.
func (c *Contents) prune(ctx context.Context, at place, objects []Object) error {
	keep := map[string]bool{}
	for _, o := range objects {
		keep[at.prefix+o.Key] = true
	}
	var after *string
	for removed := 0; ; {
		out, err := c.list(ctx, at, page, after)
		if err != nil {
			return interrupted(ctx, removed, err)
		}
		var ids []types.ObjectIdentifier
		for _, v := range out.Versions {
			if aws.ToBool(v.IsLatest) && !keep[aws.ToString(v.Key)] {
				ids = append(ids, types.ObjectIdentifier{Key: v.Key})
			}
		}
		if err := c.remove(ctx, at, ids); err != nil {
			return interrupted(ctx, removed, err)
		}
		removed += len(ids)
		if !aws.ToBool(out.IsTruncated) {
			return nil
		}
		after = out.NextKeyMarker // older versions of that key do not matter here
	}
}

// list returns the first versions at a place, or those of keys that follow one.
func (c *Contents) list(ctx context.Context, at place, size int32, after *string) (*s3.ListObjectVersionsOutput, error) {
	return c.s3.ListObjectVersions(ctx, &s3.ListObjectVersionsInput{Bucket: &at.bucket, Prefix: &at.prefix, MaxKeys: &size, KeyMarker: after})
}

// versions returns all that a list names, markers too.
func versions(out *s3.ListObjectVersionsOutput) (ids []types.ObjectIdentifier) {
	for _, v := range out.Versions {
		ids = append(ids, types.ObjectIdentifier{Key: v.Key, VersionId: v.VersionId})
	}
	for _, m := range out.DeleteMarkers {
		ids = append(ids, types.ObjectIdentifier{Key: m.Key, VersionId: m.VersionId})
	}
	return ids
}

// remove removes objects, a page of them at most.
func (c *Contents) remove(ctx context.Context, at place, ids []types.ObjectIdentifier) error {
	if len(ids) == 0 {
		return nil // S3 refuses an empty list
	}
	out, err := c.s3.DeleteObjects(ctx, &s3.DeleteObjectsInput{
		Bucket: &at.bucket,
		Delete: &types.Delete{Objects: ids, Quiet: aws.Bool(true)}, // it answers with what it kept
	})
	if err != nil || len(out.Errors) == 0 {
		return err
	}
	first := out.Errors[0]
	return cfnresource.Errorf(codeOf(aws.ToString(first.Code), 0), "S3 removed %d of %d objects: %s: %s",
		len(ids)-len(out.Errors), len(ids), aws.ToString(first.Code), aws.ToString(first.Message))
}

// interrupted is the error of a removal that err ended.
func interrupted(ctx context.Context, removed int, err error) error {
	err = coded(ctx, err)
	if ctx.Err() == nil && !errors.Is(err, errNoTime) {
		return err
	}
	return outOfTime(err, fmt.Sprintf("%d objects or versions of them are removed", removed),
		"try again, which goes on from here, or raise the function's Timeout and the resource's ServiceTimeout")
}

// outOfTime is the error of what the function's time was too short for.
func outOfTime(err error, what, advice string) error {
	return fmt.Errorf("%s, and the time is over: %s: %w", what, advice, err)
}
