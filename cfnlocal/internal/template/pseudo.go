package template

import (
	"cmp"
	"strings"
)

// pseudo are the pseudo parameters. The partition and the suffix of its domain names are the
// region's.
func (s Stack) pseudo() map[string]any {
	partition, suffix := "aws", "amazonaws.com"
	switch {
	case strings.HasPrefix(s.Region, "cn-"):
		partition, suffix = "aws-cn", "amazonaws.com.cn"
	case strings.HasPrefix(s.Region, "us-gov-"):
		partition = "aws-us-gov"
	}
	return map[string]any{
		"AWS::AccountId": s.AccountID, "AWS::Region": s.Region, "AWS::StackId": s.StackID, "AWS::StackName": s.StackName,
		"AWS::Partition": cmp.Or(s.Partition, partition), "AWS::URLSuffix": suffix, "AWS::NotificationARNs": []any{},
	}
}
