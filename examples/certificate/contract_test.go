package main

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/acm"
	"github.com/aws/aws-sdk-go-v2/service/acm/types"

	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/examples/certificate/fakeacm/server"
)

var contract = cfntest.Contract{
	ResourceType: "Custom::CertificateRequest",
	New: func(t testing.TB) cfntest.Service {
		fake := newACM(t)
		return cfntest.Service{
			Function: func() cfntest.Function { return newFunction(fake) },
			State:    func(arn string) any { return stateOf(fake, arn) },
			List:     func() []string { return arns(fake) },
			Before:   func(props any) string { return requestBefore(t, fake, props) },
		}
	},
	Properties: RequestProps{DomainName: "www.example.com", SubjectAlternativeNames: []string{"example.com"}, Tags: map[string]string{"team": "shop"}},
	InPlace:    RequestProps{DomainName: "www.example.com", SubjectAlternativeNames: []string{"example.com"}, Tags: map[string]string{"cost": "7"}},
	Replacing:  RequestProps{DomainName: "www.example.com", Tags: map[string]string{"team": "shop"}},
	Refused:    RequestProps{DomainName: "under_score.example.com"},
	Timeout:    timeout,
}

// requestBefore requests a certificate as a program that set no tag of its own, a minute ago.
func requestBefore(t testing.TB, fake *server.ACM, props any) (arn string) {
	t.Helper()
	p, _ := props.(RequestProps)
	in := &acm.RequestCertificateInput{DomainName: &p.DomainName, SubjectAlternativeNames: p.SubjectAlternativeNames, ValidationMethod: types.ValidationMethodDns}
	for key, value := range p.Tags {
		in.Tags = append(in.Tags, types.Tag{Key: &key, Value: &value})
	}
	out, err := clientOver(inProcess{fake}).RequestCertificate(t.Context(), in)
	if err == nil {
		err = fake.Change(*out.CertificateArn, func(c *server.Certificate) { c.Requested = c.Requested.Add(-time.Minute) })
	}
	if err != nil {
		t.Fatal(err)
	}
	return *out.CertificateArn
}

func TestRequest(t *testing.T) { cfntest.TestHandler(t, contract) }

// A wait makes nothing: only its answers are judged. Its certificates were
// requested a minute before.
var wait = cfntest.Contract{
	ResourceType: "Custom::CertificateIssued",
	New:          waitFor(func(c *server.Certificate) { c.Failed = "CAA_ERROR" }),
	Properties:   IssuedProps{Certificate: first},
	InPlace:      IssuedProps{Certificate: nth(2)},
	Refused:      IssuedProps{Certificate: nth(3)}, // which ACM does not issue
	Timeout:      timeout,
}

// waitFor returns what makes the service, in which the third certificate is changed.
func waitFor(change func(*server.Certificate)) func(testing.TB) cfntest.Service {
	return func(t testing.TB) cfntest.Service {
		fake := newACM(t)
		fake.IssuedAfter = 70 * time.Second
		request(t, fake, "www.example.com")
		request(t, fake, "api.example.com")
		request(t, fake, "refused.example.com")
		if err := fake.Change(nth(3), change); err != nil {
			t.Fatal(err)
		}
		return cfntest.Service{Function: func() cfntest.Function { return newFunction(fake) }}
	}
}

// nth is the ARN of the nth certificate that the fake makes.
func nth(n int) string { return strings.TrimSuffix(first, "1") + strconv.Itoa(n) }

func TestIssued(t *testing.T) { cfntest.TestHandler(t, wait) }

// What is in any status but two is never issued, or is no longer valid.
func TestExploreNotIssued(t *testing.T) {
	for _, status := range types.CertificateStatus("").Values() {
		if status == types.CertificateStatusPendingValidation || status == types.CertificateStatusIssued {
			continue
		}
		t.Run(string(status), func(t *testing.T) {
			c := wait
			c.New = waitFor(func(c *server.Certificate) { c.Status = string(status) })
			cfntest.Explore(t, c, func(o *cfntest.ExploreOptions) { o.Depth, o.Faults = 2, []fault.Kind{} })
		})
	}
}

// The wait goes on in other invocations, which die, come twice, are cancelled,
// are refused, and do not know the stack's phase.
func TestExploreIssued(t *testing.T) {
	cfntest.Explore(t, wait, func(o *cfntest.ExploreOptions) {
		o.Depth = 2
		o.Faults = []fault.Kind{
			fault.Slow, fault.LinkDies, fault.LinkDiesForGood, fault.LinkTwice, fault.LinkFails, fault.CancelBetween, fault.CancelWaiting,
			fault.ContinueRefused, fault.ContinueLost, fault.PhaseUnknown, fault.PhaseLost,
		}
	})
}

func TestExplore(t *testing.T) {
	cfntest.Explore(t, contract, func(o *cfntest.ExploreOptions) { o.Histories = 1500 })
}
