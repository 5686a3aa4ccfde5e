package main

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/cfntest/fault"
)

// A look-up makes nothing, so the contract has no State: what is asked then is
// that it is answered, and in the same way.
var contract = cfntest.Contract{
	New:        func(testing.TB) cfntest.Service { return service(provider{}) },
	Properties: Props{Issuer: "https://issuer.example.com"},
	InPlace:    Props{Issuer: "https://other.example.com/tenants/shop", Refresh: "2"}, // whose Data differ
	Refused:    Props{Issuer: "http://issuer.example.com"},
}

func service(p provider) cfntest.Service {
	p.began = time.Now()
	return cfntest.Service{
		Function: func() cfntest.Function {
			l := &Lookup{client: &http.Client{Transport: cfntest.Steps(p)}}
			return cfnresource.New(cfnresource.Action(l.Thumbprints))
		},
		Before: func(any) string { return "looked-up-before" },
	}
}

func TestContract(t *testing.T) { cfntest.TestHandler(t, contract) }

// A process that remembers thumbprints returns old ones.
func TestContractOfARenewedCertificate(t *testing.T) {
	c := contract
	c.New = func(testing.TB) cfntest.Service { return service(provider{renews: true}) }
	c.Skip = map[string]string{"data-same-after-update": "the certificate is another one by then"}
	cfntest.TestHandler(t, c)
}

// provider is a transport that answers as a provider would, without a network. If it renews, it
// has another certificate after a minute.
type provider struct {
	renews bool
	began  time.Time
}

func (p provider) RoundTrip(req *http.Request) (*http.Response, error) {
	reply := httptest.NewRecorder()
	if req.URL.Host == "moved.example.com" {
		http.Redirect(reply, req, "https://other.example.com/tenants/shop"+req.URL.Path, http.StatusFound)
		return reply.Result(), nil
	}
	asked := req.Clone(req.Context())
	if req.URL.Host == "other.example.com" { // whose tenants have a path each
		path, found := strings.CutPrefix(req.URL.Path, "/tenants/shop/")
		if !found {
			http.NotFound(reply, req)
			return reply.Result(), nil
		}
		asked.URL.Path = "/" + path
	}
	serveConfiguration("https://keys.example.com/keys")(reply, asked)
	if req.URL.Host == "keys.example.com" {
		reply = httptest.NewRecorder()
		serveKeys(reply, req)
	}
	res := reply.Result()
	res.Request = req
	certificate := "the certificate of " + req.URL.Host
	if p.renews && time.Since(p.began) >= time.Minute {
		certificate = "another " + certificate
	}
	res.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Raw: []byte(certificate)}}}
	return res, nil
}

// A provider that has moved has another's certificate.
func TestExploreMoved(t *testing.T) {
	moved := contract
	moved.Refused = Props{Issuer: "https://moved.example.com"}
	cfntest.Explore(t, moved, func(o *cfntest.ExploreOptions) { o.Depth, o.Faults = 2, []fault.Kind{} })
}

func TestExplore(t *testing.T) {
	cfntest.Explore(t, contract, func(o *cfntest.ExploreOptions) { o.Depth = 2 })
}
