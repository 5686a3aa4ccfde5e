package phase

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/stackphase"
	"github.com/cfnresource/sdk-go/internal/awsenv"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// The handler is a function as users write it, with the AWS SDK's client. It writes down
// what it finds out about each request, as
//
//	STATUS REQUEST RESOURCE: PHASE
//
// to the file that PHASE_FILE names.

type Props struct {
	Name string `cfn:"createOnly"`
	Note string
	Fail string // the request that fails: Create or Update
	Gate string // a URL that Create asks for before anything else
}

type Data struct{ Note string }

// A Thing is nothing but its ID.
type Thing struct{ client *cloudformation.Client }

func (t *Thing) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (data Data, err error) {
	request := lifecycle.Create
	if req.Replaces != "" {
		request = lifecycle.Update // which is what CloudFormation sent
	}
	if err := errors.Join(wait(ctx, req.Properties.Gate), t.note(ctx, request, req.Request)); err != nil {
		return data, err
	}
	if req.Properties.Fail == "Create" {
		return data, errors.New("as its properties say")
	}
	req.Created(req.StableID())
	return Data{Note: req.Properties.Note}, nil
}

func (t *Thing) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (data Data, err error) {
	err = t.note(ctx, lifecycle.Update, req.Request)
	if err == nil && req.Properties.Fail == "Update" {
		err = errors.New("as its properties say")
	}
	return Data{Note: req.Properties.Note}, err
}

func (t *Thing) Delete(ctx context.Context, req *cfnresource.DeleteRequest[Props]) error {
	return t.note(ctx, lifecycle.Delete, req.Request)
}

// wait asks for a URL, if there is one.
func wait(ctx context.Context, url string) error {
	if url == "" {
		return nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// note writes down the stack's status and the phase, in the handler's own words
// and in the library's.
func (t *Thing) note(ctx context.Context, request lifecycle.RequestType, req cfnresource.Request) error {
	out, err := t.client.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: aws.String(string(req.StackID))})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(os.Getenv("PHASE_FILE"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s %s %s: %s\n", out.Stacks[0].StackStatus, request, req.LogicalID, req.Phase(ctx))
	return errors.Join(err, f.Close())
}

func startHandler() {
	client := cloudformation.New(cloudformation.Options{
		Region:       awsenv.Region(),
		BaseEndpoint: awsenv.Endpoint("CLOUDFORMATION"),
		Credentials:  awsenv.Credentials("nothing else"),
	})
	lambda.Start(cfnresource.New(&Thing{client}, stackphase.FromEnvironment))
}
