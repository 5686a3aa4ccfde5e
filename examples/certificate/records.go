package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/acm"
	"github.com/aws/aws-sdk-go-v2/service/acm/types"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// Data has the records by which ACM validates the domain names: Record1,
// Record2 and so on, in the order of the names, each only once. A name and its
// wildcard have the same. Fn::GetAtt reads Record1.Name.
type Data map[string]Record

// A Record is one record of the DNS.
type Record struct{ Name, Type, Value string }

// recordsWithin is how long ACM may take to name the records. It speaks of several seconds.
const recordsWithin = 2 * time.Minute

// awaitRecords waits until ACM has named the records of a certificate. fresh says that it may have
// been requested a moment ago: then it may not be there yet, or not be whole.
func awaitRecords(ctx context.Context, client *acm.Client, arn string, p RequestProps, fresh bool) (data Data, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, recordsWithin, errors.New("ACM takes seconds as a rule"))
	defer cancel()
	err = cfnresource.Poll(ctx, 2*time.Second, func(ctx context.Context) (bool, error) {
		detail, err := describe(ctx, client, arn)
		code := cfnresource.CodeOf(err)
		switch {
		case ctx.Err() != nil, fresh && (code == cfnresource.CodeNotFound || code.Transient()):
			return false, nil //nolint:nilerr // Poll says so, or asks again
		case err != nil:
			return false, err
		case !fresh && !sameNames(detail, p):
			return false, cfnresource.Errorf(cfnresource.CodeNotUpdatable, "the certificate is for other domain names: "+
				"give the resource another name in the template, and another certificate is requested")
		case complete(detail, p):
			data = records(detail, p)
			return true, nil
		case detail.Status == types.CertificateStatusIssued:
			return false, cfnresource.Errorf(cfnresource.CodeNotUpdatable, "there are none: the certificate is not validated by the DNS")
		case detail.Status != types.CertificateStatusPendingValidation:
			return false, refusal(detail)
		}
		return false, nil
	})
	if err != nil {
		return nil, fmt.Errorf("the records of %s: %w", arn, err)
	}
	return data, nil
}

// validation returns how one of the certificate's names is validated, or nil if
// ACM does not say so yet.
func validation(detail *types.CertificateDetail, name string) *types.DomainValidation {
	for i, v := range detail.DomainValidationOptions {
		if strings.EqualFold(aws.ToString(v.DomainName), name) {
			return &detail.DomainValidationOptions[i]
		}
	}
	return nil
}

// complete reports whether there is a record for each name.
func complete(detail *types.CertificateDetail, p RequestProps) bool {
	for _, name := range p.names() {
		if v := validation(detail, name); v == nil || v.ResourceRecord == nil {
			return false
		}
	}
	return true
}

// records are the records of a certificate that is complete.
func records(detail *types.CertificateDetail, p RequestProps) Data {
	data, seen := Data{}, map[Record]bool{}
	for _, name := range p.names() {
		rr := validation(detail, name).ResourceRecord
		record := Record{Name: aws.ToString(rr.Name), Type: string(rr.Type), Value: aws.ToString(rr.Value)}
		if !seen[record] {
			seen[record] = true
			data[fmt.Sprintf("Record%d", len(seen))] = record
		}
	}
	return data
}

// sameNames reports whether the certificate is for the names, and no others.
func sameNames(detail *types.CertificateDetail, p RequestProps) bool {
	want := map[string]bool{}
	for _, name := range p.names() {
		want[strings.ToLower(name)] = true
	}
	got := map[string]bool{strings.ToLower(aws.ToString(detail.DomainName)): true}
	for _, name := range detail.SubjectAlternativeNames {
		got[strings.ToLower(name)] = true
	}
	return maps.Equal(got, want) && strings.EqualFold(aws.ToString(detail.DomainName), p.DomainName)
}
