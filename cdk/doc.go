// Package cdk has a construct of the AWS CDK for custom resources whose functions are made with this SDK: the function,
// a second one that answers after the first one's process died, their logs and roles, and resources that keep all this
// until their Delete is answered. A complete app:
//
//	package main
//
//	import (
//		"github.com/aws/aws-cdk-go/awscdk/v2"
//		"github.com/aws/jsii-runtime-go"
//
//		"github.com/cfnresource/sdk-go/cdk"
//	)
//
//	// Props is the struct that the handler reads, from its package.
//	type Props struct {
//		Board string `cfn:"createOnly,required"`
//		Text  string
//	}
//
//	func main() {
//		defer jsii.Close()
//		app := awscdk.NewApp(nil)
//		stack := awscdk.NewStack(app, jsii.String("Notes"), nil)
//		provider := cdk.NewProvider(stack, jsii.String("NoteProvider"), &cdk.ProviderProps{Program: jsii.String("dist")})
//		note := provider.Resource(stack, jsii.String("Note"), jsii.String("Custom::Note"), Props{Board: "kitchen", Text: "Buy milk"})
//		awscdk.NewCfnOutput(stack, jsii.String("Path"), &awscdk.CfnOutputProps{Value: note.GetAttString(jsii.String("Path"))})
//		app.Synth(nil)
//	}
//
// [ProviderProps] are its settings. The table in docs/operating.md, under "What a template needs", lists what the
// construct sets by itself, and why.
//
// Every mistake is an error of the synthesis, with the construct's path: in the settings, in a resource's type, and in
// its properties, which are checked as the handler reads them.
//
// The IDs of what is within a provider stay what they are in every version, since another ID would be another
// function, and another service token.
//
// The package is a module of its own, since it links the CDK, which needs Node where the app runs. The function links
// nothing of it.
package cdk
