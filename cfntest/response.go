package cfntest

// A Response is what CloudFormation reads of the answer to an event. Its form
// has been checked; what it says is for the test to judge.
type Response struct {
	Status             string // "SUCCESS" or "FAILED"
	Reason             string // never empty with FAILED
	PhysicalResourceID string
	NoEcho             bool           // whether Data holds secrets
	Data               map[string]any // strings and lists, by the name that Fn::GetAtt uses

	// Invocations is how many the event took: more than one in a function that continues.
	Invocations int
}
