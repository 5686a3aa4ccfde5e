// Cdk is an app of the AWS CDK with a custom resource: its handler is in package note.
package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/cfnresource/sdk-go/cdk"
	"github.com/cfnresource/sdk-go/examples/cdk/note"
)

// newStack makes the stack. program is the directory that holds the function's program.
func newStack(scope constructs.Construct, program string) {
	stack := awscdk.NewStack(scope, jsii.String("Notes"), nil)

	// The function, and a second one that answers if the first one's process dies.
	provider := cdk.NewProvider(stack, jsii.String("NoteProvider"), &cdk.ProviderProps{
		Program: &program,
		Handler: note.Function(),
	})

	// The resource, with the struct that the handler reads.
	text := awscdk.NewCfnParameter(stack, jsii.String("Text"), &awscdk.CfnParameterProps{Default: "Buy milk"})
	kitchen := provider.Resource(stack, jsii.String("Note"), jsii.String("Custom::Note"), note.Props{
		Board: "kitchen",
		Text:  *text.ValueAsString(),
	})
	awscdk.NewCfnOutput(stack, jsii.String("Path"), &awscdk.CfnOutputProps{Value: kitchen.GetAttString(jsii.String("Path"))})
}

func main() {
	defer jsii.Close()
	app := awscdk.NewApp(nil)
	newStack(app, "dist")
	app.Synth(nil)
}
