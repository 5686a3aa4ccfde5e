package function

import (
	"context"
	"errors"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/awsenv"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// AskingProps are the properties of an [Asking].
type AskingProps struct {
	Name string `cfn:"createOnly"`
	Note string
	Fail string // the request that fails: Create or Update
	Gate string // a URL that Create asks for before anything else
}

// AskingData are the attributes of an [Asking].
type AskingData struct{ Note string }

// An Asking is nothing but its ID. Its handler asks why each request came, and writes down
//
//	STATUS REQUEST RESOURCE: PHASE
type Asking struct{ client *cloudformation.Client }

func (t *Asking) Create(ctx context.Context, req *cfnresource.CreateRequest[AskingProps]) (data AskingData, err error) {
	request := lifecycle.Create
	if req.Replaces != "" {
		request = lifecycle.Update // which is what CloudFormation sent
	}
	if err := errors.Join(ask(ctx, req.Properties.Gate), t.noteRequest(ctx, request, req.Request)); err != nil {
		return data, err
	}
	if req.Properties.Fail == "Create" {
		return data, errors.New("as its properties say")
	}
	req.Created(req.StableID())
	return AskingData{Note: req.Properties.Note}, nil
}

func (t *Asking) Update(ctx context.Context, req *cfnresource.UpdateRequest[AskingProps]) (data AskingData, err error) {
	err = t.noteRequest(ctx, lifecycle.Update, req.Request)
	if err == nil && req.Properties.Fail == "Update" {
		err = errors.New("as its properties say")
	}
	return AskingData{Note: req.Properties.Note}, err
}

func (t *Asking) Delete(ctx context.Context, req *cfnresource.DeleteRequest[AskingProps]) error {
	return t.noteRequest(ctx, lifecycle.Delete, req.Request)
}

// ask asks for a URL, if there is one.
func ask(ctx context.Context, url string) error {
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

// noteRequest writes down the stack's status and the phase, in the handler's own words and in the
// library's.
func (t *Asking) noteRequest(ctx context.Context, request lifecycle.RequestType, req cfnresource.Request) error {
	out, err := t.client.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: aws.String(string(req.StackID))})
	if err != nil {
		return err
	}
	return note("found", "%s %s %s: %s", out.Stacks[0].StackStatus, request, req.LogicalID, req.Phase(ctx))
}

func newClient() *cloudformation.Client {
	return cloudformation.New(cloudformation.Options{
		Region:       awsenv.Region(),
		BaseEndpoint: awsenv.Endpoint("CLOUDFORMATION"),
		Credentials:  awsenv.Credentials("nothing else"),
	})
}
