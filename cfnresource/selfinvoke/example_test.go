package selfinvoke_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/selfinvoke"
	"github.com/cfnresource/sdk-go/cfnresource/stackphase"
)

type nothing struct{}

// handler does nothing.
type handler struct{}

func (handler) Create(context.Context, *cfnresource.CreateRequest[nothing]) (nothing, error) {
	return nothing{}, nil
}

func (handler) Update(context.Context, *cfnresource.UpdateRequest[nothing]) (nothing, error) {
	return nothing{}, nil
}

func (handler) Delete(context.Context, *cfnresource.DeleteRequest[nothing]) error { return nil }

// A function that goes on in another invocation, with what Lambda gives it in its environment.
func ExampleFromEnvironment() {
	d := cfnresource.New(handler{}, stackphase.FromEnvironment, selfinvoke.FromEnvironment)
	fmt.Println(d.Err()) // then lambda.Start(d)

	d = cfnresource.New(handler{}, selfinvoke.FromEnvironment)
	fmt.Println("without Phase it is an error:", d.Err() != nil)
	// Output:
	// <nil>
	// without Phase it is an error: true
}

// printing is a Client that prints what would be invoked.
type printing struct{}

func (printing) Invoke(_ context.Context, in *lambda.InvokeInput, _ ...func(*lambda.Options)) (*lambda.InvokeOutput, error) {
	fmt.Println(in.InvocationType, *in.FunctionName)
	return &lambda.InvokeOutput{StatusCode: http.StatusAccepted}, nil
}

// A program that has a client of Lambda's already passes it.
func ExampleOption() {
	var client selfinvoke.Client = printing{} // a *lambda.Client
	var o cfnresource.Options
	selfinvoke.Option(client)(&o)

	ctx := lambdacontext.NewContext(context.Background(), &lambdacontext.LambdaContext{
		InvokedFunctionArn: "arn:aws:lambda:us-west-2:123456789012:function:shop-Topics-1A2B3C:live",
	})
	fmt.Println(o.Continue(ctx, []byte(`{}`)))
	// Output:
	// Event arn:aws:lambda:us-west-2:123456789012:function:shop-Topics-1A2B3C:live
	// <nil>
}
