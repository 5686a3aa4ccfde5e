package simulate

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"
)

// SignedURL returns a URL of the form of CloudFormation's: an object in the
// Region's bucket, named by stack, resource and request, with the query of an
// S3 signature of version 4 that is valid for two hours.
func (e Event) SignedURL() string {
	partition, region := split(e.StackID)
	host := e.ResponseHost
	if host == "" {
		host = "https://" + bucketHost(partition, region)
	}
	// Everything is escaped but the slashes of the stack's ARN.
	key := url.QueryEscape(e.StackID + "|" + e.LogicalID + "|" + e.RequestID)
	key = strings.ReplaceAll(key, "%2F", "/")

	sent := e.Sent.UTC()
	credential := "AKIAIOSFODNN7EXAMPLE/" + sent.Format("20060102") + "/" + region + "/s3/aws4_request"
	signature := sha256.Sum256([]byte(key + sent.String()))
	return host + "/" + key +
		"?X-Amz-Algorithm=AWS4-HMAC-SHA256" +
		"&X-Amz-Date=" + sent.Format("20060102T150405Z") +
		"&X-Amz-SignedHeaders=host" +
		"&X-Amz-Expires=7200" +
		"&X-Amz-Credential=" + url.QueryEscape(credential) +
		"&X-Amz-Signature=" + hex.EncodeToString(signature[:])
}

// bucketHost returns the host of the bucket that CloudFormation takes answers
// from. Its form depends on the Region's age.
func bucketHost(partition, region string) string {
	bucket := "cloudformation-custom-resource-response-" + strings.ReplaceAll(region, "-", "")
	if partition == "aws-cn" {
		return bucket + ".s3." + region + ".amazonaws.com.cn"
	}
	switch region {
	case "us-east-1":
		return bucket + ".s3.amazonaws.com"
	case "us-east-2", "us-west-2", "eu-west-1", "ap-southeast-2":
		return bucket + ".s3-" + region + ".amazonaws.com"
	}
	return bucket + ".s3." + region + ".amazonaws.com"
}

// split returns the partition and the Region of an ARN.
func split(arn string) (partition, region string) {
	fields := strings.SplitN(arn, ":", 6)
	if len(fields) < 6 {
		return "aws", "us-west-2"
	}
	return fields[1], fields[3]
}
