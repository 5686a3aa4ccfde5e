// Package registry makes a resource type of CloudFormation's registry out of the handler of a
// custom resource. With Read and List beside Create, Update and Delete, CloudFormation can
// detect drift, import existing resources, and offer the type in Cloud Control. A complete type:
//
//	package main
//
//	import (
//		"context"
//		"maps"
//		"slices"
//
//		"github.com/aws/aws-lambda-go/lambda"
//
//		"github.com/cfnresource/sdk-go/cfnresource"
//		"github.com/cfnresource/sdk-go/registry"
//	)
//
//	type (
//		Props struct{ Text string }
//		Data  struct{ Length int }
//		Notes struct{ texts map[string]string } // by StableID
//	)
//
//	func (n *Notes) Create(_ context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
//		n.texts[req.StableID()] = req.Properties.Text
//		return Data{}, nil
//	}
//
//	func (n *Notes) Update(_ context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
//		n.texts[req.PhysicalID] = req.Properties.Text
//		return Data{}, nil
//	}
//
//	func (n *Notes) Delete(_ context.Context, req *cfnresource.DeleteRequest[Props]) error {
//		delete(n.texts, req.PhysicalID)
//		return nil
//	}
//
//	func (n *Notes) Read(_ context.Context, req *registry.ReadRequest) (m registry.Model[Props, Data], err error) {
//		text, ok := n.texts[req.PhysicalID]
//		if !ok {
//			return m, cfnresource.Errorf(cfnresource.CodeNotFound, "there is no note %s", req.PhysicalID)
//		}
//		return registry.Model[Props, Data]{Properties: Props{text}, Data: Data{len(text)}}, nil
//	}
//
//	func (n *Notes) List(context.Context, *registry.ListRequest) (ids []string, next string, err error) {
//		return slices.Collect(maps.Keys(n.texts)), "", nil
//	}
//
//	func main() {
//		lambda.Start(registry.New("Example::Paper::Note", &Notes{texts: map[string]string{}}))
//	}
//
// Each call may take one minute. Wait longer in [cfnresource.Poll]: after the minute the
// answer is IN_PROGRESS, and CloudFormation calls again, until the schema's
// timeoutInMinutes is over. The method then runs again from its first line; after Created it is
// Update, also in a CREATE. [Resource] has the other differences from a custom resource.
//
// The function runs in an account of CloudFormation's. [Credentials] are the
// caller's, [Configuration] is what the account has configured for the type, and
// [Logger] writes to the account's log group.
package registry
