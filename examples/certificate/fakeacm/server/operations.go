package server

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An input has the parameters of all operations.
type input struct {
	DomainName              string
	SubjectAlternativeNames []string
	ValidationMethod        string
	IdempotencyToken        string
	CertificateArn          string
	Tags                    []tag
	NextToken               string
	CertificateStatuses     []string
}

type tag struct{ Key, Value string }

var (
	domain = regexp.MustCompile(`^(\*\.)?([A-Za-z0-9-]{1,63}\.)+[A-Za-z0-9-]{1,63}$`)
	arn    = regexp.MustCompile(`^arn:[\w-]+:acm:[\w-]+:\d{12}:certificate/[\w-]+$`)
	token  = regexp.MustCompile(`^\w{1,32}$`)
)

func (a *ACM) request(s *state, in input) (out any, err error) {
	if in.IdempotencyToken != "" && !token.MatchString(in.IdempotencyToken) {
		return nil, refuse("ValidationException", "IdempotencyToken does not match \\w+, or is longer than 32")
	}
	if in.ValidationMethod != "DNS" || len(in.DomainName) > 64 {
		return nil, refuse("ValidationException", "ValidationMethod is not DNS, or DomainName is longer than 64")
	}
	names := []string{strings.ToLower(in.DomainName)} // names in the DNS have no case
	for _, name := range in.SubjectAlternativeNames {
		name = strings.ToLower(name)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if !domain.MatchString(name) {
			return nil, refuse("ValidationException", "a domain name is not valid")
		}
	}
	for _, c := range s.Certificates {
		// The token is good for an hour.
		if in.IdempotencyToken != "" && c.Token == in.IdempotencyToken && time.Since(c.Requested) < time.Hour && slices.Equal(c.Names, names) {
			return map[string]string{"CertificateArn": c.ARN}, nil
		}
	}
	s.Last++
	c := &Certificate{
		ARN:       fmt.Sprintf("arn:aws:acm:us-west-2:123456789012:certificate/00000000-0000-4000-8000-%012d", s.Last),
		Names:     names,
		Requested: time.Now(),
		Token:     in.IdempotencyToken,
		Tags:      map[string]string{},
	}
	if err := c.tag(in.Tags); err != nil {
		return nil, err
	}
	s.Certificates = append(s.Certificates, c)
	return map[string]string{"CertificateArn": c.ARN}, nil
}

// list lists one certificate, and says how to get the next one.
func (a *ACM) list(s *state, in input) (out any, err error) {
	i := 0
	if in.NextToken != "" {
		if i, err = strconv.Atoi(in.NextToken); err != nil || i < 0 {
			return nil, refuse("ValidationException", "NextToken is not one of mine")
		}
	}
	listed := slices.DeleteFunc(slices.Clone(s.Certificates), func(c *Certificate) bool {
		return len(in.CertificateStatuses) > 0 && !slices.Contains(in.CertificateStatuses, a.describe(c)["Status"].(string))
	})
	page := map[string]any{"CertificateSummaryList": []any{}}
	if i < len(listed) {
		c := listed[i]
		page["CertificateSummaryList"] = []map[string]string{{"CertificateArn": c.ARN, "DomainName": c.Names[0]}}
	}
	if i+1 < len(listed) {
		page["NextToken"] = strconv.Itoa(i + 1)
	}
	return page, nil
}

func (a *ACM) describe(c *Certificate) map[string]any {
	age := time.Since(c.Requested)
	status, validated := "PENDING_VALIDATION", "PENDING_VALIDATION"
	switch {
	case c.Failed != "":
		status, validated = "FAILED", "FAILED"
	case a.IssuedAfter > 0 && age >= a.IssuedAfter:
		status, validated = "ISSUED", "SUCCESS"
	}
	status = cmp.Or(c.Status, status)
	names := c.Names
	if age < a.RecordsAfter {
		names = names[:1]
	}
	var options []map[string]any
	for _, name := range names {
		option := map[string]any{"DomainName": name, "ValidationMethod": "DNS", "ValidationStatus": validated}
		if age >= a.RecordsAfter && c.Failed == "" {
			option["ResourceRecord"] = record(name)
		}
		options = append(options, option)
	}
	detail := map[string]any{
		"CertificateArn": c.ARN, "DomainName": c.Names[0], "SubjectAlternativeNames": names,
		"Status": status, "Type": "AMAZON_ISSUED", "DomainValidationOptions": options, "CreatedAt": c.Requested.Unix(),
	}
	if c.Failed != "" {
		detail["FailureReason"] = c.Failed
	}
	return detail
}

// record is the same for a name and its wildcard.
func record(name string) map[string]string {
	base := strings.TrimPrefix(name, "*.")
	sum := sha256.Sum256([]byte(base))
	return map[string]string{"Name": fmt.Sprintf("_%x.%s.", sum[:4], base), "Type": "CNAME", "Value": fmt.Sprintf("_%x.acm-validations.aws.", sum[4:8])}
}

func (c *Certificate) tag(tags []tag) error {
	for _, t := range tags {
		if t.Key == "" || strings.HasPrefix(t.Key, "aws:") {
			return refuse("InvalidTagException", "a tag's key is empty, or AWS's")
		}
		c.Tags[t.Key] = t.Value
	}
	if len(c.Tags) > 50 {
		return refuse("TooManyTagsException", "a certificate has at most 50 tags")
	}
	return nil
}

func (c *Certificate) untag(tags []tag) {
	for _, t := range tags {
		if value, ok := c.Tags[t.Key]; ok && (t.Value == "" || t.Value == value) {
			delete(c.Tags, t.Key)
		}
	}
}

func tagList(tags map[string]string) []tag {
	list := []tag{}
	for key, value := range maps.All(tags) {
		list = append(list, tag{key, value})
	}
	slices.SortFunc(list, func(a, b tag) int { return cmp.Compare(a.Key, b.Key) })
	return list
}
