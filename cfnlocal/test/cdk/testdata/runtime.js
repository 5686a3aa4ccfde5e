// As much of Lambda's runtime for Node as the tests need: it calls the handler
// that _HANDLER names, in the directory that is its argument, one event after
// the other.
const path = require("node:path");

const api = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation`;
const [file, name] = process.env._HANDLER.split(".");
const handler = require(path.resolve(process.argv[2], file))[name];

(async () => {
  for (;;) {
    const next = await fetch(`${api}/next`);
    const to = `${api}/${next.headers.get("lambda-runtime-aws-request-id")}`;
    try {
      const result = await handler(await next.json());
      await fetch(`${to}/response`, { method: "POST", body: JSON.stringify(result ?? null) });
    } catch (e) {
      const error = { errorType: e.name, errorMessage: e.message, trace: e.stack.split("\n") };
      await fetch(`${to}/error`, { method: "POST", body: JSON.stringify(error) });
    }
  }
})();
