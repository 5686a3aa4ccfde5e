package main

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/acm"
	"github.com/aws/aws-sdk-go-v2/service/acm/types"
)

// serve runs the program and returns a client of it. The next call, and the end
// of the test, end it.
func serve(t *testing.T, state string) (client *acm.Client, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"-addr", "127.0.0.1:0", "-state", state, "-records-after", "0"}, w)
		w.CloseWithError(io.ErrUnexpectedEOF)
		done <- err
	}()
	stop = func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	line := make([]byte, 1000)
	n, err := r.Read(line)
	if err != nil {
		stop()
		t.Fatal(err)
	}
	url, _, _ := strings.Cut(strings.TrimPrefix(string(line[:n]), "serving "), ",")
	return acm.New(acm.Options{Region: "us-west-2", BaseEndpoint: &url, Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "secret"}, nil
	})}), stop
}

// Each command of cfnlocal's runs the program anew.
func TestCertificatesOutliveTheProgram(t *testing.T) {
	state := filepath.Join(t.TempDir(), "acm.json")
	client, stop := serve(t, state)
	made, err := client.RequestCertificate(t.Context(), &acm.RequestCertificateInput{DomainName: aws.String("www.example.com"), ValidationMethod: types.ValidationMethodDns})
	stop()
	if err != nil {
		t.Fatal(err)
	}
	client, stop = serve(t, state)
	defer stop()
	got, err := client.DescribeCertificate(t.Context(), &acm.DescribeCertificateInput{CertificateArn: made.CertificateArn})
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Certificate; *c.DomainName != "www.example.com" || c.Status != types.CertificateStatusPendingValidation || c.DomainValidationOptions[0].ResourceRecord == nil {
		t.Errorf("described as %+v", c)
	}
}

func TestAFileOfSomethingElseIsNotOverwritten(t *testing.T) {
	if err := run(t.Context(), []string{"-addr", "127.0.0.1:0", "-state", "main.go"}, io.Discard); err == nil || !strings.Contains(err.Error(), "choose another file") {
		t.Errorf("run returned %v", err)
	}
}
