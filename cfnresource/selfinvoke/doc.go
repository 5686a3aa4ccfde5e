// Package selfinvoke lets a function go on with an event in another invocation
// of itself, for as long as CloudFormation waits: up to an hour, where Lambda ends
// a function after 15 minutes at most. A handler needs nothing new but a
// [cfnresource.Poll], which goes on where its invocation ended:
//
//	package main
//
//	import (
//		"context"
//		"errors"
//		"io/fs"
//		"os"
//		"path/filepath"
//		"time"
//
//		"github.com/aws/aws-lambda-go/lambda"
//
//		"github.com/cfnresource/sdk-go/cfnresource"
//		"github.com/cfnresource/sdk-go/cfnresource/selfinvoke"
//		"github.com/cfnresource/sdk-go/cfnresource/stackphase"
//	)
//
//	type Props struct {
//		Project string `cfn:"createOnly,required"`
//	}
//
//	type Data struct{ Path string }
//
//	// An Export is a directory that another program fills. It writes a file done when
//	// it is ready, which may take half an hour.
//	type Export struct{ root *os.Root }
//
//	func (e *Export) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
//		id := req.StableID()
//		if err := e.root.Mkdir(id, 0o750); errors.Is(err, fs.ErrExist) {
//			return Data{}, cfnresource.AlreadyExists(id)
//		} else if err != nil {
//			return Data{}, err
//		}
//		req.Created(id)
//		return e.ready(ctx, id)
//	}
//
//	// Update is also called where an invocation before this one made the directory, and
//	// waited.
//	func (e *Export) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
//		return e.ready(ctx, req.PhysicalID)
//	}
//
//	func (e *Export) Delete(_ context.Context, req *cfnresource.DeleteRequest[Props]) error {
//		return e.root.RemoveAll(req.PhysicalID)
//	}
//
//	func (e *Export) ready(ctx context.Context, id string) (Data, error) {
//		return Data{Path: filepath.Join(e.root.Name(), id)}, cfnresource.Poll(ctx, 10*time.Second, func(context.Context) (bool, error) {
//			_, err := e.root.Stat(filepath.Join(id, "done"))
//			if errors.Is(err, fs.ErrNotExist) {
//				return false, nil
//			}
//			return err == nil, err
//		})
//	}
//
//	// open runs at the first event, where its failure is answered.
//	func open(context.Context) (*Export, error) {
//		root, err := os.OpenRoot(os.Getenv("ROOT"))
//		return &Export{root}, err
//	}
//
//	func main() {
//		lambda.Start(cfnresource.New(cfnresource.Lazy(open), stackphase.FromEnvironment, selfinvoke.FromEnvironment))
//	}
//
// It is a package of its own because it links the AWS SDK: who does not import it
// does not link it.
//
// # Permissions
//
// The function's role needs one action on the function itself. Its own ARN in its
// own role would be a cycle in the template, so the name is a pattern:
//
//	Statement:
//	  Effect: Allow
//	  Action: lambda:InvokeFunction
//	  Resource: !Sub arn:${AWS::Partition}:lambda:${AWS::Region}:${AWS::AccountId}:function:${AWS::StackName}-*
//
// and those of package stackphase. In a VPC, it needs a route to Lambda's API, such
// as the interface endpoint com.amazonaws.REGION.lambda.
//
// # The function's timeout
//
// 300 seconds are a good Timeout: twelve invocations an hour. Lambda ends a chain
// of about 16 invocations by itself (Lambda developer guide, "Use Lambda recursive
// loop detection"), so a function whose timeout is shorter than 240 seconds refuses
// to create what CloudFormation waits an hour for; ServiceTimeout in the template
// says how long it waits.
package selfinvoke
