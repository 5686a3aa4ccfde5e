// Package server is a small AWS Certificate Manager, for trying a handler and for tests. It speaks
// the service's protocol, JSON over HTTP, and knows the operations that the example uses.
//
// What it cannot do: it issues no certificates, only says so, and looks at no
// DNS, no signatures, and no filters but that of statuses. It lists one certificate a page. What it
// refuses, and what it takes time for, is what AWS documents.
package server

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// An ACM is one account's certificates in one Region. Its fields are set before its first use.
type ACM struct {
	// VisibleAfter is how long after its request a certificate can be described, RecordsAfter when
	// all its names and their records are told, IssuedAfter when it is issued: if zero, never.
	VisibleAfter, RecordsAfter, IssuedAfter time.Duration

	store store
}

// Open returns an ACM that keeps its certificates in a file, which need not
// exist yet; if the path is empty, in memory.
func Open(path string) (*ACM, error) {
	a := &ACM{store: store{path: path}}
	return a, a.store.read()
}

// A problem is an error of ACM's, with the code that its clients see.
type problem struct{ code, message string }

func (p *problem) Error() string { return p.code + ": " + p.message }

func refuse(code, message string) error { return &problem{code, message} }

// ServeHTTP implements [http.Handler].
func (a *ACM) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in input
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err == nil {
		err = json.Unmarshal(body, &in)
	}
	if err != nil {
		reply(w, nil, refuse("SerializationException", err.Error()))
		return
	}
	if !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 ") {
		reply(w, nil, refuse("MissingAuthenticationTokenException", "the request is not signed"))
		return
	}
	operation := strings.TrimPrefix(r.Header.Get("X-Amz-Target"), "CertificateManager.")
	var out any
	err = a.store.change(func(s *state) error {
		out, err = a.do(s, operation, in)
		return err
	})
	reply(w, out, err)
}

func (a *ACM) do(s *state, operation string, in input) (out any, err error) {
	switch operation {
	case "RequestCertificate":
		return a.request(s, in)
	case "ListCertificates":
		return a.list(s, in)
	}
	if !arn.MatchString(in.CertificateArn) {
		return nil, refuse("InvalidArnException", "CertificateArn is no ARN")
	}
	c := s.find(in.CertificateArn)
	if c == nil || operation == "DescribeCertificate" && time.Since(c.Requested) < a.VisibleAfter {
		return nil, refuse("ResourceNotFoundException", "there is no certificate "+in.CertificateArn)
	}
	switch operation {
	case "DescribeCertificate":
		return map[string]any{"Certificate": a.describe(c)}, nil
	case "DeleteCertificate":
		if c.InUse {
			return nil, refuse("ResourceInUseException", "the certificate "+c.ARN+" is in use")
		}
		s.remove(c.ARN)
		return struct{}{}, nil
	case "ListTagsForCertificate":
		return map[string]any{"Tags": tagList(c.Tags)}, nil
	case "AddTagsToCertificate":
		return struct{}{}, c.tag(in.Tags)
	case "RemoveTagsFromCertificate":
		c.untag(in.Tags)
		return struct{}{}, nil
	}
	return nil, refuse("UnknownOperationException", "there is no operation "+operation)
}

func reply(w http.ResponseWriter, out any, err error) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	var p *problem
	switch {
	case errors.As(err, &p):
		w.WriteHeader(http.StatusBadRequest)
		out = map[string]string{"__type": p.code, "message": p.message}
	case err != nil:
		w.WriteHeader(http.StatusInternalServerError)
		out = map[string]string{"__type": "InternalFailure", "message": err.Error()}
	}
	_ = json.NewEncoder(w).Encode(out) //nolint:errchkjson // the client that is gone misses nothing
}
