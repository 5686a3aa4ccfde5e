// Function is the Lambda function behind Custom::Note.
package main

import (
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/examples/cdk/note"
)

func main() { lambda.Start(note.Function()) }
