package blackbox

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// An authority is a certificate authority for one run of the tests. It issues a
// certificate for every name. The proxy decides which names can be reached.
type authority struct {
	// file holds the authority's certificate, for SSL_CERT_FILE.
	file string

	cert *x509.Certificate
	key  *ecdsa.PrivateKey

	mu     sync.Mutex
	issued map[string]*tls.Certificate
}

var testAuthority = sync.OnceValues(newAuthority)

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "black-box test authority"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(folder, "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(file, block, 0o600); err != nil {
		return nil, err
	}
	return &authority{file: file, cert: cert, key: key, issued: map[string]*tls.Certificate{}}, nil
}

// certificate is a tls.Config's GetCertificate.
func (a *authority) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	name := hello.ServerName
	if cert := a.issued[name]; cert != nil {
		return cert, nil
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(int64(len(a.issued) + 2)),
		DNSNames:     []string{name},
		NotBefore:    a.cert.NotBefore,
		NotAfter:     a.cert.NotAfter,
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, a.key.Public(), a.key)
	if err != nil {
		return nil, err
	}
	cert := &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.key}
	a.issued[name] = cert
	return cert, nil
}

func mustAuthority(t testing.TB) *authority {
	t.Helper()
	a, err := testAuthority()
	if err != nil {
		t.Fatal(err)
	}
	return a
}
