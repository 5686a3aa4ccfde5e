// Package stackphase asks CloudFormation why a custom resource's request came:
// whether the stack is created, updated, rolled back or deleted. An event does
// not say so. With it, [cfnresource.Request.Phase] has an answer, and the
// dispatcher knows which requests nobody waits for any more.
//
//	func main() { lambda.Start(cfnresource.New(cfnresource.Lazy(open), stackphase.FromEnvironment)) }
//
// A handler reads the phase where it matters to it:
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
// If the program has a configuration of the AWS SDK already, pass a client of your own:
//
//	lambda.Start(cfnresource.New(cfnresource.Lazy(open), stackphase.Option(cloudformation.NewFromConfig(cfg))))
//
// The package stands alone because the AWS SDK adds more than a megabyte to a
// function's binary, and time to its cold start.
//
// # Permissions
//
// The function's role needs two actions on the stacks that the custom resources
// are in. For the function's own stack:
//
//	Statement:
//	  Effect: Allow
//	  Action: [cloudformation:DescribeStacks, cloudformation:DescribeStackResource]
//	  Resource: !Ref AWS::StackId
//
// For other stacks of the account and region, Resource is
//
//	!Sub arn:${AWS::Partition}:cloudformation:${AWS::Region}:${AWS::AccountId}:stack/*
//
// Without the permissions every phase is unknown. The log says so, and everything else works as it
// does without this package. In a VPC the function needs a route to CloudFormation's API, such as
// the interface endpoint com.amazonaws.REGION.cloudformation.
//
// # Limits
//
// AWS does not document what DescribeStackResource shows of a replaced resource. If a mistake would
// lose data, treat PhaseRemoval as PhaseReplacementCleanup. The dispatcher waits two seconds for an
// answer at most; a call that is throttled twice leaves the phase unknown. docs/design/phase.md
// says what it asks, and when.
package stackphase
