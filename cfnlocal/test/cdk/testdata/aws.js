// What the provider framework reaches AWS by, with this machine behind it. The
// framework's own files stay as they are.
const http = require("node:http");
const https = require("node:https");
const Module = require("node:module");

// The framework's PUT is https and drops the URL's port. The response bucket
// speaks http on a port of its own, which the host of functions names.
https.request = ({ hostname, ...options }, onResponse) => {
  const bucket = new URL(process.env.CFNRESOURCE_RESPONSE_HOSTS);
  if (hostname !== bucket.hostname) throw new Error(`a request to ${hostname}, which is not the response bucket`);
  return http.request({ ...options, hostname, port: bucket.port }, onResponse);
};

// Lambda's Node runtimes bring the AWS SDK along. This one invokes the user's
// function, whose ARN and code the environment names, in this process.
class Lambda {
  async invoke({ FunctionName, Payload }) {
    if (FunctionName !== process.env.USER_ON_EVENT_FUNCTION_ARN) throw new Error(`there is no function ${FunctionName}`);
    try {
      const result = await require(process.env.USER_CODE).framework(JSON.parse(Payload));
      return { StatusCode: 200, Payload: Buffer.from(JSON.stringify(result ?? null)) };
    } catch (e) {
      const error = { errorType: e.name, errorMessage: e.message, trace: e.stack.split("\n") };
      return { StatusCode: 200, FunctionError: "Unhandled", Payload: Buffer.from(JSON.stringify(error)) };
    }
  }
}

const sdk = { "@aws-sdk/client-lambda": { Lambda }, "@aws-sdk/client-sfn": {} };
const load = Module._load;
Module._load = (name, ...rest) => sdk[name] ?? load(name, ...rest);
