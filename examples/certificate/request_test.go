package main

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/acm"
	"github.com/aws/aws-sdk-go-v2/service/acm/types"
	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/examples/certificate/fakeacm/server"
)

// first is the ARN of the first certificate of a new ACM.
const first = "arn:aws:acm:us-west-2:123456789012:certificate/00000000-0000-4000-8000-000000000001"

// request requests a certificate as another program did a minute ago.
func request(t testing.TB, fake *server.ACM, domainName string) (arn string) {
	t.Helper()
	out, err := newClient(fake).RequestCertificate(t.Context(), &acm.RequestCertificateInput{DomainName: &domainName, ValidationMethod: types.ValidationMethodDns})
	if err == nil {
		err = fake.Change(*out.CertificateArn, func(c *server.Certificate) { c.Requested = c.Requested.Add(-time.Minute) })
	}
	if err != nil {
		t.Fatal(err)
	}
	return *out.CertificateArn
}

func requestType(e *cfntest.Event) { e.ResourceType = "Custom::CertificateRequest" }

var (
	www = RequestProps{DomainName: "www.example.com"}
	api = RequestProps{DomainName: "api.example.com"}
)

// A handler's methods can be tested without any event: a request is a struct.
func TestCreateTagsNamesAndFindsWhatItRequested(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newACM(t)
		request(t, fake, "www.example.com") // a stranger's of the same name
		r := &Request{newClient(fake)}
		req := &cfnresource.CreateRequest[RequestProps]{Properties: www}
		data, err := r.Create(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		made := fake.All()[1]
		if req.CreatedID() != made.ARN || data["Record1"].Name == "" {
			t.Errorf("Create returned %v and created %q, want %q", data, req.CreatedID(), made.ARN)
		}
		if diff := cmp.Diff(map[string]string{tag: req.StableID()}, made.Tags); diff != "" {
			t.Errorf("tags (-want +got):\n%s", diff)
		}
		for _, p := range []RequestProps{www, {}} { // those of a Delete may be unreadable
			id, err := r.Find(t.Context(), &cfnresource.FindRequest[RequestProps]{Properties: p})
			if err != nil || id != made.ARN {
				t.Errorf("Find with %v returned %q, %v; want %q", p, id, err, made.ARN)
			}
		}
	})
}

// ACM may list a certificate late, and an ID may be another program's, or one
// that CloudFormation made up.
func TestFindReadsTheCertificateOfTheEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newACM(t)
		stranger := request(t, fake, "www.example.com")
		mine := &cfnresource.CreateRequest[RequestProps]{Properties: www}
		if _, err := (&Request{newClient(fake)}).Create(t.Context(), mine); err != nil {
			t.Fatal(err)
		}
		for _, tc := range []struct{ at, want string }{
			{mine.CreatedID(), mine.CreatedID()},
			{stranger, ""},
			{"my-stack-Request-1ABCDEFGHIJKL", ""},
			{"arn:aws:acm:us-west-2:123456789012:certificate/none", ""},
		} {
			blind := &Request{newClient(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".ListCertificates") {
					_, _ = io.WriteString(w, "{}")
					return
				}
				fake.ServeHTTP(w, r)
			}))}
			got, err := blind.Find(t.Context(), &cfnresource.FindRequest[RequestProps]{PhysicalID: tc.at, Properties: www})
			if err != nil || got != tc.want {
				t.Errorf("Find of %q returned %q, %v; want %q", tc.at, got, err, tc.want)
			}
		}
	})
}

func TestACertificateThatIsDeletedWhileItIsLookedForIsNotFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newACM(t)
		request(t, fake, "www.example.com")
		r := &Request{newClient(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fake.ServeHTTP(w, r)
			if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".ListCertificates") {
				remove(fake, first)
			}
		}))}
		id, err := r.Find(t.Context(), &cfnresource.FindRequest[RequestProps]{Properties: www})
		if err != nil || id != "" || len(arns(fake)) > 0 {
			t.Errorf("Find returned %q, %v; there are %v", id, err, arns(fake))
		}
	})
}

// A Create that is delivered twice finds its own request, which ACM may not have told all of yet.
func TestAnAdoptedRequestIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newACM(t)
		r, props := &Request{newClient(fake)}, RequestProps{DomainName: "example.com", SubjectAlternativeNames: []string{"example.net"}}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := r.Create(short, &cfnresource.CreateRequest[RequestProps]{Properties: props}); err == nil {
			t.Fatal("Create did not run out of time")
		}
		data, err := r.Update(t.Context(), &cfnresource.UpdateRequest[RequestProps]{PhysicalID: first, Properties: props, Adopted: true})
		if err != nil || len(data) != 2 {
			t.Errorf("Update returned %v, %v", data, err)
		}
	})
}

func TestDeleteOfWhatIsGoneIsNotFound(t *testing.T) {
	r := &Request{newClient(newACM(t))}
	for _, id := range []string{first, "my-stack-Request-1ABCDEFGHIJKL", "an ID of another library"} {
		err := r.Delete(t.Context(), &cfnresource.DeleteRequest[RequestProps]{PhysicalID: id})
		if cfnresource.CodeOf(err) != cfnresource.CodeNotFound {
			t.Errorf("Delete of %q returned %v", id, err)
		}
	}
}

func TestDataHasEachRecordOnceInTheOrderOfTheNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newACM(t)
		start := time.Now()
		props := RequestProps{DomainName: "example.com", SubjectAlternativeNames: []string{"example.net", "*.example.com"}}
		created := cfntest.Invoke(t, newFunction(fake), cfntest.CreateEvent(props, requestType))
		if created.Status != "SUCCESS" {
			t.Fatalf("Create answered %+v", created)
		}
		want := map[string]any{
			"Record1.Name": "_a379a6f6.example.com.", "Record1.Type": "CNAME", "Record1.Value": "_eeafb9a5.acm-validations.aws.",
			"Record2.Name": "_3daab7cf.example.net.", "Record2.Type": "CNAME", "Record2.Value": "_f97925bb.acm-validations.aws.",
		}
		if diff := cmp.Diff(want, created.Data); diff != "" {
			t.Errorf("Data (-want +got):\n%s", diff)
		}
		if waited := time.Since(start); waited != 10*time.Second {
			t.Errorf("Create took %v: the records are named after 9 seconds, and asked for every 2", waited)
		}
	})
}

func TestACertificateWithoutRecordsIsReportedAndDeleted(t *testing.T) {
	for name, tc := range map[string]struct {
		faulty func(*server.ACM)
		want   string // part of the Reason
	}{
		"ACM names none":      {func(fake *server.ACM) { fake.RecordsAfter = time.Hour }, "not ready after 2m0s"},
		"ACM refuses it":      {func(fake *server.ACM) { fail(fake, first, "DOMAIN_NOT_ALLOWED") }, "is FAILED for DOMAIN_NOT_ALLOWED"},
		"it never comes up":   {func(fake *server.ACM) { fake.VisibleAfter = time.Hour }, "not ready after 2m0s"},
		"it comes up at last": {func(fake *server.ACM) { fake.VisibleAfter = time.Minute }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake := newACM(t)
				tc.faulty(fake)
				stack := newStack(t, fake)
				status := stack.Deploy(cfntest.Template{"Request": {Type: "Custom::CertificateRequest", Properties: www}})
				if tc.want == "" {
					if status != "CREATE_COMPLETE" {
						t.Errorf("%s, after\n%s", status, stack.Story())
					}
					return
				}
				if status != "ROLLBACK_COMPLETE" || !strings.Contains(stack.Story(), tc.want) || len(arns(fake)) > 0 {
					t.Errorf("%s, and %v are left; want %q in\n%s", status, arns(fake), tc.want, stack.Story())
				}
			})
		})
	}
}

// fail has ACM refuse a certificate one second after it was requested.
func fail(fake *server.ACM, arn, reason string) {
	time.AfterFunc(time.Second, func() {
		_ = fake.Change(arn, func(c *server.Certificate) { c.Failed = reason })
	})
}

// The stack is deleted while it is created. The Delete has an ID that
// CloudFormation made up, and the Create may be at work still.
func TestACreationThatIsCancelledLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newACM(t)
		stack := newStack(t, fake)
		start := time.Now()
		stack.Inject(fault.Fault{Kind: fault.CancelWhileRunning, LogicalID: "Request"})
		stack.Deploy(whole(cfntest.Resource{}))
		if len(arns(fake)) > 0 || time.Since(start) > timeout {
			t.Errorf("%v are left after %v:\n%s", arns(fake), time.Since(start), stack.Story())
		}
	})
}

// What another program requested is this resource's from its first update on,
// unless it is for other names.
func TestAnotherProgramsCertificate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newACM(t)
		f := newFunction(fake)
		arn := request(t, fake, "www.example.com")

		other := cfntest.Invoke(t, f, cfntest.UpdateEvent(arn, api, www, requestType))
		if other.Status != "FAILED" || !strings.Contains(other.Reason, "other domain names") || len(fake.All()[0].Tags) > 0 {
			t.Errorf("an Update to another name answered %+v and left %+v", other, fake.All())
		}
		back := cfntest.Invoke(t, f, cfntest.UpdateEvent(arn, www, api, requestType))
		if back.Status != "SUCCESS" || back.PhysicalResourceID != arn || fake.All()[0].Tags[tag] == "" {
			t.Errorf("its rollback answered %+v and left %+v", back, fake.All())
		}
	})
}

// The load balancer that used the certificate has just been deleted, and ACM
// does not know that yet.
func TestADeleteOfACertificateInUseIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newACM(t)
		f := newFunction(fake)
		created := cfntest.Invoke(t, f, cfntest.CreateEvent(www, requestType))
		use := func(used bool) {
			if err := fake.Change(first, func(c *server.Certificate) { c.InUse = used }); err != nil {
				t.Error(err)
			}
		}
		use(true)
		time.AfterFunc(4*time.Minute, func() { use(false) })
		start := time.Now()
		deadline, cancel := contextWithin(t, timeout)
		defer cancel()
		deleted := cfntest.InvokeContext(deadline, t, f, cfntest.DeleteEvent(created.PhysicalResourceID, www, requestType))
		if deleted.Status != "SUCCESS" || len(arns(fake)) > 0 || time.Since(start) < 4*time.Minute {
			t.Errorf("Delete answered %+v after %v, and left %v", deleted, time.Since(start), arns(fake))
		}
	})
}

func TestADeleteOfACertificateThatStaysInUseFailsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newACM(t)
		f := newFunction(fake)
		created := cfntest.Invoke(t, f, cfntest.CreateEvent(www, requestType))
		if err := fake.Change(first, func(c *server.Certificate) { c.InUse = true }); err != nil {
			t.Fatal(err)
		}
		deadline, cancel := contextWithin(t, timeout)
		defer cancel()
		deleted := cfntest.InvokeContext(deadline, t, f, cfntest.DeleteEvent(created.PhysicalResourceID, www, requestType))
		if deleted.Status != "FAILED" || !strings.Contains(deleted.Reason, "is in use") || deadline.Err() != nil {
			t.Errorf("Delete answered %+v", deleted)
		}
	})
}

func TestAMistakeInTheTemplateRequestsNothing(t *testing.T) {
	for name, tc := range map[string]struct {
		props map[string]any
		want  string // part of the Reason
	}{
		"no DomainName":        {map[string]any{"Tags": map[string]string{"a": "b"}}, "DomainName"},
		"no domain":            {map[string]any{"DomainName": "localhost"}, "www.example.com or"},
		"the tag that is ours": {map[string]any{"DomainName": "www.example.com", "Tags": map[string]string{tag: "x"}}, tag},
		"a tag of AWS's":       {map[string]any{"DomainName": "www.example.com", "Tags": map[string]string{"aws:x": "x"}}, "aws:x"},
		"misspelt":             {map[string]any{"DomainName": "www.example.com", "SubjectAlternativeName": "x"}, "SubjectAlternativeNames"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake := newACM(t)
				created := cfntest.Invoke(t, newFunction(fake), cfntest.CreateEvent(tc.props, requestType))
				if created.Status != "FAILED" || !strings.Contains(created.Reason, tc.want) || len(arns(fake)) > 0 {
					t.Errorf("Create answered %+v and requested %v, want a Reason with %q", created, arns(fake), tc.want)
				}
			})
		})
	}
}
