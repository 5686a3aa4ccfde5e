package template

import (
	"cmp"
	"strings"
)

// partitionOf is the partition of a region and the suffix of its domain names.
func partitionOf(region string) (partition, suffix string) {
	switch {
	case strings.HasPrefix(region, "cn-"):
		return "aws-cn", "amazonaws.com.cn"
	case strings.HasPrefix(region, "us-gov-"):
		return "aws-us-gov", "amazonaws.com"
	}
	return "aws", "amazonaws.com"
}

func (s Stack) pseudo() map[string]any {
	partition, suffix := partitionOf(s.Region)
	return map[string]any{
		"AWS::AccountId": s.AccountID, "AWS::Region": s.Region, "AWS::StackId": s.StackID, "AWS::StackName": s.StackName,
		"AWS::Partition": cmp.Or(s.Partition, partition), "AWS::URLSuffix": suffix, "AWS::NotificationARNs": []any{},
	}
}
