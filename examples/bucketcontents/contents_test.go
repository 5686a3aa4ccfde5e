package main

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/examples/bucketcontents/fakes3/server"
)

// A handler's methods can be tested without any event: a request is a struct.
func TestCreateNamesWhatItMade(t *testing.T) {
	b := newBed(false)
	req := &cfnresource.CreateRequest[Props]{Properties: site}
	data, err := b.contents().Create(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if req.CreatedID() != "site/"+data.Prefix {
		t.Errorf("Create returned %+v and created %q", data, req.CreatedID())
	}
	if diff := cmp.Diff(want(site), b.Objects("site", data.Prefix)); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	found, err := b.contents().Find(t.Context(), &cfnresource.FindRequest[Props]{Properties: site})
	if err != nil || found != req.CreatedID() {
		t.Errorf("Find returned %q, %v", found, err)
	}
}

func TestCreateNamesNothingThatItDidNotMake(t *testing.T) {
	b := newBed(false)
	b.RemoveBucket("site")
	req := &cfnresource.CreateRequest[Props]{Properties: site}
	_, err := b.contents().Create(t.Context(), req)
	if cfnresource.CodeOf(err) != cfnresource.CodeNotFound || req.CreatedID() != "" {
		t.Errorf("Create returned error %v and created %q", err, req.CreatedID())
	}
}

// both runs a test with a bucket that has versioning, and with one that has not.
func both(t *testing.T, test func(t *testing.T, b *bed)) {
	for name, versioned := range map[string]bool{"plain": false, "versioned": true} {
		t.Run(name, func(t *testing.T) { test(t, newBed(versioned)) })
	}
}

// What CloudFormation does to a handler, event by event.

func succeed(t *testing.T, b *bed, event []byte) cfntest.Response {
	t.Helper()
	a := cfntest.Invoke(t, b.function(), event)
	if a.Status != "SUCCESS" {
		t.Fatalf("answered %+v", a)
	}
	return a
}

// nothing checks that the buckets can go: there is no version and no marker.
func (b *bed) nothing(t *testing.T) {
	t.Helper()
	if keys := b.Keys(); len(keys) != 0 {
		t.Errorf("there are %d objects left, such as %v", len(keys), keys[:min(3, len(keys))])
	}
}

// More than S3 lists or deletes at once.
func TestManyObjects(t *testing.T) {
	both(t, func(t *testing.T, b *bed) {
		all, fewer := many(2100), many(1050)
		created := succeed(t, b, cfntest.CreateEvent(all))
		id, prefix := created.PhysicalResourceID, created.Data["Prefix"].(string)
		if diff := cmp.Diff(want(all), b.Objects("site", prefix)); diff != "" {
			t.Errorf("Create (-want +got):\n%s", diff)
		}
		succeed(t, b, cfntest.UpdateEvent(id, fewer, all))
		if diff := cmp.Diff(want(fewer), b.Objects("site", prefix)); diff != "" {
			t.Errorf("Update (-want +got):\n%s", diff)
		}
		succeed(t, b, cfntest.UpdateEvent(id, all, fewer))
		if diff := cmp.Diff(want(all), b.Objects("site", prefix)); diff != "" {
			t.Errorf("the way back (-want +got):\n%s", diff)
		}
		succeed(t, b, cfntest.DeleteEvent(id, all))
		b.nothing(t)
	})
}

// The process dies with half of the objects put, or half of them removed.
func TestKilledHalfWay(t *testing.T) {
	all := many(1200)
	set := func(p Props) cfntest.Template { return cfntest.Template{"Site": {Properties: p}} }
	for _, tc := range []struct {
		name   string
		fault  fault.Fault
		status string // of the deployment
	}{
		// A step is one before and one after each request; the first two are Find's.
		{"Lambda tries again", fault.Fault{Kind: fault.DieAtStep, Request: "Create", Step: 1201}, "CREATE_COMPLETE"},
		{"it dies each time", fault.Fault{Kind: fault.DieForGood, Request: "Create"}, "ROLLBACK_COMPLETE"},
		{"the answer is lost", fault.Fault{Kind: fault.LoseAnswer, Request: "Create"}, "ROLLBACK_COMPLETE"},
		{"the stack is deleted meanwhile", fault.Fault{Kind: fault.CancelWhileRunning, Request: "Create"}, "DELETE_COMPLETE"},
		{"S3 hangs", fault.Fault{Kind: fault.HangAtStep, Request: "Create", Step: 1201}, "CREATE_COMPLETE"},
		{"in the Delete", fault.Fault{Kind: fault.DieAtStep, Request: "Delete", Step: 6}, "CREATE_COMPLETE"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBed(true)
				stack := cfntest.NewStack(t, b.service())
				stack.Inject(tc.fault)
				if status := stack.Deploy(set(all)); status != tc.status {
					t.Fatalf("%s, want %s:\n%s", status, tc.status, stack.Story())
				}
				if tc.status == "CREATE_COMPLETE" {
					if n := len(b.Keys()); n != len(all.Objects) {
						t.Errorf("there are %d objects, want %d", n, len(all.Objects))
					}
				}
				if tc.status != "DELETE_COMPLETE" {
					if status := stack.Destroy(); status != "DELETE_COMPLETE" {
						t.Fatalf("%s:\n%s", status, stack.Story())
					}
				}
				stack.Settle()
				b.nothing(t)
			})
		})
	}
}

// A set too large for the time is answered, with what to do, and what there is
// of it is removed; nothing waits for an hour.
func TestASetTooLargeForTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(false)
		b.delay = 100 * time.Millisecond // 2,500 objects take 16 s
		stack := cfntest.NewStack(t, b.service(), func(o *cfntest.StackOptions) { o.Timeout = 10 * time.Second })
		if status := stack.Deploy(cfntest.Template{"Site": {Properties: many(2500)}}); status != "ROLLBACK_COMPLETE" {
			t.Fatalf("%s:\n%s", status, stack.Story())
		}
		reason := stack.Requests()[0].Response.Reason
		if !strings.Contains(reason, "of 2500 objects are put, and the time is over: raise the function's Timeout") {
			t.Errorf("the Reason is %q", reason)
		}
		b.nothing(t)
		if b.cut != 0 {
			t.Errorf("%d requests were cut off, which may take effect after the rollback", b.cut)
		}
		if status := stack.Destroy(); status != "DELETE_COMPLETE" {
			t.Errorf("%s", status)
		}
		// With the time that it takes, it is there.
		if status := cfntest.NewStack(t, b.service()).Deploy(cfntest.Template{"Site": {Properties: many(2500)}}); status != "CREATE_COMPLETE" {
			t.Errorf("%s", status)
		}
	})
}

// Someone removed the bucket first. The Delete that follows the Create waits for a Create that
// may have been lost, so the time is virtual.
func TestABucketThatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(false)
		id := succeed(t, b, cfntest.CreateEvent(site)).PhysicalResourceID
		b.RemoveBucket("site")
		failed := cfntest.Invoke(t, b.function(), cfntest.UpdateEvent(id, changed, site))
		if failed.Status != "FAILED" || !strings.Contains(failed.Reason, "NoSuchBucket") || failed.PhysicalResourceID != id {
			t.Errorf("Update answered %+v", failed)
		}
		succeed(t, b, cfntest.DeleteEvent(id, site))
		if found, err := b.contents().Find(t.Context(), &cfnresource.FindRequest[Props]{Properties: site}); found != "" || err != nil {
			t.Errorf("Find returned %q, %v", found, err)
		}
		failed = cfntest.Invoke(t, b.function(), cfntest.CreateEvent(site))
		if failed.Status != "FAILED" || !strings.Contains(failed.Reason, "NoSuchBucket") {
			t.Errorf("Create answered %+v", failed)
		}
		succeed(t, b, cfntest.DeleteEvent(failed.PhysicalResourceID, site))
	})
}

// What else is in the bucket is not touched, whatever ID an event brings.
func TestStrangersObjectsAreNotTouched(t *testing.T) {
	both(t, func(t *testing.T, b *bed) {
		neighbour := succeed(t, b, cfntest.CreateEvent(site, func(e *cfntest.Event) { e.LogicalID = "Neighbour" }))
		prefix := neighbour.Data["Prefix"].(string)
		for _, key := range []string{"index.html", folder + "index.html", strings.TrimSuffix(prefix, "/") + "x", "bucketcontents"} {
			b.Put("site", key, server.Object{Body: "a stranger's"})
		}
		before := b.Objects("site", "")
		for _, id := range []string{
			neighbour.PhysicalResourceID, "site", "site/", "site/" + folder, "/", "", "site//", "site/index.html", "site/bucketcontents",
			"my-stack-Site-1ABCDEFGHIJKL", "other/" + prefix,
		} {
			if id != "" { // which no event has
				succeed(t, b, cfntest.DeleteEvent(id, site))
				cfntest.Invoke(t, b.function(), cfntest.UpdateEvent(id, changed, site))
			}
			if err := b.contents().Delete(t.Context(), &cfnresource.DeleteRequest[Props]{PhysicalID: id, Properties: site}); cfnresource.CodeOf(err) != cfnresource.CodeNotFound {
				t.Errorf("Delete of %q returned %v", id, err)
			}
		}
		id := succeed(t, b, cfntest.CreateEvent(site)).PhysicalResourceID
		succeed(t, b, cfntest.UpdateEvent(id, changed, site))
		succeed(t, b, cfntest.DeleteEvent(id, changed))
		if diff := cmp.Diff(before, b.Objects("site", "")); diff != "" {
			t.Errorf("other people's objects (-before +after):\n%s", diff)
		}
	})
}

// What another program made in one bucket is not moved to another.
func TestASetIsNotMoved(t *testing.T) {
	b := newBed(false)
	req := &cfnresource.UpdateRequest[Props]{PhysicalID: placeIn(cfnresource.Request{}, "site").id(), Properties: other, OldProperties: site, IdentityChanged: true}
	if _, err := b.contents().Update(t.Context(), req); cfnresource.CodeOf(err) != cfnresource.CodeNotUpdatable {
		t.Errorf("Update returned %v", err)
	}
	b.nothing(t)
}

// S3's words may hold what was sent to it.
func TestBodiesAreStruckOut(t *testing.T) {
	b := newBed(false)
	b.intercept = func(*http.Request) string {
		return "400 <Error><Code>InvalidRequest</Code><Message>Not so: User-agent: *</Message></Error>"
	}
	created := cfntest.Invoke(t, b.function(), cfntest.CreateEvent(site))
	if created.Status != "FAILED" || !strings.Contains(created.Reason, "Not so: ***") {
		t.Errorf("Create answered %+v", created)
	}
}

// An update of a bucket with versioning leaves the versions that there were:
// who uses it wants to go back.
func TestAnUpdateLeavesVersions(t *testing.T) {
	b := newBed(true)
	created := succeed(t, b, cfntest.CreateEvent(site))
	succeed(t, b, cfntest.UpdateEvent(created.PhysicalResourceID, changed, site))
	var kept []string
	for _, key := range b.Keys() {
		kept = append(kept, strings.TrimPrefix(key, created.PhysicalResourceID))
	}
	if diff := cmp.Diff([]string{"css/site.css", "img/logo.svg", "index.html", "robots.txt"}, kept); diff != "" {
		t.Errorf("keys with versions (-want +got):\n%s", diff)
	}
}

func TestAMistakeInTheTemplatePutsNothing(t *testing.T) {
	object := func(key string) map[string]any { return map[string]any{"Key": key, "Body": "text"} }
	for _, tc := range []struct {
		name  string
		props map[string]any
		want  string // part of the Reason
	}{
		{"no Bucket", map[string]any{"Objects": []any{object("a")}}, "Bucket"},
		{"a path for a Bucket", map[string]any{"Bucket": "site/a", "Objects": []any{object("a")}}, "Bucket"},
		{"no Objects", map[string]any{"Bucket": "site"}, "Objects"},
		{"an empty list", map[string]any{"Bucket": "site", "Objects": []any{}}, "Objects"},
		{"no Key", map[string]any{"Bucket": "site", "Objects": []any{object("a"), map[string]any{"Body": "text"}}}, "Objects[1].Key"},
		{"Body misspelt", map[string]any{"Bucket": "site", "Objects": []any{map[string]any{"Key": "a", "Boddy": "text"}}}, "Body"},
		{"a Key twice", map[string]any{"Bucket": "site", "Objects": []any{object("a"), object("b"), object("a")}}, "Objects[2].Key: is that of Objects[0] too"},
		{"a way out", map[string]any{"Bucket": "site", "Objects": []any{object("../a")}}, "Objects[0].Key"},
		{"a way out, later", map[string]any{"Bucket": "site", "Objects": []any{object("a/../../b")}}, "Objects[0].Key"},
		{"the prefix itself", map[string]any{"Bucket": "site", "Objects": []any{object(".")}}, "Objects[0].Key"},
		{"a slash before", map[string]any{"Bucket": "site", "Objects": []any{object("/a")}}, "Objects[0].Key"},
		{"two slashes", map[string]any{"Bucket": "site", "Objects": []any{object("a//b")}}, "Objects[0].Key"},
		{"a slash behind", map[string]any{"Bucket": "site", "Objects": []any{object("a/")}}, "Objects[0].Key"},
		{"a line break", map[string]any{"Bucket": "site", "Objects": []any{object("a\nb")}}, "Objects[0].Key"},
		{"a long Key", map[string]any{"Bucket": "site", "Objects": []any{object(strings.Repeat("a", 901))}}, "901 bytes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBed(false)
			created := cfntest.Invoke(t, b.function(), cfntest.CreateEvent(tc.props))
			if created.Status != "FAILED" || !strings.Contains(created.Reason, tc.want) {
				t.Errorf("Create answered %+v, want a Reason with %q", created, tc.want)
			}
			b.nothing(t)
		})
	}
}

// What S3 keeps is not said to be gone.
func TestWhatS3KeepsFailsTheDelete(t *testing.T) {
	b := newBed(false)
	id := succeed(t, b, cfntest.CreateEvent(site)).PhysicalResourceID
	b.intercept = func(r *http.Request) string {
		if r.Method != http.MethodPost {
			return ""
		}
		return "<DeleteResult><Error><Key>k</Key><Code>AccessDenied</Code><Message>Access Denied</Message></Error></DeleteResult>"
	}
	old := func(e *cfntest.Event) { e.Sent = time.Now().Add(-time.Minute) } // a young event's denial would be tried again
	deleted := cfntest.Invoke(t, b.function(), cfntest.DeleteEvent(id, site, old))
	if deleted.Status != "FAILED" || !strings.Contains(deleted.Reason, "S3 removed 2 of 3 objects: AccessDenied") {
		t.Errorf("Delete answered %+v", deleted)
	}
}

// The first alone, since nobody knows of it until S3 answers; then as many as there are
// workers, and never more.
func TestObjectsArePutSeveralAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(false)
		b.delay = time.Second
		began := time.Now()
		c := b.contents()
		if _, err := c.Create(t.Context(), &cfnresource.CreateRequest[Props]{Properties: many(161)}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 11*time.Second || b.most != workers {
			t.Errorf("161 objects took %v, and up to %d were put at once; want 11s and %d", took, b.most, workers)
		}
	})
}

// At the first error no more is begun: as many requests as there are workers are under way by then.
func TestTheFirstErrorEndsThePuts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(false)
		b.delay = time.Second
		refused := 0
		b.intercept = func(r *http.Request) string {
			if !strings.HasSuffix(r.URL.Path, "page/0007") {
				return ""
			}
			refused++
			return "403 <Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
		}
		created := cfntest.Invoke(t, b.function(), cfntest.CreateEvent(many(2500)))
		if created.Status != "FAILED" || !strings.Contains(created.Reason, "Objects[7]: ") || !strings.Contains(created.Reason, "AccessDenied") || refused != 1 {
			t.Errorf("Create answered %+v after %d refusals", created, refused)
		}
		if n := len(b.Keys()); n > 2*workers {
			t.Errorf("%d objects were put", n)
		}
		b.intercept = nil
		succeed(t, b, cfntest.DeleteEvent(created.PhysicalResourceID, many(2500))) // the rollback's
		b.nothing(t)
	})
}

// Lazy keeps Find.
func TestTheHandlerOfMainFinds(t *testing.T) {
	b := newBed(false)
	d := cfnresource.New(cfnresource.Lazy(func(context.Context) (*Contents, error) { return b.contents(), nil }))
	if err := d.Err(); err != nil {
		t.Fatal(err)
	}
	cfntest.Invoke(t, d, cfntest.CreateEvent(site))
	// An ID that CloudFormation made up, since the answer never arrived.
	synctest.Test(t, func(t *testing.T) {
		cfntest.Invoke(t, d, cfntest.DeleteEvent("my-stack-MyResource-1ABCDEFGHIJKL", site))
	})
	b.nothing(t)
}

// A function's environment says where S3 is.
func TestTheClientOfMainIsThatOfTheEnvironment(t *testing.T) {
	t.Setenv("AWS_REGION", "eu-central-1")
	for endpoint, want := range map[string]string{"": "https://site.s3.eu-central-1.amazonaws.com/k", "http://localhost:8086": "http://localhost:8086/site/k"} {
		t.Setenv("AWS_ENDPOINT_URL_S3", endpoint)
		c, err := open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := urlOf(t, c); got != want {
			t.Errorf("with the endpoint %q, objects are put to %s, want %s", endpoint, got, want)
		}
	}
}

// urlOf returns the URL to which a client puts the object k of the bucket site.
func urlOf(t *testing.T, c *Contents) (target string) {
	t.Helper()
	client := http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		target = strings.TrimSuffix(r.URL.String(), "?x-id=PutObject")
		return nil, http.ErrHandlerTimeout
	})}
	bucket, key := "site", "k"
	_, _ = c.s3.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &bucket, Key: &key}, func(o *s3.Options) {
		o.HTTPClient = &client
		o.RetryMaxAttempts = 1
		o.Credentials = clientConfig("", "key", "secret", "").Credentials
	})
	return target
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// What cannot be the name of a bucket is refused before anything is asked; what S3 refuses leaves nothing to delete.
func TestNamesOfBuckets(t *testing.T) {
	for name, invalid := range map[string]bool{
		"site\n":                 true,
		strings.Repeat("a", 256): true,
		strings.Repeat("a", 255): false, // once they could be as long
		"Site":                   false,
	} {
		p := Props{Bucket: name, Objects: site.Objects}
		if err := p.Validate(); (err != nil) != invalid {
			t.Errorf("%.9q…: %v", name, err)
		}
		synctest.Test(t, func(t *testing.T) {
			if status := cfntest.NewStack(t, newBed(false).service()).Deploy(cfntest.Template{"Site": {Properties: p}}); status != "ROLLBACK_COMPLETE" {
				t.Errorf("%.9q…: %s", name, status)
			}
		})
	}
}
