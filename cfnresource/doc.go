// Package cfnresource turns the events of CloudFormation custom resources into
// calls of a typed [Handler], and what it returns into the answer that
// CloudFormation waits for. A complete function:
//
//	package main
//
//	import (
//		"context"
//		"errors"
//		"io/fs"
//		"os"
//		"path/filepath"
//		"strconv"
//
//		"github.com/aws/aws-lambda-go/lambda"
//
//		"github.com/cfnresource/sdk-go/cfnresource"
//	)
//
//	type Props struct {
//		Team  string `cfn:"createOnly,required"` // another team is another directory
//		Quota int    // changed in place
//	}
//
//	type Data struct{ Path string } // what !GetAtt Directory.Path reads
//
//	type Directory struct{ root *os.Root }
//
//	func (d *Directory) Create(_ context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
//		id := req.StableID() // the name: the same in every event about this directory
//		if err := d.root.Mkdir(id, 0o750); errors.Is(err, fs.ErrExist) {
//			return Data{}, cfnresource.AlreadyExists(id) // an earlier delivery's: Update finishes it
//		} else if err != nil {
//			return Data{}, err
//		}
//		req.Created(id) // if anything fails from here on, it is deleted
//		return d.settle(id, req.Properties)
//	}
//
//	func (d *Directory) Update(_ context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
//		return d.settle(req.PhysicalID, req.Properties)
//	}
//
//	func (d *Directory) Delete(_ context.Context, req *cfnresource.DeleteRequest[Props]) error {
//		return d.root.RemoveAll(req.PhysicalID) // nil if it is gone
//	}
//
//	// settle writes the quota down, for the program that counts.
//	func (d *Directory) settle(id string, props Props) (Data, error) {
//		err := d.root.WriteFile(filepath.Join(id, ".quota"), []byte(strconv.Itoa(props.Quota)), 0o600)
//		return Data{Path: filepath.Join(d.root.Name(), id)}, err
//	}
//
//	// open runs at the first event, where its failure is answered.
//	func open(context.Context) (*Directory, error) {
//		root, err := os.OpenRoot(os.Getenv("ROOT"))
//		return &Directory{root}, err
//	}
//
//	func main() { lambda.Start(cfnresource.New(cfnresource.Lazy(open))) }
//
// # What the dispatcher does
//
// Every event is answered once, before the function's deadline, whatever the
// handler does. Physical IDs change only where a property tagged createOnly
// changed. What a Create made is deleted when it fails, times out, is cancelled,
// or its answer is lost. Booleans and numbers, which CloudFormation sends as
// strings, are read by the field's type.
//
// # Properties
//
// P is a struct or a map, read by the rules of encoding/json. A field's tag
// may say more:
//
//   - cfn:"createOnly": another value is another resource. The dispatcher
//     calls Create, and CloudFormation deletes the old resource afterwards.
//     Adding or removing the tag is a breaking change of the resource type.
//   - cfn:"required": a Create or Update without it is refused.
//   - cfn:"secret": the value is struck out of Reasons and logs. On a field of
//     D, it sets NoEcho.
//   - cfn:"default=VALUE": used where the property is absent. It comes last in
//     the tag.
//
// On Create, a property that P does not know is refused, as a typing error. On
// Update it is logged and ignored, since a rollback may bring properties of
// another version; where Options.Phase knows that the stack does not roll back,
// it is refused. On Delete nothing is refused: what cannot be read is zero,
// so phrase flags in such a way that zero keeps data.
//
// # Physical IDs
//
// Lost answers and rollbacks are survived by IDs that any event about the
// resource leads back to. Either the resource is named by [Request.StableID], or
// the handler implements [Finder]. A handler that does neither works, but its
// resources are never replaced and can leak.
//
// # Data
//
// D is a struct or a map. Scalars become strings, as in a template; nested
// objects become dotted keys, since Fn::GetAtt looks up "a.b" as it stands;
// lists stay; null is left out. An answer has at most 4096 bytes.
//
// # The way of an event
//
// What a handler's author meets is in handler.go, request.go, stackid.go,
// errors.go, httpstatus.go, retryafter.go, options.go,
// middleware.go, lazy.go, action.go, poll.go and describe.go.
//
// An event comes to dispatcher.go, and job.go leads it to its answer. facts.go
// says what is known of it, package internal/rules what it leads to, and
// effects.go does what the rules ask for. phase.go asks the stack, and continue.go
// sends the event to another invocation; call.go calls a method, with token.go's
// IdempotencyToken, and created.go keeps the ID that a Create names; resource.go holds the typed Handler
// behind it, and optional.go finds methods that miss their interface; failure.go
// says how a call ended. answer.go makes the answer, with lambdalog.go's pointer
// to the log, and package response sends it.
package cfnresource
