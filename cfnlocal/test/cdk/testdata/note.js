const { App, CfnOutput, CfnParameter, Stack } = require("aws-cdk-lib");
const { Provider } = require("./provider");

class NoteStack extends Stack {
  constructor(scope, id) {
    super(scope, id);
    const provider = new Provider(this, "NoteProvider", { program: "dist" });
    const note = provider.resource(this, "Note", "Custom::Note", {
      Board: new CfnParameter(this, "Board", { default: "kitchen" }).valueAsString,
      Text: new CfnParameter(this, "Text", { default: "Buy milk" }).valueAsString,
    });
    new CfnOutput(this, "Path", { value: note.getAttString("Path") });
  }
}

const app = new App();
new NoteStack(app, "Notes");
app.synth();
