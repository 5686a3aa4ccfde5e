package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go/middleware"
	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/examples/bucketcontents/fakes3/server"
)

// A realBed is a part of a real S3 server, of which the others see nothing:
// where a property says "site", the bucket is "site-" and a suffix.
type realBed struct {
	t      testing.TB
	suffix string
	admin  *s3.Client
}

var beds = 0

// newRealBed makes two buckets, and removes them at the test's end with all that is in them.
func newRealBed(t testing.TB, versioned bool) *realBed {
	t.Helper()
	if os.Getenv("S3TEST_ENDPOINT") == "" {
		t.Skip("S3TEST_ENDPOINT names no S3 server: `.ci/run s3`, in the repository of the SDK, installs one from Debian's packages, as root; " +
			"any other does that S3TEST_ENDPOINT, S3TEST_ACCESS_KEY, S3TEST_SECRET_KEY and S3TEST_REGION name")
	}
	beds++
	b := &realBed{t: t, suffix: "-" + strings.ToLower(rand.Text()[:8]) + "-" + strconv.Itoa(beds)}
	b.admin = newClient(b.config(), transport)
	for _, name := range []string{site.Bucket, other.Bucket} {
		bucket := name + b.suffix
		_, err := b.admin.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &bucket})
		if err == nil && versioned {
			_, err = b.admin.PutBucketVersioning(t.Context(), &s3.PutBucketVersioningInput{
				Bucket: &bucket, VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled},
			})
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			ctx := context.WithoutCancel(t.Context())
			if err := (&Contents{s3: b.admin}).clear(ctx, place{bucket: bucket}); err != nil {
				t.Errorf("the bucket %s stays: %v", bucket, err)
			}
			if _, err := b.admin.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: &bucket}); err != nil {
				t.Errorf("the bucket %s stays: %v", bucket, err)
			}
		})
	}
	return b
}

func (b *realBed) config() aws.Config {
	return clientConfig(os.Getenv("S3TEST_ENDPOINT"), os.Getenv("S3TEST_ACCESS_KEY"), os.Getenv("S3TEST_SECRET_KEY"), os.Getenv("S3TEST_REGION"))
}

// function returns a new process of the function, on this part of the server.
func (b *realBed) function() *cfnresource.Dispatcher {
	cfg := b.config()
	cfg.Retryer = func() aws.Retryer { return retry.AddWithMaxBackoffDelay(retry.NewStandard(), 50*time.Millisecond) }
	cfg.APIOptions = append(cfg.APIOptions, func(stack *middleware.Stack) error {
		return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("bucket", b.there), middleware.Before)
	})
	return cfnresource.New(&Contents{s3: newClient(cfg, cfntest.Steps(transport)), workers: workers}, func(o *cfnresource.Options) {
		// In 4 s of real time, a Delete that overtook its Create would look for
		// the second time in the 200 ms that are half of the answer's time.
		o.LostGrace, o.FindLag = time.Second, 100*time.Millisecond
	})
}

var transport = &http.Transport{MaxIdleConnsPerHost: workers}

// there puts the bucket's own name in the place of that of the properties.
func (b *realBed) there(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
	switch p := in.Parameters.(type) {
	case *s3.PutObjectInput:
		there := *p
		there.Bucket = aws.String(*p.Bucket + b.suffix)
		in.Parameters = &there
	case *s3.ListObjectVersionsInput:
		there := *p
		there.Bucket = aws.String(*p.Bucket + b.suffix)
		in.Parameters = &there
	case *s3.DeleteObjectsInput:
		there := *p
		there.Bucket = aws.String(*p.Bucket + b.suffix)
		in.Parameters = &there
	default:
		b.t.Errorf("the handler sends %T, which this test does not know", p)
	}
	return next.HandleInitialize(ctx, in)
}

// objects returns the objects of a bucket, by their keys.
func (b *realBed) objects(bucket, prefix string) map[string]server.Object {
	b.t.Helper()
	ctx := context.WithoutCancel(b.t.Context())
	bucket += b.suffix
	found := map[string]server.Object{}
	pages := s3.NewListObjectsV2Paginator(b.admin, &s3.ListObjectsV2Input{Bucket: &bucket, Prefix: &prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			b.t.Fatal(err)
		}
		for _, o := range page.Contents {
			found[strings.TrimPrefix(*o.Key, prefix)] = server.Object{}
		}
	}
	if len(found) > 100 { // nobody wants to read them all
		return found
	}
	for key := range found {
		out, err := b.admin.GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: aws.String(prefix + key)})
		if errors.As(err, new(*types.NoSuchKey)) { // a handler that still runs has just deleted it
			delete(found, key)
			continue
		}
		if err != nil {
			b.t.Fatal(err)
		}
		body, err := io.ReadAll(out.Body)
		_ = out.Body.Close()
		if err != nil {
			b.t.Fatal(err)
		}
		found[key] = server.Object{Body: string(body), ContentType: aws.ToString(out.ContentType)}
	}
	return found
}

func (b *realBed) service() cfntest.Service {
	return cfntest.Service{
		Function: func() cfntest.Function { return b.function() },
		State: func(id string) any {
			bucket, prefix, _ := strings.Cut(id, "/")
			if bucket != site.Bucket && bucket != other.Bucket || prefix == "" {
				return nil
			}
			if objects := b.objects(bucket, prefix); len(objects) > 0 {
				return objects
			}
			return nil
		},
		List: func() (ids []string) {
			for _, bucket := range []string{site.Bucket, other.Bucket} {
				prefixes := map[string]bool{}
				there := bucket + b.suffix
				out, err := b.admin.ListObjectVersions(context.WithoutCancel(b.t.Context()), &s3.ListObjectVersionsInput{Bucket: &there})
				if err != nil {
					b.t.Fatal(err)
				}
				for _, v := range out.Versions {
					prefixes[prefixOf(*v.Key)] = true
				}
				for _, m := range out.DeleteMarkers {
					prefixes[prefixOf(*m.Key)] = true
				}
				for _, prefix := range slices.Sorted(maps.Keys(prefixes)) {
					ids = append(ids, bucket+"/"+prefix)
				}
			}
			return ids
		},
	}
}

// The suite. Its time is real, and many of its checks wait for the function's
// end, or for the client to try again.
func TestRealContract(t *testing.T) {
	newRealBed(t, false) // or skip
	cfntest.TestHandler(t, cfntest.Contract{
		New:        func(t testing.TB) cfntest.Service { return newRealBed(t, false).service() },
		Properties: Props{Bucket: site.Bucket, Objects: site.Objects[:2]},
		InPlace:    Props{Bucket: site.Bucket, Objects: changed.Objects[:1]},
		Replacing:  Props{Bucket: other.Bucket, Objects: site.Objects[:2]},
		Refused:    Props{Bucket: "nowhere", Objects: site.Objects[:1]},
		RealTime:   true,
		Timeout:    4 * time.Second,
	})
}

func TestRealManyObjects(t *testing.T) {
	for _, tc := range []struct {
		name         string
		versioned    bool
		objects, few int
	}{
		{"plain", false, 1300, 1100},
		{"versioned", true, 510, 200}, // 1,020 versions and markers in the end; that server is slow with them
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newRealBed(t, tc.versioned)
			all, fewer := many(tc.objects), many(tc.few)
			created := cfntest.Invoke(t, b.function(), cfntest.CreateEvent(all))
			if n := len(b.objects(site.Bucket, folder)); created.Status != "SUCCESS" || n != tc.objects {
				t.Fatalf("Create answered %+v and put %d objects", created, n)
			}
			id := created.PhysicalResourceID
			updated := cfntest.Invoke(t, b.function(), cfntest.UpdateEvent(id, fewer, all))
			if n := len(b.objects(site.Bucket, folder)); updated.Status != "SUCCESS" || n != tc.few {
				t.Fatalf("Update answered %+v and left %d objects", updated, n)
			}
			deleted := cfntest.Invoke(t, b.function(), cfntest.DeleteEvent(id, fewer))
			if deleted.Status != "SUCCESS" {
				t.Fatalf("Delete answered %+v", deleted)
			}
			there := site.Bucket + b.suffix
			if _, err := b.admin.DeleteBucket(t.Context(), &s3.DeleteBucketInput{Bucket: &there}); err != nil {
				t.Errorf("the bucket cannot go: %v", err)
			}
			if _, err := b.admin.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &there}); err != nil { // for the cleanup
				t.Error(err)
			}
		})
	}
}

// What S3 stores is what the template says, byte for byte.
func TestRealObjectsAreAsTheTemplateSays(t *testing.T) {
	b := newRealBed(t, false)
	p := Props{Bucket: site.Bucket, Objects: []Object{
		{Key: "Größe & mehr/ä+b c%20.txt", Body: "14 µm\r\n\x00 <>&", ContentType: "text/plain; charset=utf-8"},
		{Key: "empty", Body: ""},
	}}
	created := cfntest.Invoke(t, b.function(), cfntest.CreateEvent(p))
	if created.Status != "SUCCESS" {
		t.Fatalf("Create answered %+v", created)
	}
	if diff := cmp.Diff(want(p), b.objects(site.Bucket, created.Data["Prefix"].(string))); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	cfntest.Invoke(t, b.function(), cfntest.DeleteEvent(created.PhysicalResourceID, p))
}
