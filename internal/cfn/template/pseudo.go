package template

import "strings"

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
