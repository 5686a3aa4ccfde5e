// Package stackphase asks CloudFormation why a custom resource's request came:
// whether the stack is created, updated, rolled back or deleted. An event does
// not say so. With it, [cfnresource.Request.Phase] has an answer, and the
// dispatcher knows which requests nobody waits for any more.
//
//	package main
//
//	import (
//		"context"
//		"errors"
//		"io/fs"
//		"os"
//		"path/filepath"
//
//		"github.com/aws/aws-lambda-go/lambda"
//
//		"github.com/cfnresource/sdk-go/cfnresource"
//		"github.com/cfnresource/sdk-go/cfnresource/stackphase"
//		"github.com/cfnresource/sdk-go/lifecycle"
//	)
//
//	type Props struct {
//		Project string `cfn:"createOnly,required"`
//	}
//
//	type Data struct{ Path string }
//
//	type Archive struct{ root *os.Root }
//
//	func (a *Archive) Create(_ context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
//		id := req.StableID()
//		if err := a.root.Mkdir(id, 0o750); errors.Is(err, fs.ErrExist) {
//			return Data{}, cfnresource.AlreadyExists(id)
//		} else if err != nil {
//			return Data{}, err
//		}
//		req.Created(id)
//		return a.data(id), nil
//	}
//
//	// Update makes what is missing: it does not work from the difference to the old
//	// properties, which in a rollback may never have been applied.
//	func (a *Archive) Update(_ context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
//		return a.data(req.PhysicalID), a.root.MkdirAll(req.PhysicalID, 0o750)
//	}
//
//	func (a *Archive) Delete(ctx context.Context, req *cfnresource.DeleteRequest[Props]) error {
//		switch req.Phase(ctx) {
//		case lifecycle.PhaseDeleting:
//			return a.root.RemoveAll(req.PhysicalID) // the stack goes
//		default: // a rollback, a change of the template, or not known: what holds files stays
//			if err := a.root.Remove(req.PhysicalID); err != nil && !errors.Is(err, fs.ErrNotExist) {
//				return err
//			}
//			return nil
//		}
//	}
//
//	func (a *Archive) data(id string) Data { return Data{Path: filepath.Join(a.root.Name(), id)} }
//
//	// open runs at the first event, where its failure is answered.
//	func open(context.Context) (*Archive, error) {
//		root, err := os.OpenRoot(os.Getenv("ROOT"))
//		return &Archive{root}, err
//	}
//
//	func main() { lambda.Start(cfnresource.New(cfnresource.Lazy(open), stackphase.FromEnvironment)) }
//
// Where the program has a configuration of the AWS SDK already, it passes a client
// of its own:
//
//	lambda.Start(cfnresource.New(cfnresource.Lazy(open), stackphase.Option(cloudformation.NewFromConfig(cfg))))
//
// It is a package of its own because the AWS SDK makes a function's binary
// larger by more than a megabyte, and its cold start longer: who does not
// import it does not link it.
//
// # Permissions
//
// The function's role needs two actions on the stacks that the custom
// resources are in. Where the function and its custom resources are in one
// stack, that is the own stack and nothing else:
//
//	Statement:
//	  Effect: Allow
//	  Action: [cloudformation:DescribeStacks, cloudformation:DescribeStackResource]
//	  Resource: !Ref AWS::StackId
//
// For a function that serves other stacks of its account and region, Resource
// is
//
//	!Sub arn:${AWS::Partition}:cloudformation:${AWS::Region}:${AWS::AccountId}:stack/*
//
// Without them every phase is unknown, which the log says, and everything else
// goes on as it does without this package. Give them also to a function in a
// VPC: it needs a route to CloudFormation's API, such as the interface
// endpoint com.amazonaws.REGION.cloudformation.
//
// # What is not known
//
// A Delete in UPDATE_COMPLETE_CLEANUP_IN_PROGRESS removes what was replaced, or
// what the template has no more. DescribeStackResource tells which: the
// replaced resource's row is taken to show the new one. AWS does not document
// what it shows then. A handler that would lose data by a mistake treats
// PhaseRemoval as PhaseReplacementCleanup.
//
// A stack that goes forward says with LastUpdatedTime when its operation began:
// a request that was sent more than a second before that is another
// operation's, and not awaited. AWS documents the time as that of the last
// update, and not at which moment of an update it changes. It is taken to be the
// beginning, as in what cfnlocal answers. A stack that was never updated has
// none, and of one that rolls back it says nothing.
//
// A Create or Update that the stack has given up may delete what it made, unless
// DescribeStackResource shows that very ID, and not as being deleted: then the
// stack uses it, or keeps it, and the phase is PhaseNotAwaited. What is shown
// between the end of one operation and the begin of the next is not documented
// either.
//
// # What it costs
//
// One DescribeStacks for an event whose handler asks, and for one where the
// dispatcher has to know; for a Delete in an update, and for what was given up, a
// DescribeStackResource more. The dispatcher gives it two seconds, into which one retry fits, or a
// quarter of the time that is left, if that is less.
// CloudFormation limits how often an account may call DescribeStacks; a call
// that is throttled twice leaves the phase unknown.
package stackphase
