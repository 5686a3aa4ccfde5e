// Package blackbox tests the SDK from outside: it runs a handler's process as Lambda
// does, and receives its answers as Amazon S3 does behind CloudFormation's signed URLs.
// Only the handler, which is package blackbox_test, imports the SDK, and internal/answercheck
// shares no code with it, so that both cannot contain the same wrong field name.
//
// In the order in which an event passes them:
//
//	event_test.go        the event, as CloudFormation sends it
//	authorize_test.go    its signed URL, and the check of the signature
//	function_test.go     asynchronous invocation: retries, the on-failure destination
//	environment_test.go  one process, and the Runtime API that it talks to
//	handler_*_test.go    the process
//	bucket_test.go       a proxy, and behind it the response bucket
//	faults_test.go       what the bucket and the network do wrong
//	judge_test.go        what CloudFormation makes of the answer, and what a case expects
//
// A case is run (run_test.go), and its result is checked (judge_test.go). The cases are in the files
// cases_*_test.go.
package blackbox
