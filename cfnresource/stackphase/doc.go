// Package stackphase asks CloudFormation why a custom resource's request came:
// whether the stack is created, updated, rolled back or deleted. An event does
// not say so. With it, [cfnresource.Request.Phase] has an answer, and the
// dispatcher knows which requests nobody waits for any more.
//
//	lambda.Start(cfnresource.New(handler, stackphase.FromEnvironment))
//
// or, where the program has a configuration of the AWS SDK already,
//
//	lambda.Start(cfnresource.New(handler, stackphase.Option(cloudformation.NewFromConfig(cfg))))
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
// # What it costs
//
// One DescribeStacks for an event whose handler asks, and for one where the
// dispatcher has to know; for a Delete in an update, a DescribeStackResource
// more. The dispatcher gives it two seconds, and one retry fits into them.
// CloudFormation limits how often an account may call DescribeStacks; a call
// that is throttled twice leaves the phase unknown.
package stackphase
