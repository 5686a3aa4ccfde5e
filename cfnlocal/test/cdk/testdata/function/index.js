// The handlers do as the properties say: Id is the physical ID, and Fail the
// request type that fails.
function work(event) {
  const { Id, Color, Fail } = event.ResourceProperties;
  console.log("work:", event.RequestType, event.PhysicalResourceId ?? "-", Id, Color);
  if (Fail === event.RequestType) throw new Error("as its properties say");
  return event.RequestType === "Delete" ? undefined : { PhysicalResourceId: Id, Data: { Color } };
}

// framework is behind the provider framework, which sends the answer.
exports.framework = async (event) => work(event);

// plain sends its answer itself.
exports.plain = async (event) => {
  const { StackId, RequestId, LogicalResourceId, PhysicalResourceId } = event;
  const answer = { Status: "SUCCESS", StackId, RequestId, LogicalResourceId, PhysicalResourceId, ...work(event) };
  const response = await fetch(event.ResponseURL, { method: "PUT", body: JSON.stringify(answer) });
  if (!response.ok) throw new Error(`the answer was refused with ${response.status}`);
};
