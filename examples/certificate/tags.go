package main

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/acm"
	"github.com/aws/aws-sdk-go-v2/service/acm/types"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// tag is the key of the tag that says whose a certificate is.
const tag = "cloudformation-stable-id"

// tags are all tags of a certificate, in the order of their keys.
func tags(own map[string]string, stableID string) []types.Tag {
	all := []types.Tag{{Key: new(tag), Value: &stableID}}
	for key, value := range own {
		all = append(all, types.Tag{Key: &key, Value: &value})
	}
	slices.SortFunc(all, func(a, b types.Tag) int { return cmp.Compare(*a.Key, *b.Key) })
	return all
}

// isTagged reports whether there is a certificate of that ARN, and it bears the
// StableID. An ID that is no ARN is one that CloudFormation made up.
func isTagged(ctx context.Context, client *acm.Client, arn, stableID string) (bool, error) {
	if !isARN(arn) {
		return false, nil
	}
	has, err := tagsOf(ctx, client, arn)
	switch cfnresource.CodeOf(err) {
	case cfnresource.CodeNotFound, cfnresource.CodeInvalidRequest:
		return false, nil
	}
	return err == nil && has[tag] == stableID, err
}

// search returns the ARN of the certificate that is tagged with a StableID, or "". ACM cannot be
// asked for a tag, so the tags of each certificate of that domain name are read; of each
// certificate, if the name is not known. What is deleted may still be listed. Those that are listed
// have RSA keys of 2048 bits, unless it is asked for others: as ours have.
func search(ctx context.Context, client *acm.Client, domainName, stableID string) (arn string, err error) {
	pages := acm.NewListCertificatesPaginator(client, &acm.ListCertificatesInput{})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return "", coded(err)
		}
		for _, c := range page.CertificateSummaryList {
			if domainName != "" && !strings.EqualFold(aws.ToString(c.DomainName), domainName) {
				continue
			}
			if mine, err := isTagged(ctx, client, aws.ToString(c.CertificateArn), stableID); mine || err != nil {
				return aws.ToString(c.CertificateArn), err
			}
		}
	}
	return "", nil
}

func tagsOf(ctx context.Context, client *acm.Client, arn string) (map[string]string, error) {
	out, err := client.ListTagsForCertificate(ctx, &acm.ListTagsForCertificateInput{CertificateArn: &arn})
	if err != nil {
		return nil, coded(err)
	}
	has := make(map[string]string, len(out.Tags))
	for _, t := range out.Tags {
		has[aws.ToString(t.Key)] = aws.ToString(t.Value)
	}
	return has, nil
}

// retag makes a certificate's tags those that it is to have. Those of AWS's own stay.
func retag(ctx context.Context, client *acm.Client, arn string, want []types.Tag) error {
	has, err := tagsOf(ctx, client, arn)
	if err != nil {
		return err
	}
	var missing, extra []types.Tag
	for _, t := range want {
		if value, ok := has[*t.Key]; !ok || value != *t.Value {
			missing = append(missing, t)
		}
		delete(has, *t.Key)
	}
	for key := range has {
		if !strings.HasPrefix(key, "aws:") {
			extra = append(extra, types.Tag{Key: &key})
		}
	}
	if len(extra) > 0 {
		if _, err := client.RemoveTagsFromCertificate(ctx, &acm.RemoveTagsFromCertificateInput{CertificateArn: &arn, Tags: extra}); err != nil {
			return coded(err)
		}
	}
	if len(missing) > 0 {
		if _, err := client.AddTagsToCertificate(ctx, &acm.AddTagsToCertificateInput{CertificateArn: &arn, Tags: missing}); err != nil {
			return coded(err)
		}
	}
	return nil
}
