package main

import (
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfntest"
)

var contract = cfntest.Contract{
	ResourceType: "Custom::CertificateRequest",
	New: func(t testing.TB) cfntest.Service {
		fake := newACM(t)
		return cfntest.Service{
			Function: func() cfntest.Handler { return newFunction(fake) },
			State:    func(arn string) any { return stateOf(fake, arn) },
			List:     func() []string { return arns(fake) },
		}
	},
	Properties: RequestProps{DomainName: "www.example.com", SubjectAlternativeNames: []string{"example.com"}, Tags: map[string]string{"team": "shop"}},
	InPlace:    RequestProps{DomainName: "www.example.com", SubjectAlternativeNames: []string{"example.com"}, Tags: map[string]string{"cost": "7"}},
	Replacing:  RequestProps{DomainName: "www.example.com", Tags: map[string]string{"team": "shop"}},
	Refused:    RequestProps{DomainName: "under_score.example.com"},
	Timeout:    15 * time.Minute,
}

func TestRequest(t *testing.T) { cfntest.TestHandler(t, contract) }

// A wait makes nothing: only its answers are judged. Its certificate was
// requested a minute before.
func TestIssued(t *testing.T) {
	props := func(arn string, within time.Duration) map[string]any {
		return map[string]any{"Certificate": arn, "Within": within.String()}
	}
	cfntest.TestHandler(t, cfntest.Contract{
		ResourceType: "Custom::CertificateIssued",
		New: func(t testing.TB) cfntest.Service {
			fake := newACM(t)
			request(t, fake, "www.example.com")
			return cfntest.Service{Function: func() cfntest.Handler { return newFunction(fake) }}
		},
		Properties: props(first, 14*time.Minute),
		InPlace:    props(first, 10*time.Minute),
		Refused:    props("www.example.com", time.Minute),
		Timeout:    15 * time.Minute,
	})
}

func TestExplore(t *testing.T) {
	cfntest.Explore(t, contract, func(o *cfntest.ExploreOptions) { o.Histories = 1500 })
}
