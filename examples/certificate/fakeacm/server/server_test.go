package server_test

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/acm"
	"github.com/aws/aws-sdk-go-v2/service/acm/types"

	"github.com/cfnresource/sdk-go/examples/certificate/fakeacm/server"
)

// open serves the certificates that a file keeps.
func open(t *testing.T, path string) *acm.Client {
	t.Helper()
	a, err := server.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(a)
	t.Cleanup(s.Close)
	return acm.New(acm.Options{Region: "us-west-2", BaseEndpoint: &s.URL, Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "secret"}, nil
	})})
}

// Each command of cfnlocal's runs the program anew.
func TestCertificatesOutliveTheProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "acm.json")
	made, err := open(t, path).RequestCertificate(t.Context(), &acm.RequestCertificateInput{DomainName: aws.String("www.example.com"), ValidationMethod: types.ValidationMethodDns})
	if err != nil {
		t.Fatal(err)
	}
	got, err := open(t, path).DescribeCertificate(t.Context(), &acm.DescribeCertificateInput{CertificateArn: made.CertificateArn})
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Certificate; *c.DomainName != "www.example.com" || c.Status != types.CertificateStatusPendingValidation || c.DomainValidationOptions[0].ResourceRecord == nil {
		t.Errorf("described as %+v", c)
	}
}

func TestAFileOfSomethingElseIsNotOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(path, []byte("notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := server.Open(path); err == nil || !strings.Contains(err.Error(), "choose another file") {
		t.Errorf("Open returned %v", err)
	}
}
