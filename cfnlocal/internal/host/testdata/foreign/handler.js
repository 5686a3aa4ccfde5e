// A custom runtime in Node, with its standard library.
const http = require("node:http");

const api = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation`;

function send(method, path, body) {
  return new Promise((resolve, reject) => {
    const request = http.request(api + path, { method }, (response) => {
      const parts = [];
      response.on("data", (part) => parts.push(part));
      response.on("end", () => resolve({ headers: response.headers, body: Buffer.concat(parts).toString() }));
    });
    request.on("error", reject);
    request.end(body);
  });
}

(async () => {
  for (;;) {
    const next = await send("GET", "/next");
    console.log("node has", next.body);
    const answer = { echo: JSON.parse(next.body), handler: process.env._HANDLER };
    await send("POST", `/${next.headers["lambda-runtime-aws-request-id"]}/response`, JSON.stringify(answer));
  }
})();
