const { App, CfnOutput, CfnParameter, CustomResource, Duration, Stack } = require("aws-cdk-lib");
const { Architecture, Code, Function, Runtime } = require("aws-cdk-lib/aws-lambda");
const { LambdaDestination } = require("aws-cdk-lib/aws-lambda-destinations");
const { LogGroup, RetentionDays } = require("aws-cdk-lib/aws-logs");

class NoteStack extends Stack {
  constructor(scope, id) {
    super(scope, id);

    const program = (name) => ({
      code: Code.fromAsset("dist"), // the directory that holds the program, as "bootstrap"
      handler: "bootstrap",
      runtime: Runtime.PROVIDED_AL2023,
      architecture: Architecture.ARM_64,
      timeout: Duration.seconds(30),
      logGroup: new LogGroup(this, `${name}Log`, { retention: RetentionDays.ONE_MONTH }),
    });

    // If the process of the first function dies, Lambda tries again twice, then hands the event to the second one,
    // the same program, which answers FAILED for it.
    const failed = new Function(this, "NoteFailed", program("NoteFailed"));
    const handler = new Function(this, "NoteHandler", {
      ...program("NoteHandler"),
      maxEventAge: Duration.minutes(5),
      retryAttempts: 2,
      onFailure: new LambdaDestination(failed),
    });

    const note = new CustomResource(this, "Note", {
      resourceType: "Custom::Note",
      serviceToken: handler.functionArn, // straight to the function
      serviceTimeout: Duration.minutes(8), // outlasts maxEventAge and the timeout of both functions
      properties: {
        Board: new CfnParameter(this, "Board", { default: "kitchen" }).valueAsString,
        Text: new CfnParameter(this, "Text", { default: "Buy milk" }).valueAsString,
      },
    });
    // When the stack is deleted, the function's settings and permissions stay until the note's Delete is answered.
    note.node.addDependency(handler);

    new CfnOutput(this, "Path", { value: note.getAttString("Path") });
  }
}

const app = new App();
new NoteStack(app, "Notes");
app.synth();
