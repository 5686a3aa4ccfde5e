// Package physicalid makes and judges the physical IDs of custom resources.
//
// Handlers written with package cfnresource get theirs from a request's
// StableID. Alone, this package computes the same ID outside of a function, for
// example in a program that looks for left-over resources:
//
//	package main
//
//	import (
//		"fmt"
//		"os"
//
//		"github.com/cfnresource/sdk-go/physicalid"
//	)
//
//	// It takes a stack's ARN and a logical ID, of a resource type without
//	// properties tagged createOnly.
//	func main() {
//		if len(os.Args) != 3 {
//			fmt.Fprintln(os.Stderr, "usage: stableid STACK-ARN LOGICAL-ID")
//			os.Exit(2)
//		}
//		fmt.Println(physicalid.Stable(os.Args[1], os.Args[2], "", 0))
//	}
//
// [Stable] makes IDs, [Generated] recognises the shape of those that CloudFormation makes up,
// [Validate] checks the ID of an answer, and [NotCreated] is the ID of a resource that was never made.
package physicalid

import (
	"encoding/base32"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
)

const (
	// MaxLength is the length of the longest ID that Stable returns, in bytes.
	MaxLength = 63
	// MinLength is the smallest limit that Stable can keep: three characters
	// to read, a hyphen, and the hash.
	MinLength = 20

	hashLength = 16
)

// namespace is the UUID under which names are hashed. It, and everything else
// in this file, is fixed for ever: another value is another ID for every
// resource that exists, and CloudFormation deletes what its ID left behind.
var namespace = uuid.MustParse("6f0b1c5e-5d0e-5c3a-9a53-3c1f0c7f6c1d")

var base32Lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// Stable returns the physical ID of the resource logicalID of the stack stackID, whose identity
// (the text of the properties that cannot change without a replacement) is identity. The same
// arguments give the same ID in every event, every process and every version of this module.
//
// The ID reads stack-logical-hash: lower-case letters, digits and single hyphens, beginning with a
// letter, of at most limit characters (MaxLength if limit is zero or larger than it, MinLength if
// it is smaller). If that is too short, the names lose characters, never the 16 characters of
// hash. It is a valid name for an S3 bucket, a DNS label, an IAM role, an SQS queue and a DynamoDB
// table, and never has the shape of an ID that CloudFormation makes up (see [Generated]).
func Stable(stackID, logicalID, identity string, limit int) string {
	if limit == 0 || limit > MaxLength {
		limit = MaxLength
	}
	limit = max(limit, MinLength)

	name := make([]byte, 0, len(stackID)+len(logicalID)+len(identity)+16)
	for _, part := range []string{stackID, logicalID, identity} { // each so that what follows cannot be taken for a part of it
		name = append(append(strconv.AppendInt(name, int64(len(part)), 10), ':'), part...)
		name = append(name, ',')
	}
	id := uuid.NewSHA1(namespace, name)
	hash := base32Lower.EncodeToString(id[:10])
	return readable(StackName(stackID), logicalID, limit-hashLength-1) + "-" + hash
}

// readable is the part of an ID for people, of at most limit characters.
func readable(stack, logical string, limit int) string {
	stack, logical = plain(stack), plain(logical)
	name := stack + logical
	if stack != "" && logical != "" {
		// Each name gets half; what one does not need, the other gets.
		room := max((limit-1)/2, limit-1-len(logical))
		name = cut(stack, room) + "-" + logical
	}
	return cut(begin(cut(name, limit)), limit) // what is cut may begin otherwise than it did
}

// plain is s in lower case, with everything that is not a letter or digit made
// a hyphen, and no two hyphens in a row or at an end.
func plain(s string) string {
	b := make([]byte, 0, len(s))
	for _, r := range strings.ToLower(s) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b = utf8.AppendRune(b, r)
		case len(b) > 0 && b[len(b)-1] != '-':
			b = append(b, '-')
		}
	}
	return strings.TrimSuffix(string(b), "-")
}

// reserved are the prefixes that S3 keeps for itself (S3 user guide, "General
// purpose bucket naming rules"); "xn--" cannot occur.
var reserved = []string{"sthree-", "amzn-s3-demo-"}

// begin makes s begin as every naming rule allows.
func begin(s string) string {
	if s == "" {
		return "r"
	}
	if s[0] < 'a' {
		return "r-" + s
	}
	for _, prefix := range reserved {
		if strings.HasPrefix(s+"-", prefix) {
			return "r-" + s
		}
	}
	return s
}

func cut(s string, limit int) string {
	if len(s) > limit {
		s = s[:limit]
	}
	return strings.TrimRight(s, "-")
}
