package cfntest

import (
	"testing"

	"github.com/cfnresource/sdk-go/internal/play"
)

// TestHandler checks that a handler does what CloudFormation demands: the parts of AWS's "Resource
// type handler contract", for registered types, that concern custom resources, and what only those
// have to bear. It creates, updates, replaces and deletes the Contract's resource as a stack does,
// with a failure at each place where one can happen, and compares what is then in the service with
// what should be there. Each check is a subtest: docs/checks.md lists them with their rules and
// needs, and go test -v prints their names and how each ended.
//
// A failure says which rule does not hold, what happened until then, and what
// CloudFormation would have done. States are printed, properties are not.
//
// The checks continue-… run only if the function's Options.Continue is set.
// They make a [cfnresource.Poll] wait for three invocations; Contract.Timeout
// is the function's, for instance five minutes.
//
// Each check has services of its own and runs in virtual time, unless the Contract says RealTime;
// checks run one after the other. If a check needs something that the Contract lacks, or a service
// that calls [Step], it is skipped, and says what to add. A check that fails where a simpler one
// has failed is skipped as well: if a handler does not even create Properties, create-delete fails,
// and most others say nothing.
//
// The output of the packages log and log/slog during a check appears only if it fails. During
// secrets-stay-out-of-log, output on os.Stdout and os.Stderr does not appear. TestHandler does not
// see what a handler does with secrets in the service, and does not check what no handler can
// ensure, such as two updates that overlap.
//
// Before all checks, TestHandler makes a few things of the Contract's Properties: twice, an hour later, under another logical
// ID and in another stack. Where State differs between them, it depends on chance, time or the ID: state-shows-properties
// names these places, and all other checks leave them out. What depends on the ID is a warning.
//
// Most checks play histories as [Explore] does; a failure has the line with which [Replay] plays
// one again. Harm that no handler can prevent fails no check: the test's log says what it is.
//
// A handler that panics in a goroutine of its own, or calls log.Fatal, ends the test's process.
// What is printed then has a label with the name of the check, or with the history that Explore
// played. os.Exit prints nothing: go test -v shows which check ran last.
func TestHandler(t *testing.T, c Contract) {
	t.Helper()
	play.TestHandler(t, c.behind())
}
