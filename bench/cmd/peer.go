//go:build ignore

// Peer is the function as it is deployed, with aws-lambda-go's cfn package.
package main

import (
	"github.com/aws/aws-lambda-go/cfn"
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/bench/peer"
)

func main() { lambda.Start(cfn.LambdaWrap((&peer.Subscription{}).Handle)) }
