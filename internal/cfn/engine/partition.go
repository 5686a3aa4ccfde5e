package engine

import "strings"

// A Partition is a part of AWS that has regions of its own.
type Partition struct {
	Name   string // in ARNs, such as aws-cn
	Suffix string // of the names of hosts, such as amazonaws.com.cn
}

// commercial is the partition of a region that no other has.
var commercial = Partition{"aws", "amazonaws.com"}

// partitions are the others, by what the names of their regions begin with, as the metadata of
// AWS's SDKs has them [D]. The SDK has the hosts too, since the judge shares no code with the
// judged; TestEveryPartitionIsAnswered in cfntest sees that they agree.
var partitions = []struct {
	regions string
	Partition
}{
	{"cn-", Partition{"aws-cn", "amazonaws.com.cn"}},
	{"us-gov-", Partition{"aws-us-gov", "amazonaws.com"}},
	{"us-iso-", Partition{"aws-iso", "c2s.ic.gov"}},
	{"us-isob-", Partition{"aws-iso-b", "sc2s.sgov.gov"}},
	{"eu-isoe-", Partition{"aws-iso-e", "cloud.adc-e.uk"}},
	{"us-isof-", Partition{"aws-iso-f", "csp.hci.ic.gov"}},
	{"eusc-", Partition{"aws-eusc", "amazonaws.eu"}},
}

// PartitionOf returns the partition that a region is in.
func PartitionOf(region string) Partition {
	for _, p := range partitions {
		if strings.HasPrefix(region, p.regions) {
			return p.Partition
		}
	}
	return commercial
}
