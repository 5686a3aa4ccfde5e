// Synthesises three stacks into the directory that is its argument. All have one
// custom resource with the same parameters: in Plain, a function of one's own is
// its service token; in Framework, the CDK's provider framework, in front of that
// function; in Nested, resource and function of Plain are in a nested stack.
const { App, CfnOutput, CfnParameter, CustomResource, Duration, NestedStack, Stack } = require("aws-cdk-lib");
const { Code, Function, Runtime } = require("aws-cdk-lib/aws-lambda");
const { Provider } = require("aws-cdk-lib/custom-resources");

// The CDK's command line asks for what is asked for here.
const context = { "aws:cdk:enable-path-metadata": true, "aws:cdk:enable-asset-metadata": true };
const app = new App({ outdir: process.argv[2], analyticsReporting: true, context });

function stack(name, tokenFor, handler = name, within = (stack) => stack) {
  const outer = new Stack(app, name);
  const stack = within(outer);
  const parameter = (id, value) => new CfnParameter(outer, id, { default: value }).valueAsString;
  const fn = new Function(stack, "Fn", {
    runtime: Runtime.NODEJS_24_X,
    code: Code.fromAsset(`${__dirname}/function`),
    handler: `index.${handler.toLowerCase()}`,
    timeout: Duration.seconds(30),
  });
  const thing = new CustomResource(stack, "Thing", {
    resourceType: "Custom::Thing",
    serviceToken: tokenFor(stack, fn),
    properties: { Id: parameter("Id", "one"), Color: parameter("Color", "red"), Fail: parameter("Fail", "") },
  });
  new CfnOutput(outer, "ThingId", { value: thing.ref });
  new CfnOutput(outer, "ThingColor", { value: thing.getAttString("Color") });
}

stack("Plain", (_, fn) => fn.functionArn);
stack("Framework", (stack, fn) => new Provider(stack, "Provider", { onEventHandler: fn }).serviceToken);
stack("Nested", (_, fn) => fn.functionArn, "plain", (outer) => new NestedStack(outer, "Child"));
app.synth();
