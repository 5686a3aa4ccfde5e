package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/acm"
	"github.com/aws/aws-sdk-go-v2/service/acm/types"

	"github.com/cfnresource/sdk-go/cfnresource"
)

type IssuedProps struct {
	_ struct{} `doc:"Waits until a certificate is issued."`

	Certificate string `cfn:"required" doc:"The certificate's ARN."`
}

// Validate is called before anything is waited for.
func (p IssuedProps) Validate() error {
	if !isARN(p.Certificate) {
		return errors.New("Certificate is no ARN")
	}
	return nil
}

// IssuedData is what resources that need the issued certificate read, which so come after the wait.
type IssuedData struct {
	Arn string `doc:"The certificate's ARN, once it is issued."`
}

// issued waits until a certificate is issued, up to an hour: where the invocation ends before, the
// next calls it again. It makes nothing, so there is nothing to delete.
func issued(ctx context.Context, client *acm.Client, p IssuedProps) (IssuedData, error) {
	last := "it was not looked at"
	err := cfnresource.Poll(ctx, 10*time.Second, func(ctx context.Context) (bool, error) {
		detail, err := describe(ctx, client, p.Certificate)
		switch {
		case cfnresource.CodeOf(err).Transient(): // as happens in so many minutes
			last = fmt.Sprintf("it could not be read (%v)", err)
			return false, nil
		case err != nil:
			return false, err
		case detail.Status == types.CertificateStatusPendingValidation:
			last = pending(detail)
			return false, nil
		case detail.Status != types.CertificateStatusIssued:
			return false, refusal(detail)
		}
		return true, nil
	})
	if cfnresource.CodeOf(err) == cfnresource.CodeNotStabilized {
		err = fmt.Errorf("%s is not issued: %s: %w", p.Certificate, last, err)
	}
	return IssuedData{p.Certificate}, err
}

// pending tells which names ACM has not validated, and by which records it would.
func pending(detail *types.CertificateDetail) string {
	var missing []string
	for _, v := range detail.DomainValidationOptions {
		if v.ValidationStatus == types.DomainStatusSuccess || v.ResourceRecord == nil {
			continue
		}
		missing = append(missing, fmt.Sprintf("%s (%s %s %s)", aws.ToString(v.DomainName), aws.ToString(v.ResourceRecord.Name), v.ResourceRecord.Type, aws.ToString(v.ResourceRecord.Value)))
	}
	if len(missing) == 0 {
		return "ACM had validated its domain names"
	}
	return "ACM had not seen the records of " + strings.Join(missing, ", ")
}
