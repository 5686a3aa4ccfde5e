package main

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/acm"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/examples/certificate/fakeacm/server"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// timeout is the function's, as in the template.
const timeout = 5 * time.Minute

func issuedType(e *cfntest.Event) { e.ResourceType = "Custom::CertificateIssued" }

// contextWithin ends as Lambda's does.
func contextWithin(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(t.Context(), d)
}

// newStack returns a stack whose function has the template's timeout.
func newStack(t *testing.T, fake http.Handler) *cfntest.Stack {
	t.Helper()
	return cfntest.NewStack(t, cfntest.Service{Function: func() cfntest.Function { return newFunction(fake) }},
		func(o *cfntest.StackOptions) { o.Timeout = timeout })
}

// whole is the template: the request, its record in the DNS, the wait, and what
// needs the certificate.
func whole(listener cfntest.Resource) cfntest.Template {
	listener.Type, listener.DependsOn = "AWS::ElasticLoadBalancingV2::Listener", []string{"Issued"}
	return cfntest.Template{
		"Request": {Type: "Custom::CertificateRequest", Properties: www, ServiceTimeout: 900},
		"Record":  {Type: "AWS::Route53::RecordSet", DependsOn: []string{"Request"}},
		"Issued": {
			Type: "Custom::CertificateIssued", Properties: IssuedProps{Certificate: first}, DependsOn: []string{"Record"}, ServiceTimeout: 3600,
		},
		"Listener": listener,
	}
}

// What is issued after 40 minutes takes nine invocations, and one answer.
func TestTheWaitGoesOnInOtherInvocations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newACM(t)
		fake.IssuedAfter = 40 * time.Minute
		arn := request(t, fake, "www.example.com")
		got := cfntest.Invoke(t, newFunction(fake), cfntest.CreateEvent(IssuedProps{Certificate: arn}, issuedType))
		if got.Status != "SUCCESS" || got.Invocations != 9 {
			t.Errorf("answered %+v", got)
		}
	})
}

func TestAStackWaitsUntilItsCertificateIsIssued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newACM(t)
		fake.IssuedAfter = 40 * time.Minute
		stack := newStack(t, fake)
		start := time.Now()
		if status := stack.Deploy(whole(cfntest.Resource{})); status != "CREATE_COMPLETE" {
			t.Fatalf("%s, after\n%s", status, stack.Story())
		}
		if waited := time.Since(start); waited < 40*time.Minute || waited > 41*time.Minute {
			t.Errorf("the stack took %v", waited)
		}
		wait := stack.Requests()[1]
		if n := len(wait.Deliveries); n != 9 || wait.Response.Invocations != 9 {
			t.Errorf("the wait took %d invocations, want 9, and was answered %+v", n, wait.Response)
		}
		if arn := stack.Data("Issued")["Arn"]; arn != first || stack.PhysicalID("Request") != first {
			t.Errorf("the wait returned %v for %v", arn, stack.PhysicalID("Request"))
		}
		stack.Destroy()
		if len(arns(fake)) > 0 {
			t.Errorf("%v are left, after\n%s", arns(fake), stack.Story())
		}
	})
}

func TestACertificateThatIsNotIssuedInTimeIsReportedAndDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newACM(t)
		fake.IssuedAfter = 0
		stack := newStack(t, fake)
		status := stack.Deploy(whole(cfntest.Resource{}))
		if status != "ROLLBACK_COMPLETE" || len(arns(fake)) > 0 {
			t.Errorf("%s, and %v are left, after\n%s", status, arns(fake), stack.Story())
		}
		for _, want := range []string{first + " is not issued", "_" /* the record */, "www.example.com. CNAME", "invocation 12 of"} {
			if !strings.Contains(stack.Story(), want) {
				t.Errorf("the story does not tell %q:\n%s", want, stack.Story())
			}
		}
	})
}

// A stack that does not tell whether it waits still is answered when the invocation ends.
func TestAWaitThatCannotGoOnIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newACM(t)
		fake.IssuedAfter = 0
		arn := request(t, fake, "www.example.com")
		deadline, cancel := contextWithin(t, timeout)
		defer cancel()
		got := cfntest.InvokeContext(cfntest.WithPhase(deadline, lifecycle.PhaseUnknown), t, newFunction(fake), cfntest.CreateEvent(IssuedProps{Certificate: arn}, issuedType))
		if got.Status != "FAILED" || !strings.Contains(got.Reason, "not seen the records of www.example.com") || deadline.Err() != nil {
			t.Errorf("answered %+v", got)
		}
	})
}

func TestACertificateThatIsRefusedIsNotWaitedFor(t *testing.T) {
	for name, tc := range map[string]struct {
		happens func(fake *server.ACM)
		want    string // part of the Reason
	}{
		"ACM refuses it": {func(fake *server.ACM) { _ = fake.Change(first, func(c *server.Certificate) { c.Failed = "CAA_ERROR" }) }, "is FAILED for CAA_ERROR"},
		"it was deleted": {func(fake *server.ACM) { remove(fake, first) }, "ResourceNotFoundException"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake := newACM(t)
				arn := request(t, fake, "www.example.com")
				start := time.Now()
				time.AfterFunc(time.Minute, func() { tc.happens(fake) })
				got := cfntest.Invoke(t, newFunction(fake), cfntest.CreateEvent(IssuedProps{Certificate: arn}, issuedType))
				if got.Status != "FAILED" || !strings.Contains(got.Reason, tc.want) || time.Since(start) > 70*time.Second {
					t.Errorf("answered %+v after %v", got, time.Since(start))
				}
			})
		})
	}
}

func remove(fake *server.ACM, arn string) {
	_, _ = newClient(fake).DeleteCertificate(context.Background(), &acm.DeleteCertificateInput{CertificateArn: &arn})
}

// In an hour a service may fail for a minute.
func TestAnOutageOfACMDoesNotEndTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newACM(t)
		arn := request(t, fake, "www.example.com")
		start := time.Now()
		flaky := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if age := time.Since(start); age > time.Minute && age < 2*time.Minute {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			fake.ServeHTTP(w, r)
		})
		got := cfntest.Invoke(t, newFunction(flaky), cfntest.CreateEvent(IssuedProps{Certificate: arn}, issuedType))
		if got.Status != "SUCCESS" || got.Data["Arn"] != arn {
			t.Errorf("answered %+v after %v", got, time.Since(start))
		}
	})
}

func TestAnUnansweredOutageIsTheReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
		got := cfntest.Invoke(t, newFunction(down), cfntest.CreateEvent(IssuedProps{Certificate: first}, issuedType))
		if got.Status != "FAILED" || !strings.Contains(got.Reason, "it could not be read") {
			t.Errorf("answered %+v", got)
		}
	})
}

// The listener fails to switch to the new certificate: the wait leads back to
// the old one, which is there still.
func TestARollbackWaitsForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newACM(t)
		stack := newStack(t, fake)
		stack.Deploy(whole(cfntest.Resource{}))
		next := whole(cfntest.Resource{Fails: "no such thing"})
		request, wait := next["Request"], next["Issued"]
		request.Properties = api
		wait.Properties = IssuedProps{Certificate: strings.TrimSuffix(first, "1") + "2"}
		next["Request"], next["Issued"] = request, wait
		if status := stack.Deploy(next); status != "UPDATE_ROLLBACK_COMPLETE" {
			t.Fatalf("%s, after\n%s", status, stack.Story())
		}
		if got := arns(fake); len(got) != 1 || got[0] != first || stack.Data("Issued")["Arn"] != first {
			t.Errorf("%v are left, after\n%s", got, stack.Story())
		}
	})
}

// A DNS that is slower than the wait: what was requested is kept, and waited for once more.
func TestAFailedWaitIsTriedAgainWithoutARollback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newACM(t)
		fake.IssuedAfter = 70 * time.Minute
		stack := newStack(t, fake)
		keep := func(d *cfntest.Deployment) { d.DisableRollback = true }
		if status := stack.Deploy(whole(cfntest.Resource{}), keep); status != "CREATE_FAILED" {
			t.Fatalf("%s, after\n%s", status, stack.Story())
		}
		if status := stack.Deploy(whole(cfntest.Resource{}), keep); status != "UPDATE_COMPLETE" || len(arns(fake)) != 1 {
			t.Errorf("%s, and there are %v, after\n%s", status, arns(fake), stack.Story())
		}
	})
}

// A function that cannot have a client answers all the same.
func TestAFunctionWithoutAClientAnswers(t *testing.T) {
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_CONFIG_FILE", "/dev/null")
	t.Setenv("AWS_PROFILE", "nobody's")
	f := function(open)
	if err := f.Err(); err != nil {
		t.Fatal(err)
	}
	for _, event := range [][]byte{
		cfntest.CreateEvent(www, requestType),
		cfntest.CreateEvent(IssuedProps{Certificate: first}, issuedType),
	} {
		if got := cfntest.Invoke(t, f, event); got.Status != "FAILED" || !strings.Contains(got.Reason, "nobody's") {
			t.Errorf("answered %+v", got)
		}
	}
}

var _ cfnresource.Finder[RequestProps] = (*Request)(nil)
