package main

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/acm"
	"github.com/aws/aws-sdk-go-v2/service/acm/types"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// describe returns what ACM says of a certificate.
func describe(ctx context.Context, client *acm.Client, arn string) (*types.CertificateDetail, error) {
	out, err := client.DescribeCertificate(ctx, &acm.DescribeCertificateInput{CertificateArn: &arn})
	if err != nil {
		return nil, coded(err)
	}
	return out.Certificate, nil
}

// refusal is the error of a certificate that will never be issued, or is no longer valid.
func refusal(detail *types.CertificateDetail) error {
	why := ""
	if detail.FailureReason != "" {
		why = " for " + string(detail.FailureReason)
	}
	return cfnresource.Errorf(cfnresource.CodeGeneralServiceException, "the certificate %s is %s%s, and will not be issued: "+
		"give its request another name in the template, and another certificate is requested", aws.ToString(detail.CertificateArn), detail.Status, why)
}

func isARN(id string) bool { return strings.HasPrefix(id, "arn:") }
