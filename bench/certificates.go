package main

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"time"
)

// An authority is a certificate and its key, which can sign others.
type authority struct {
	cert *x509.Certificate
	key  crypto.Signer
}

// s3Certificates returns a server's certificates as Amazon S3 has them, and their
// root: keys of 2048 bits RSA, and one authority between server and root. A
// handshake with S3 that was recorded has them: signalwire/freeswitch issue
// 1985, whose server's certificate names crl.r2m01.amazontrust.com.
func s3Certificates() (server tls.Certificate, root []byte, err error) {
	var chain [3]authority
	for i, name := range []string{"root", "authority", "server"} {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			return server, nil, err
		}
		if chain[i], err = newAuthority(name, key, chain[max(0, i-1)]); err != nil {
			return server, nil, err
		}
	}
	return tls.Certificate{Certificate: [][]byte{chain[2].cert.Raw, chain[1].cert.Raw}, PrivateKey: chain[2].key}, encode(chain[0]), nil
}

// newAuthority returns a certificate that is signed by another, or by itself if that is none.
func newAuthority(name string, key crypto.Signer, by authority) (authority, error) {
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(time.Now().UnixNano()),
		Subject:               pkix.Name{CommonName: "bench " + name},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(24 * time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	if by.cert == nil {
		by = authority{template, key}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by.cert, key.Public(), by.key)
	if err != nil {
		return authority{}, err
	}
	cert, err := x509.ParseCertificate(der)
	return authority{cert, key}, err
}

func encode(a authority) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}
