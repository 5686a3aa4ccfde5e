// The stacks of TestTheJavaScriptMakesTheSame.
const path = require("path");
const { App, Duration, Stack } = require("aws-cdk-lib");
const { Architecture } = require("aws-cdk-lib/aws-lambda");
const { RetentionDays } = require("aws-cdk-lib/aws-logs");
const { Vpc } = require("aws-cdk-lib/aws-ec2");
const { Provider } = require(path.resolve(__dirname, "../../cdk/testdata/provider"));

const [outdir, program] = process.argv.slice(2);
const app = new App({ outdir });
const make = (id, props) => {
  const stack = new Stack(app, id);
  const provider = new Provider(stack, "Provider", { program, ...props(stack) });
  provider.resource(stack, "Note", "Custom::Note", { Board: "kitchen" });
};
make("Plain", () => ({}));
make("Long", () => ({ continues: true }));
make("Set", (stack) => ({
  architecture: Architecture.X86_64, timeout: Duration.seconds(60), memorySize: 256, environment: { BOARD: "b" },
  description: "Notes.", logRetention: RetentionDays.ONE_WEEK, vpc: new Vpc(stack, "Vpc"), phases: true,
  maxEventAge: Duration.minutes(2), retryAttempts: 1, reservedConcurrentExecutions: 5, serviceTimeout: Duration.minutes(10),
}));
app.synth();
