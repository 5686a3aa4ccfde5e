// Command awslambdago is the handler of the black-box test as it is written with
// aws-lambda-go's cfn package, for comparison: the same things, the same ways
// to go wrong, as the package's documentation shows it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/aws/aws-lambda-go/cfn"
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/test/blackbox/internal/behave"
)

var service behave.Service

func main() {
	service = behave.Open()
	switch os.Getenv("KIND") {
	case "exits-at-init":
		os.Exit(7)
	case "panics-at-init":
		panic("no settings at all")
	case "sns":
		lambda.Start(cfn.LambdaWrapSNS(handle))
	default:
		lambda.Start(cfn.LambdaWrap(handle))
	}
}

func handle(ctx context.Context, event cfn.Event) (id string, data map[string]any, err error) {
	how, _ := event.ResourceProperties["Behave"].(string)
	secret, _ := event.ResourceProperties["Password"].(string)
	made := event.ResourceProperties["Made"] == "true"
	behave.Called(string(event.RequestType), event.PhysicalResourceID)

	switch event.RequestType {
	case cfn.RequestCreate:
		if !made {
			if data, err = behave.Do(ctx, how, secret); err != nil {
				return "", nil, err
			}
		}
		if id, err = service.Make(""); err != nil {
			return "", nil, err
		}
		if made {
			data, err = behave.Do(ctx, how, secret)
		}
		return id, data, err
	case cfn.RequestUpdate:
		data, err = behave.Do(ctx, how, secret)
		return event.PhysicalResourceID, data, err
	case cfn.RequestDelete:
		if _, err = behave.Do(ctx, how, secret); err != nil {
			return event.PhysicalResourceID, nil, err
		}
		if err = service.Remove(event.PhysicalResourceID); errors.Is(err, behave.ErrNotFound) {
			err = nil
		}
		return event.PhysicalResourceID, nil, err
	}
	return event.PhysicalResourceID, nil, fmt.Errorf("unknown request type %q", event.RequestType)
}
