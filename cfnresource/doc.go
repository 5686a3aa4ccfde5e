// Package cfnresource turns CloudFormation's events about custom resources into
// calls of a typed [Handler], and answers them. A complete function:
//
//	package main
//
//	import (
//		"context"
//		"os"
//
//		"github.com/aws/aws-lambda-go/lambda"
//
//		"github.com/cfnresource/sdk-go/cfnresource"
//	)
//
//	type Props struct {
//		Team string `cfn:"createOnly,required"` // another team has another folder
//	}
//
//	type Data struct{ Name string } // what !GetAtt Folder.Name reads
//
//	type Folder struct{ root *os.Root }
//
//	func (f *Folder) Create(_ context.Context, req *cfnresource.CreateRequest[Props]) (data Data, err error) {
//		id := req.StableID() // the same in every event about this folder
//		if err = f.root.Mkdir(id, 0o750); os.IsExist(err) {
//			return data, cfnresource.AlreadyExists(id) // an earlier delivery made it: Update finishes it
//		} else if err != nil {
//			return data, err
//		}
//		req.Created(id) // if anything fails from here on, it is deleted
//		return Data{id}, nil
//	}
//
//	func (f *Folder) Update(_ context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
//		return Data{req.PhysicalID}, f.root.MkdirAll(req.PhysicalID, 0o750)
//	}
//
//	func (f *Folder) Delete(_ context.Context, req *cfnresource.DeleteRequest[Props]) error {
//		return f.root.RemoveAll(req.PhysicalID) // nil if it is gone
//	}
//
//	// open runs at the first event, so that its failure is answered.
//	func open(context.Context) (*Folder, error) {
//		root, err := os.OpenRoot(os.Getenv("ROOT"))
//		return &Folder{root}, err
//	}
//
//	func main() { lambda.Start(cfnresource.New(cfnresource.Lazy(open))) }
//
// The dispatcher answers every event once, before the function's deadline. It changes a physical ID
// only if a createOnly property changed. It deletes what a Create made if the Create fails, times
// out or is cancelled, or if its answer is lost. It converts the strings that CloudFormation sends
// for booleans and numbers to the field's type. [Handler] describes Props and Data.
//
// Every event about a resource must lead to that resource. So the handler names it
// by [Request.StableID], or implements [Finder]. Otherwise its resources are never
// replaced, and can leak.
package cfnresource

// The order in which to read the package's files:
//
// What a handler's author meets is in handler.go, request.go, secret.go, errors.go, options.go, lazy.go,
// poll.go and retry.go.
//
// dispatcher.go gets an event, gate.go lets one at a time through, and execution.go leads it to its
// answer. facts.go says what is known of it, internal/rules decides, and effects.go does what was
// decided. An execution's time is in clock.go. phase.go says why the event came, and continue.go
// sends it to another invocation. call.go calls a method of the handler, resource.go holds the typed
// Handler, and failure.go says how a call ended. answer.go makes the answer, and package response
// sends it.
