// Package registry makes a resource type of CloudFormation's registry out of the
// handler of a custom resource. Beside Create, Update and Delete it has Read and
// List, and CloudFormation then finds drift, imports what exists, and offers the
// type in Cloud Control. A complete type:
//
//	package main
//
//	import (
//		"context"
//
//		"github.com/aws/aws-lambda-go/lambda"
//
//		"github.com/cfnresource/sdk-go/cfnresource"
//		"github.com/cfnresource/sdk-go/registry"
//	)
//
//	type Props struct {
//		Text string
//	}
//
//	type Data struct {
//		Length int
//	}
//
//	// Notes keeps notes under their StableIDs.
//	type Notes struct{ texts map[string]string }
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
//		for id := range n.texts {
//			ids = append(ids, id)
//		}
//		return ids, "", nil
//	}
//
//	func main() {
//		lambda.Start(registry.New("Example::Paper::Note", &Notes{texts: map[string]string{}}))
//	}
//
// # What is different
//
// CloudFormation keeps the identifier of a registered type itself, replaces it by
// a CREATE and a DELETE, and makes no identifiers up. So Find is asked in a CREATE
// alone, and Update and Delete are called with the identifier that came.
//
// A resource is one object: the properties in P, the attributes in D, and
// [Identifier], the physical ID. What is tagged secret is in no answer, except
// that CloudFormation gets the properties of a request back while that is in
// progress: it sends them with the callback.
//
// A CREATE of what exists fails with AlreadyExists, and adopts nothing, even what
// bears the StableID: in a stack, that may be the resource that this one replaces.
// Whether there is one is asked of Find or, where there is none, of Read.
// Only a callback of the same request goes on with what is there, and, without a
// stack, the same request sent again, since then the StableID is made of its token.
// What a CREATE that failed may have made is named by Find, and CloudFormation
// deletes what is named.
// An UPDATE or DELETE of what Read does not find fails with NotFound, and an UPDATE
// that changes a createOnly property with NotUpdatable. In a stack, Delete is called
// all the same: NotFound ends the resource there, and Read may not show yet what a
// CREATE that failed has made.
//
// # Time
//
// A call has a minute. What waits longer waits in [cfnresource.Poll]: when the
// minute is over the answer is IN_PROGRESS, and CloudFormation calls again, for as
// long as the schema's timeoutInMinutes says. The call after that is as in a chain
// of invocations of a custom resource: Update with Adopted set of what Create named
// with Created, or Create, Update or Delete again. A Create whose IDs are the
// service's names them with Created before it polls: the contract asks for the
// identifier in every answer.
//
// A Create or Update has succeeded once Read shows the resource, and a Delete once
// Read does not; until then the answer is IN_PROGRESS.
//
// # The account
//
// The function runs in an account of CloudFormation's. [Credentials] are the
// caller's, [Configuration] is what the account has configured for the type, and
// [Logger] writes to the account's log group.
package registry
