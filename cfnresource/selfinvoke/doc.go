// Package selfinvoke lets a function go on with an event in another invocation
// of itself, for as long as CloudFormation waits: up to an hour, whereas Lambda ends
// a function after 15 minutes at most. A handler needs nothing new but a
// [cfnresource.Poll], which goes on where its invocation ended:
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
//	func main() {
//		lambda.Start(cfnresource.New(cfnresource.Lazy(open), stackphase.FromEnvironment, selfinvoke.FromEnvironment))
//	}
//
// Create and Update return what ready returns: Update is also called if an
// earlier invocation created the export, and waited.
//
// The package stands alone because it links the AWS SDK.
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
// A Timeout of 300 seconds is good: twelve invocations an hour. Lambda ends a chain of about 16
// invocations by itself (Lambda developer guide, "Use Lambda recursive loop detection"). So a
// function with a timeout under 240 seconds refuses a Create for which CloudFormation waits an
// hour. ServiceTimeout in the template says how long CloudFormation waits.
package selfinvoke
