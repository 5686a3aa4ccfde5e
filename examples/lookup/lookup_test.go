package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha1"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

// A host is a TLS server on the loopback interface with a CA of its own.
type host struct {
	url        string
	thumbprint string
	ca         *x509.Certificate
}

func newHost(t *testing.T, handler http.HandlerFunc) host {
	t.Helper()
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test CA"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	caKey, caRaw := sign(t, ca, ca, nil)
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: time.Now().Add(time.Hour),
	}
	key, raw := sign(t, leaf, ca, caKey)

	server := httptest.NewUnstartedServer(handler)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{raw, caRaw}, PrivateKey: key}}}
	server.StartTLS()
	t.Cleanup(server.Close)

	ca, err := x509.ParseCertificate(caRaw)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha1.Sum(caRaw)
	return host{url: server.URL, thumbprint: hex.EncodeToString(sum[:]), ca: ca}
}

// sign returns a new key and its certificate, signed by itself if by is nil.
func sign(t *testing.T, cert, parent *x509.Certificate, by *ecdsa.PrivateKey) (key *ecdsa.PrivateKey, raw []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if by == nil {
		by = key
	}
	raw, err = x509.CreateCertificate(rand.Reader, cert, parent, key.Public(), by)
	if err != nil {
		t.Fatal(err)
	}
	return key, raw
}

// trusting returns a Lookup that trusts the hosts' CAs.
func trusting(hosts ...host) *Lookup {
	pool := x509.NewCertPool()
	for _, h := range hosts {
		pool.AddCert(h.ca)
	}
	return &Lookup{client: &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}}
}

// serveKeys is a provider's host for its keys.
func serveKeys(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"keys":[]}`) }

// serveConfiguration is a provider's host for its configuration.
func serveConfiguration(keysURL string) http.HandlerFunc {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"jwks_uri":%q}`, keysURL)
	})
	return mux.ServeHTTP
}

// A look-up is tested by its function: a request is a struct.
func TestThumbprintsOfTwoHosts(t *testing.T) {
	keys := newHost(t, serveKeys)
	issuer := newHost(t, serveConfiguration(keys.url+"/keys"))

	req := &cfnresource.UpdateRequest[Props]{Properties: Props{Issuer: issuer.url + "/"}}
	data, err := trusting(issuer, keys).Thumbprints(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{keys.thumbprint, issuer.thumbprint}, data.Thumbprints); diff != "" {
		t.Errorf("thumbprints of the top of each chain (-want +got):\n%s", diff)
	}
}

func TestOneHostHasOneThumbprint(t *testing.T) {
	var issuer host
	issuer = newHost(t, func(w http.ResponseWriter, r *http.Request) {
		serveConfiguration(issuer.url+"/.well-known/openid-configuration")(w, r)
	})
	d := cfnresource.New(cfnresource.Action(trusting(issuer).Thumbprints))
	props := Props{Issuer: issuer.url}

	created := cfntest.Invoke(t, d, cfntest.CreateEvent(props))
	want := map[string]any{"Thumbprints": []any{issuer.thumbprint}}
	if diff := cmp.Diff(want, created.Data); diff != "" {
		t.Errorf("Create (-want +got):\n%s", diff)
	}
	again := Props{Issuer: issuer.url, Refresh: "2"}
	updated := cfntest.Invoke(t, d, cfntest.UpdateEvent(created.PhysicalResourceID, again, props))
	if diff := cmp.Diff(created, updated); diff != "" {
		t.Errorf("Update looks again and answers the same (-Create +Update):\n%s", diff)
	}
	if got := cfntest.Invoke(t, d, cfntest.DeleteEvent(created.PhysicalResourceID, again)); got.Status != "SUCCESS" {
		t.Errorf("Delete answered %+v", got)
	}
}

func TestWhatCannotBeLookedUpFails(t *testing.T) {
	keys := newHost(t, serveKeys)
	redirecting := newHost(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, keys.url, http.StatusFound)
	})
	bare, empty := newHost(t, serveKeys), newHost(t, http.NotFound)
	l := trusting(keys, redirecting, bare, empty)
	for _, tc := range []struct {
		name   string
		issuer string
		want   string // part of the Reason
	}{
		{"not HTTPS", "http://127.0.0.1", "Issuer is not of the form"},
		{"not an issuer", bare.url, "names no jwks_uri"},
		{"another host's certificate", redirecting.url, "redirected to another host"},
		{"not there", empty.url, "404 Not Found"},
		{"a certificate that nobody vouches for", newHost(t, serveKeys).url, "certificate"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := cfnresource.New(cfnresource.Action(l.Thumbprints))
			got := cfntest.Invoke(t, d, cfntest.CreateEvent(Props{Issuer: tc.issuer}))
			if got.Status != "FAILED" || !strings.Contains(got.Reason, tc.want) {
				t.Errorf("answered %+v, want a Reason with %q", got, tc.want)
			}
		})
	}
}
