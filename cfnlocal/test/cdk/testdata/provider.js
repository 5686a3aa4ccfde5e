const { Duration, CustomResource, RemovalPolicy, Stack } = require("aws-cdk-lib");
const { Effect, Policy, PolicyDocument, PolicyStatement, Role, ServicePrincipal } = require("aws-cdk-lib/aws-iam");
const { Architecture, CfnEventInvokeConfig, Code, Function, Runtime } = require("aws-cdk-lib/aws-lambda");
const { LogGroup, RetentionDays } = require("aws-cdk-lib/aws-logs");
const { Construct } = require("constructs");

const allow = (actions, resource) => new PolicyStatement({ effect: Effect.ALLOW, actions, resources: [resource] });
const interfaces = [
  "ec2:AssignPrivateIpAddresses", "ec2:CreateNetworkInterface", "ec2:DeleteNetworkInterface",
  "ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets", "ec2:UnassignPrivateIpAddresses",
];

// The function behind custom resources, with all that it needs. Do not change the IDs in it, or its own.
class Provider extends Construct {
  constructor(scope, id, props) {
    super(scope, id);
    this.props = props;
    const timeout = props.timeout ?? Duration.seconds(props.continues ? 300 : 30);
    const maxEventAge = props.maxEventAge ?? Duration.minutes(5);
    const description = props.description ?? "Answers the requests of custom resources.";
    const code = props.code ?? Code.fromAsset(props.program); // the directory that holds the program, as "bootstrap"
    const role = (id, ...statements) => new Role(this, id, {
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
      inlinePolicies: { function: new PolicyDocument({ statements }) },
    });
    const log = (id) => new LogGroup(this, id, {
      retention: props.logRetention ?? RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const writesTo = (group) => allow(["logs:CreateLogStream", "logs:PutLogEvents"], group.logGroupArn);
    const both = {
      code,
      handler: "bootstrap",
      runtime: Runtime.PROVIDED_AL2023,
      architecture: props.architecture ?? Architecture.ARM_64,
      memorySize: props.memorySize ?? 128,
      environment: props.environment,
    };

    // If the process of the first function dies, Lambda tries again twice, then hands the event to the second one, the
    // same program, which answers FAILED for it.
    const failureLog = log("FailureLogGroup");
    this.failureFunction = new Function(this, "FailureFunction", {
      ...both,
      description: `After a process died: ${description}`,
      timeout: Duration.seconds(30),
      logGroup: failureLog,
      role: role("FailureRole", writesTo(failureLog)),
    });
    const functionLog = log("LogGroup");
    const statements = [writesTo(functionLog), allow(["lambda:InvokeFunction"], this.failureFunction.functionArn)];
    if (props.vpc) statements.push(allow(interfaces, "*"));
    if (props.phases || props.continues) {
      statements.push(allow(["cloudformation:DescribeStacks", "cloudformation:DescribeStackResource"], Stack.of(this).stackId));
    }
    this.role = role("Role", ...statements);
    this.grantPrincipal = this.role; // for bucket.grantRead(provider)
    this.function = new Function(this, "Function", {
      ...both,
      description,
      timeout,
      logGroup: functionLog,
      role: this.role,
      vpc: props.vpc,
      vpcSubnets: props.vpcSubnets,
      securityGroups: props.securityGroups,
      reservedConcurrentExecutions: props.reservedConcurrentExecutions,
    });
    if (props.continues) {
      new Policy(this, "InvokesItself", {
        roles: [this.role],
        statements: [allow(["lambda:InvokeFunction"], this.function.functionArn)],
      });
    }
    new CfnEventInvokeConfig(this, "EventInvokeConfig", {
      functionName: this.function.functionName,
      qualifier: "$LATEST",
      maximumEventAgeInSeconds: maxEventAge.toSeconds(),
      maximumRetryAttempts: props.retryAttempts ?? 2,
      destinationConfig: { onFailure: { destination: this.failureFunction.functionArn } },
    });

    // The wait for an answer outlasts both functions and the retries.
    const least = maxEventAge.toSeconds() + timeout.toSeconds() + 30;
    const usual = props.continues ? 3600 : Math.min(least + 120, 3600);
    this.serviceTimeout = (props.serviceTimeout ?? Duration.seconds(usual)).toSeconds();
    const mistakes = [];
    if (timeout.toSeconds() < 10) mistakes.push("timeout leaves no time for an answer: make it 10 s or more");
    if (this.serviceTimeout < least) mistakes.push(`serviceTimeout is too short: make it ${least} s or more`);
    if (props.reservedConcurrentExecutions < 2) mistakes.push("reservedConcurrentExecutions must be 2 or more, or left out");
    this.node.addValidation({ validate: () => mistakes });
  }

  // A custom resource. It is deleted before what its function needs, also what is granted later.
  resource(scope, id, resourceType, properties) {
    const resource = new CustomResource(scope, id, {
      resourceType,
      serviceToken: this.function.functionArn, // straight to the function
      serviceTimeout: Duration.seconds(this.serviceTimeout),
      properties,
    });
    resource.node.addDependency(this, ...(this.props.vpc ? [this.props.vpc] : []));
    return resource;
  }

  addToRolePolicy(statement) {
    this.role.addToPrincipalPolicy(statement);
  }
}

module.exports = { Provider };
