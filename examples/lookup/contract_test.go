package main

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

// A look-up makes nothing, so the contract has no State: what is asked then is
// that it is answered, and in the same way.
var contract = cfntest.Contract{
	New: func(testing.TB) cfntest.Service {
		l := &Lookup{client: &http.Client{Transport: cfntest.Steps(provider{})}}
		return cfntest.Service{Function: func() cfntest.Function { return cfnresource.New(cfnresource.Action(l.Thumbprints)) }}
	},
	Properties: Props{Issuer: "https://issuer.example.com"},
	InPlace:    Props{Issuer: "https://other.example.com", Refresh: "2"}, // whose Data differ
	Refused:    Props{Issuer: "http://issuer.example.com"},
}

func TestContract(t *testing.T) { cfntest.TestHandler(t, contract) }

// provider is a transport that answers as a provider would, without a network.
type provider struct{}

func (provider) RoundTrip(req *http.Request) (*http.Response, error) {
	reply := httptest.NewRecorder()
	serveConfiguration("https://keys.example.com/keys")(reply, req)
	if req.URL.Host == "keys.example.com" {
		reply = httptest.NewRecorder()
		serveKeys(reply, req)
	}
	res := reply.Result()
	res.Request = req
	res.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Raw: []byte("the certificate of " + req.URL.Host)}}}
	return res, nil
}

func TestExplore(t *testing.T) {
	cfntest.Explore(t, contract, func(o *cfntest.ExploreOptions) { o.Depth = 2 })
}
