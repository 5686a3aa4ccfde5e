// Runs state machines with an interpreter of the Amazon States Language, one
// after the other. It reads a message a line: {"definition", "input"} is an
// execution, {"definition"} alone is to be validated. It writes {"task"} for each
// call of a task, which the next line answers with {"result"} or {"error", "cause"};
// in the end {"output"}, or {"failed"} with what is wrong with the definition or
// made the execution fail.
//
// No time passes: all waits, and those between attempts, are overridden.
Promise.withResolvers ??= () => {
  const all = {};
  all.promise = new Promise((resolve, reject) => Object.assign(all, { resolve, reject }));
  return all;
};

const { StateMachine } = require("aws-local-stepfunctions");
const validate = require("asl-validator");
const lines = require("node:readline").createInterface({ input: process.stdin })[Symbol.asyncIterator]();

const read = async () => {
  const { value, done } = await lines.next();
  return done ? process.exit(0) : JSON.parse(value);
};
const write = (message) => process.stdout.write(JSON.stringify(message) + "\n");

const call = async (task) => {
  write({ task });
  const { error, cause, result } = await read();
  if (error) {
    throw Object.assign(new Error(cause), { name: error });
  }
  return result;
};

const run = async ({ definition, input }) => {
  if (input === undefined) {
    const { isValid, errorsText } = validate(definition);
    if (!isValid) {
      throw new Error(errorsText());
    }
    return null;
  }
  const named = (type, value) =>
    Object.fromEntries(Object.entries(definition.States).filter(([, state]) => state.Type === type).map(([name]) => [name, value]));
  const overrides = { taskResourceLocalHandlers: named("Task", call), waitTimeOverrides: named("Wait", 0), retryIntervalOverrides: named("Task", 0) };
  const machine = new StateMachine(definition, { validationOptions: { noValidate: true } }); // that takes half a second
  return machine.run(input, { overrides }).result;
};

(async () => {
  for (;;) {
    try {
      write({ output: (await run(await read())) ?? null });
    } catch (e) {
      write({ failed: `${e.name}: ${e.message}` });
    }
  }
})();
