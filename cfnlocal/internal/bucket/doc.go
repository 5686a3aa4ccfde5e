// Package bucket stands for the Amazon S3 bucket in which CloudFormation awaits
// the answers of custom resources. It listens on a loopback address, makes one
// signed URL per request, and takes a PUT to it, or refuses it, as S3 does.
//
// # What is as in S3
//
// The key is StackId|LogicalResourceId|RequestId with its colons and bars
// escaped. The URL lives for two hours and is signed with signature version 4
// and the host as the only signed header, as CloudFormation does since about
// 2020. Method, key and host are covered by the signature; expiry, the presence
// of a Content-Length, a Content-MD5 and X-Amz headers that are not signed are
// checked. Errors are S3's documents with S3's words. An object that is written
// again is overwritten.
//
// # What is not
//
// The URL is http and has the loopback address for its host: no name on a loopback address can have
// the bucket's as its first label. A URL is for one PUT's key, so that nothing can be read, and
// S3's answers to reading (NoSuchKey) never occur: a GET is refused for its signature, as in S3.
// Bodies are limited to 1 MiB instead of 5 GB. There is no checksum but Content-MD5, no HTTP/2 (S3
// has none), no redirect to another host, and the Authorization header is read only to refuse it
// beside a signed URL.
package bucket
