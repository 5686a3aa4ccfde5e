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
