//go:build ignore

// Ours is the function as it is deployed, with this SDK.
package main

import (
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/bench/ours"
	"github.com/cfnresource/sdk-go/cfnresource"
)

func main() { lambda.Start(cfnresource.New(&ours.Subscription{})) }
