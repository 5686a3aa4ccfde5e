package cfntest

import (
	"flag"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfntest/fault"
	"github.com/cfnresource/sdk-go/internal/play"
)

// ExploreOptions say how far [Explore] goes.
type ExploreOptions struct {
	// Depth is how many operations a history has, before the deletion of the
	// stack with which each ends. If zero, it is 3.
	Depth int
	// Histories is how many are played at most, the shortest first. If zero, it is 3,000, or 1,000
	// with go test -short, and Explore leaves out histories that go on from a situation to which
	// another has led: the log counts them. With 20,000 it plays them all for most handlers.
	Histories int
	// After Budget, no more histories are begun. If zero, time does not matter;
	// with a budget, how far Explore comes depends on the machine.
	Budget time.Duration
	// Faults are the kinds of faults that happen; empty and not nil is none. If nil, all do but four:
	// CancelWhileRunning, since cancelled operations always happen, ThrottleAtStep, HeldAtStep and NeverDelivered.
	Faults []fault.Kind
}

// Explore is a model checker for a handler. It plays every short history of a stack with one
// resource, each with at most one fault anywhere in it, and checks what becomes of the resource in
// the Contract's Service. The first history that does harm is the shortest there is. Explore prints
// it as a story, with a line that [Replay] plays again.
//
// # Histories
//
// The operations are deployments of each of the Contract's properties, in
// which one of these happens:
//
//   - all goes well;
//   - another resource fails when this one is done, and the stack is rolled back;
//   - the operation is cancelled while the handler works: CloudFormation ignores
//     its answer, and rolls back;
//   - another resource fails, with DisableRollback: what was done stays, and
//     another deployment follows, or RollbackStack. Replacements are left out
//     here, since AWS documents that they are not supported.
//
// Each history ends with the deletion of the stack. Where a fault makes a rollback or a deletion
// fail, Explore does what an operator would: ContinueUpdateRollback, or DeleteStack once more.
//
// A fault happens to one request of one operation. Explore tries each [fault.Kind]: those at a
// [Step] at each that the handler reaches, those of waits that never end where a [cfnresource.Poll]
// waits, and those of chains there, too, if the function's Options.Continue is set.
//
// # Checks
//
// Each event is answered once, in a form that CloudFormation accepts. No answer is FAILED unless a
// fault accounts for it, nor SUCCESS while what a Poll waits for is not ready. An event that is
// delivered twice is answered in the same way, with the same Data, unless the Contract skips the
// check data-same-after-update. No Create and no Update removes the stack's resource, and no
// replacement changes it. After each operation the resource exists, in the state that a Create of
// the same properties makes in an empty service; after its Create, it has the Data that such a
// Create returns. State shows what InPlace changes. The physical ID changed if and only if the
// properties belong to another resource, and a rollback restores it. The properties in Refused are
// refused. After the deletion, no ID that was ever seen has a State, and List is empty.
//
// Data that depends on the properties is what such a Create returns. If the Service has Accepts, it
// accepts the properties' secrets.
//
// # Limits
//
// Some harm no handler can prevent, because CloudFormation sends nothing more that it could act on.
// Histories that do only such harm fail nothing. Explore counts them, and prints the numbers on
// standard error. docs/rough_edges.md says what you can do about each:
//
//   - "a cancelled replacement"
//   - "a replacement whose process or answer is lost"
//   - "two deliveries at once, one of which fails"
//   - "a replacement that fails before Created"
//   - "a replacement that runs out of time"
//
// The last two are limits at one Step of a request: the service has made the resource, and its
// reply is lost. If the resource is also left at the next Step, Created came too late, and Explore
// reports it. It also reports what is left if the service does not call Step after an effect: see
// the check steps-around-effects of [TestHandler]. If Create cannot call Created, they are limits
// at each Step: see docs/recipes.md#put-only. A Contract with Neither has two more:
//
//   - "an unmarked thing that no answer names"
//   - "an unmarked thing whose Create is delivered again"
//
// # Pages
//
// With the flag -explore.html DIR of go test, Explore writes a page for each history that it finds
// to DIR: its requests and answers on a time line, the fault where it struck, and what should have
// been. A relative DIR is in the package's directory.
//
// # Order and time
//
// Histories are played the shortest first, on all processors, each in a [testing/synctest] bubble
// of its own, in which waiting takes no time. The order and the findings do not depend on the
// number of processors. With Contract.RealTime they are played one after the other, in no bubble,
// and nothing is cancelled, since chance would decide what overtakes what.
//
// A history is planned from an earlier run of its beginning. If that differs this time, for
// instance because a client waits at random before it tries again, the history is left out, and the
// test's log counts it.
//
// Places in State that do not depend on the properties alone are left out of every comparison: see the check
// state-shows-properties of [TestHandler]. They fail the test, unless the Contract skips that check.
//
// By default, Explore goes on from each situation once: the stack's status, what CloudFormation
// holds of the resource, all States, and how many IDs came to nothing. A history that leads to a
// known situation is played, but no longer ones that begin with it: they find only harm that
// depends on what no State shows. ExploreOptions.Histories has them played.
//
// When it takes more than five seconds, Explore prints its progress on standard error. It ends
// after three histories that do harm, and plays none that are longer than the first of these. Of
// histories that differ only in what becomes of the other resource, it shows the first that does a
// harm. What the handler writes with the packages log and log/slog is dropped; Replay shows it.
func Explore(t *testing.T, c Contract, optFns ...func(*ExploreOptions)) {
	t.Helper()
	var o ExploreOptions
	for _, fn := range optFns {
		fn(&o)
	}
	play.Explore(t, c.behind(), o.behind())
}

// exploreHTML is where Explore writes its pages.
var exploreHTML = flag.String("explore.html", "", "write a page of HTML into this `directory` for each history that cfntest.Explore finds")

func (o ExploreOptions) behind() play.ExploreOptions {
	return play.ExploreOptions{Depth: o.Depth, Histories: o.Histories, Budget: o.Budget, Faults: o.Faults, HTML: *exploreHTML}
}

// Replay plays one history that [Explore] printed, such as
//
//	v0 v2/sibling-fails!die-at-step:3@2 delete
//
// and prints its story in the test's log. It fails the test if the history does
// harm, as Explore does. The operations are separated by spaces:
//
//   - v0, v1, v2, refused and not-updatable deploy the Contract's Properties, InPlace,
//     Replacing, Refused and NotUpdatable; after them may stand /sibling-fails, /cancelled, or
//     /kept, which is /sibling-fails with DisableRollback;
//   - after them may also stand /native (numbers and booleans are not sent as texts),
//     /old-unreadable (the old properties of each Update have another shape, as if an older
//     program had deployed them) or /unreadable (so have the properties of each Delete);
//   - again has CloudFormation update the resource to the properties that it has, half a minute
//     later; it may have /old-unreadable;
//   - gone has somebody remove the resource;
//   - twin has another delivery of the resource's Create make a second thing of the same StableID: after the resource or,
//     as in twin v0, before it and unseen by the searches of its Create;
//   - out deploys a template without the resource;
//   - use calls the Service's Use, which puts something into the resource, and use-1001 calls it
//     1,001 times;
//   - 2h, 30d, 2y and 50y let that much time pass, except in RealTime;
//   - crowd adds other people's things: it calls the Service's Crowd, and if the handler can make
//     things of the same properties for other stacks, it makes 121; with crowd-1001 it makes 1,201;
//   - v0[Name=case] deploys Properties with one change, as the check
//     leads-where-create-does of [TestHandler] makes them, and v0[Password=made-up] with a secret
//     of which each part can be told from all else;
//   - after a plus sign stands what another resource of the stack gets in the same operation: v0, v1 or v2 (a
//     version of the same type), a type of the Contract's Others, or out. A third resource has a second plus
//     sign, and what only the others get has nothing before it, as in +v0;
//   - namesakes has two stacks, of the same name and of one that begins with it, make the same resource, delete it
//     and make it again; with a fault, the second one has only begun when the history goes on;
//   - occupied has the Service's Occupy make a thing under the ID that the next operation's Create
//     gives, if two stacks want the same, and before any other operation under one that begins with the resource's ID;
//   - other-deletes delivers Deletes of what is gone: once more those of the IDs that the resource had before, and those
//     of IDs with which the resource's begins;
//   - rollback is RollbackStack, and delete is DeleteStack, with which each
//     history ends whether it says so or not; delete may have /unreadable;
//   - after an exclamation mark stands the fault that an operation meets: its
//     [fault.Kind], after a colon its Step if it has one, and after an at sign
//     which of the operation's requests it happens to, from 1;
//   - before a first operation may stand warm (one process handles all events), warm-2 (two do, in
//     turn), before (the Service's Before makes the thing of that operation, as the former program
//     did), foreign-id (the former program made it under an ID that this one would not give, as the
//     Service's Occupy does if there is one), native-id (this one could have given the ID),
//     long-name (the stack has a long name), slowly (each Step takes a while) and same-ids (a request
//     that repeats an earlier one has its RequestId, as has been seen of CloudFormation). Before those may stand the readings to
//     assume, as in StackOptions.Assume, and a colon.
func Replay(t *testing.T, c Contract, history string) {
	t.Helper()
	play.Replay(t, c.behind(), history)
}
