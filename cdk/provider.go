package cdk

import (
	"cmp"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// A Provider is the function behind custom resources, with all that it needs. It is a construct, and can be granted
// permissions:
//
//	bucket.GrantRead(provider, nil)
//
// Its resources wait for what it was granted, and are deleted first, whether the grant is written before or after
// them. To have them wait for something else, such as a database that the handler talks to:
//
//	provider.Node().AddDependency(database)
type Provider interface {
	constructs.Construct
	awsiam.IGrantable
	// Resource makes a custom resource that the function provides. resourceType is its type, such as
	// Custom::Note. properties are a struct of the handler's own type, or a map[string]any with the same
	// names, which can hold tokens where the struct's fields cannot. A field that has its zero value is left
	// out, unless it is a number or a boolean that is tagged required.
	//
	// Ref of the resource is its physical ID, and GetAtt reads the fields of the handler's Data.
	Resource(scope constructs.Construct, id *string, resourceType *string, properties any) awscdk.CustomResource
	// AddToRolePolicy permits the function what a statement says.
	AddToRolePolicy(statement awsiam.PolicyStatement)
	// Function is the function that provides the resources. FailureFunction answers for it after its process
	// died.
	Function() awslambda.Function
	FailureFunction() awslambda.Function
}

// provider is a Provider. It overrides methods of the construct on the JavaScript side, which jsii finds by its
// methods with a pointer receiver.
type provider struct {
	constructs.Construct

	role              awsiam.Role
	function, failure awslambda.Function
	settings          *settings
	handler           *cfnresource.Dispatcher
	network           constructs.IDependable // what leads from the function to S3, or nil
}

// NewProvider makes a provider. Everything that is wrong with its props is an error of the synthesis, with the
// provider's path.
//
// The service token of its resources is the function's ARN, which CloudFormation does not let change: keep the
// provider's ID and scope.
func NewProvider(scope constructs.Construct, id *string, props *ProviderProps) Provider {
	if props == nil {
		props = &ProviderProps{}
	}
	p := &provider{settings: props.read(), handler: props.Handler}
	constructs.NewConstruct_Override(p, scope, id)
	refuse(p, p.settings.mistakes)
	code := props.code(p)
	description := "Answers the requests of custom resources."
	if props.Description != nil {
		description = *props.Description
	}

	// The second function, and nothing in it that could fail: no network, no permission but for its log.
	log := p.logGroup("FailureLogGroup", props)
	p.failure = awslambda.NewFunction(p, jsii.String("FailureFunction"), &awslambda.FunctionProps{
		Description:  jsii.String("After a process died: " + description),
		Code:         code,
		Handler:      jsii.String("bootstrap"),
		Runtime:      awslambda.Runtime_PROVIDED_AL2023(),
		Architecture: props.architecture(),
		Timeout:      awscdk.Duration_Seconds(jsii.Number(failureTimeout)),
		MemorySize:   jsii.Number(number(props.MemorySize, 128)),
		Environment:  props.Environment,
		LogGroup:     log,
		Role:         p.newRole("FailureRole", writesTo(log)),
	})

	// The function.
	log = p.logGroup("LogGroup", props)
	statements := []awsiam.PolicyStatement{writesTo(log), allow([]string{"lambda:InvokeFunction"}, p.failure.FunctionArn())}
	if props.Vpc != nil {
		statements = append(statements, allow(networkInterfaces, jsii.String("*")))
		p.network = props.Vpc
	}
	if p.settings.phases {
		statements = append(statements, allow([]string{"cloudformation:DescribeStacks", "cloudformation:DescribeStackResource"}, awscdk.Stack_Of(p).StackId()))
	}
	p.role = p.newRole("Role", statements...)
	p.function = awslambda.NewFunction(p, jsii.String("Function"), &awslambda.FunctionProps{
		Description:                  jsii.String(description),
		Code:                         code,
		Handler:                      jsii.String("bootstrap"),
		Runtime:                      awslambda.Runtime_PROVIDED_AL2023(),
		Architecture:                 props.architecture(),
		Timeout:                      awscdk.Duration_Seconds(jsii.Number(p.settings.timeout)),
		MemorySize:                   jsii.Number(number(props.MemorySize, 128)),
		Environment:                  props.Environment,
		LogGroup:                     log,
		Role:                         p.role,
		Vpc:                          props.Vpc,
		VpcSubnets:                   props.VpcSubnets,
		SecurityGroups:               props.SecurityGroups,
		ReservedConcurrentExecutions: props.ReservedConcurrentExecutions,
	})
	if p.settings.continues { // a policy of its own: the function's ARN in its role would be a cycle
		awsiam.NewPolicy(p, jsii.String("InvokesItself"), &awsiam.PolicyProps{
			Roles:      &[]awsiam.IRole{p.role},
			Statements: &[]awsiam.PolicyStatement{allow([]string{"lambda:InvokeFunction"}, p.function.FunctionArn())},
		})
	}

	// What Lambda does after the process died.
	awslambda.NewCfnEventInvokeConfig(p, jsii.String("EventInvokeConfig"), &awslambda.CfnEventInvokeConfigProps{
		FunctionName:             p.function.FunctionName(),
		Qualifier:                jsii.String("$LATEST"),
		MaximumEventAgeInSeconds: jsii.Number(p.settings.eventAge),
		MaximumRetryAttempts:     jsii.Number(p.settings.retries),
		DestinationConfig: &awslambda.CfnEventInvokeConfig_DestinationConfigProperty{
			OnFailure: &awslambda.CfnEventInvokeConfig_OnFailureProperty{Destination: p.failure.FunctionArn()},
		},
	})
	return p
}

func (p *provider) GrantPrincipal() awsiam.IPrincipal { return p.role.GrantPrincipal() }

func (p *provider) AddToRolePolicy(statement awsiam.PolicyStatement) {
	p.role.AddToPrincipalPolicy(statement)
}

func (p *provider) Function() awslambda.Function        { return p.function }
func (p *provider) FailureFunction() awslambda.Function { return p.failure }

// code returns the code of both functions. Without any, synthesis fails.
func (props *ProviderProps) code(p *provider) awslambda.Code {
	switch {
	case len(p.settings.mistakes) > 0:
		nowhere := awss3.Bucket_FromBucketName(p, jsii.String("Nowhere"), jsii.String("nowhere"))
		return awslambda.Code_FromBucketV2(nowhere, jsii.String("nowhere"), nil)
	case props.Program != nil:
		return awslambda.Code_FromAsset(props.Program, nil)
	}
	return props.Code
}

func (p *provider) logGroup(id string, props *ProviderProps) awslogs.LogGroup {
	return awslogs.NewLogGroup(p, &id, &awslogs.LogGroupProps{
		Retention:     cmp.Or(props.LogRetention, awslogs.RetentionDays_ONE_MONTH),
		RemovalPolicy: awscdk.RemovalPolicy_DESTROY,
	})
}

func (p *provider) newRole(id string, statements ...awsiam.PolicyStatement) awsiam.Role {
	return awsiam.NewRole(p, &id, &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(jsii.String("lambda.amazonaws.com"), nil),
		InlinePolicies: &map[string]awsiam.PolicyDocument{
			"function": awsiam.NewPolicyDocument(&awsiam.PolicyDocumentProps{Statements: &statements}),
		},
	})
}

func writesTo(log awslogs.LogGroup) awsiam.PolicyStatement {
	return allow([]string{"logs:CreateLogStream", "logs:PutLogEvents"}, log.LogGroupArn())
}

// networkInterfaces is what Lambda does with the role of a function in a VPC. None of it can be limited to resources
// that are known in advance.
var networkInterfaces = []string{
	"ec2:AssignPrivateIpAddresses", "ec2:CreateNetworkInterface", "ec2:DeleteNetworkInterface",
	"ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets", "ec2:UnassignPrivateIpAddresses",
}

func allow(actions []string, resource *string) awsiam.PolicyStatement {
	return awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Actions:   jsii.Strings(actions...),
		Resources: &[]*string{resource},
	})
}
