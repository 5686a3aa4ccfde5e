package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/acm"
	"github.com/aws/aws-sdk-go-v2/service/acm/types"

	"github.com/cfnresource/sdk-go/cfnresource"
)

type RequestProps struct {
	_ struct{} `doc:"Requests a certificate that is validated by DNS."`

	DomainName              string            `cfn:"createOnly,required" doc:"The certificate's name. Other names make another certificate."`
	SubjectAlternativeNames []string          `cfn:"createOnly" doc:"More names of the certificate."`
	Tags                    map[string]string `doc:"Tags, besides the one that marks the owner."`
}

// maxNames is how many names there can be: the records of each have some 200 bytes of the 4,096 of an answer. ACM allows
// ten unless you have its quota raised.
const maxNames = 15

// Validate is called before anything is made or changed.
func (p RequestProps) Validate() error {
	if n := len(p.names()); n > maxNames {
		return fmt.Errorf("there are %d names: the records of more than %d do not fit into an answer", n, maxNames)
	}
	for _, name := range p.names() {
		if !strings.Contains(name, ".") {
			return errors.New("DomainName and SubjectAlternativeNames are not all of the form www.example.com or *.example.com")
		}
	}
	for key := range p.Tags {
		if key == tag || strings.HasPrefix(strings.ToLower(key), "aws:") {
			return fmt.Errorf("Tags holds the key %s, which is not for templates", key)
		}
	}
	return nil
}

// names are all the domain names of the certificate.
func (p RequestProps) names() []string {
	return append([]string{p.DomainName}, p.SubjectAlternativeNames...)
}

// A Request manages requests of certificates that are validated by the DNS. The
// physical ID is the certificate's ARN; each is tagged with its StableID, by
// which Find leads back to it when the answer to its Create was lost.
//
// It does not wait until the certificate is issued: that takes the records,
// and nobody has them before Create has answered.
type Request struct{ acm *acm.Client }

func (r *Request) Create(ctx context.Context, req *cfnresource.CreateRequest[RequestProps]) (Data, error) {
	p := req.Properties
	made, err := r.acm.RequestCertificate(ctx, &acm.RequestCertificateInput{
		DomainName:              &p.DomainName,
		SubjectAlternativeNames: p.SubjectAlternativeNames,
		ValidationMethod:        types.ValidationMethodDns,
		IdempotencyToken:        new(strings.ReplaceAll(req.IdempotencyToken(), "-", "")), // ACM takes 32 letters and digits
		Tags:                    tags(p.Tags, req.StableID()),
	})
	if err != nil {
		return nil, coded(err)
	}
	req.Created(*made.CertificateArn)
	return awaitRecords(ctx, r.acm, *made.CertificateArn, p, true)
}

func (r *Request) Update(ctx context.Context, req *cfnresource.UpdateRequest[RequestProps]) (Data, error) {
	p := req.Properties
	data, err := awaitRecords(ctx, r.acm, req.PhysicalID, p, req.Adopted)
	if err != nil {
		return nil, err
	}
	// Also what another program requested can be found from now on.
	return data, retag(ctx, r.acm, req.PhysicalID, tags(p.Tags, req.StableID()))
}

// Delete is tried again while the certificate is in use: what used it in the
// same stack has been deleted before, but that takes a while to be seen.
func (r *Request) Delete(ctx context.Context, req *cfnresource.DeleteRequest[RequestProps]) error {
	if !isARN(req.PhysicalID) {
		return cfnresource.Errorf(cfnresource.CodeNotFound, "%s is no certificate's ARN", req.PhysicalID)
	}
	_, err := r.acm.DeleteCertificate(ctx, &acm.DeleteCertificateInput{CertificateArn: &req.PhysicalID})
	return coded(err)
}

// Find implements [cfnresource.Finder].
func (r *Request) Find(ctx context.Context, req *cfnresource.FindRequest[RequestProps]) (physicalID string, err error) {
	if mine, err := isTagged(ctx, r.acm, req.PhysicalID, req.StableID()); mine || err != nil {
		return req.PhysicalID, err
	}
	return search(ctx, r.acm, req.Properties.DomainName, req.StableID())
}
