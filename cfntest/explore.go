package cfntest

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// ExploreOptions say how far [Explore] goes.
type ExploreOptions struct {
	// Depth is how many operations a history has, before the deletion of the
	// stack with which each ends. If zero, it is 3.
	Depth int
	// Histories is how many are played at most, the shortest first. If zero, it is 3,000, or 1,000
	// with go test -short, and what goes on from a situation to which another history has led is
	// left out: the log says how much that is. 20,000 play it all for most handlers.
	Histories int
	// Budget is for how long histories are begun. If zero, time does not matter;
	// with a budget, how far the exploration comes depends on the machine.
	Budget time.Duration
	// Faults are the kinds of faults that happen; empty and not nil is none. If nil, all do, but
	// for CancelWhileRunning, which is no fault here: cancelled operations always happen.
	Faults []FaultKind
	// Assume is that of [StackOptions]. "all" alone explores under what is assumed and
	// then, with fewer histories, under each other reading and each two. What does harm
	// there is told, and fails nothing.
	Assume []string
}

// Explore is a model checker for a handler. It plays every short history of a stack with one
// resource, each with at most one fault anywhere in it, and checks what becomes of the resource in
// the Contract's Service. The first history that does harm is the shortest there is. It is told as
// a story, with a line that [Replay] plays again.
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
// A fault happens to one request of one operation: each [FaultKind], those that happen at a [Step]
// at each that the handler comes to, those of waits that never end where a [cfnresource.Poll]
// waits, and those of chains there, too, if the function's Options.Continue is set.
//
// # Checks
//
// Each event is answered once, in a form that CloudFormation accepts, and no answer is FAILED but
// for a fault that accounts for it, nor SUCCESS while what a Poll waits for is not ready. What is
// delivered twice is answered in the same way. No Create and no Update removes what the stack has,
// nor does a replacement change it. After each operation the stack's resource exists, in the state
// to which a Create of the same properties leads in an empty service, and after its Create with
// the Data that such a Create returns. State shows what InPlace changes. Its physical ID changed
// if, and only if, the properties belong to another resource, and after a rollback it is that of
// before. What Refused holds is refused. After the deletion there is no State of any ID that was
// ever seen, and List is empty.
//
// Data that depend on the properties are those that such a Create returns, and if the Service has
// Accepts, the secrets are those that it accepts.
//
// # Limits
//
// Some harm no handler can prevent, because CloudFormation sends nothing more that it could act on.
// Histories that do only such harm fail nothing. Explore counts them, and prints the numbers on
// standard error. docs/rough_edges.md tells what you can do about each:
//
//   - "a replacement that is cancelled leaves its new resource"
//   - "a replacement whose process dies, or whose answer is lost, leaves its new resource"
//   - "of two deliveries of one replacement, the one that fails undoes, or leaves, what the other one answered"
//   - "a replacement that fails after its effect and before Created leaves its new resource"
//   - "a replacement that runs out of time leaves what it made"
//
// The last two are limits at one Step of a request, that after which the service
// has made the resource and its reply is lost. If it is left at the next Step as
// well, Created came too late, and that is reported, as is what is left where the
// service does not call the Step after an effect: see the check steps-around-effects
// of [TestHandler]. They are limits at each Step where Create cannot call Created: see
// docs/recipes.md#put-only. Two more are those of a Contract that says Neither:
//
//   - "what a Create made before it said Created is lost with its answer"
//   - "a Create that is delivered again meets its own work, or makes another one"
//
// # Pages
//
// With the flag -explore.html DIR of go test, each history that is found is a page in the directory
// DIR, to be looked at: its requests and answers on a time line, the fault where it struck, and
// what should have been. A relative DIR is one of the package's directory.
//
// # Order and time
//
// Histories are played the shortest first, on all processors, each in a [testing/synctest] bubble
// of its own, in which waiting takes no time. The order and what is found do not depend on how many
// processors there are. With Contract.RealTime they are played one after the other, in no bubble,
// and nothing is cancelled, since chance would say what overtakes what.
//
// A history is planned from an earlier run of its beginning. If that goes another way
// this time, since a client waits at random before it tries again, the history is left
// out, and the test's log counts it. Meanwhile garbage is collected less often.
//
// By default, each situation to which histories lead is gone on from once: the stack's status, what
// CloudFormation holds of the resource, all States, and how many IDs came to nothing. A history
// that leads to a like situation is played itself, and no longer ones that begin with it: they
// would find what depends on what no State shows. ExploreOptions.Histories has them played.
//
// When it takes more than five seconds, Explore tells its progress on standard error. It ends after
// three histories that do harm, and plays none that are longer than the first of these. What the
// handler writes with the packages log and log/slog meanwhile is dropped; Replay shows it.
func Explore(t *testing.T, c Contract, optFns ...func(*ExploreOptions)) {
	t.Helper()
	var o ExploreOptions
	for _, fn := range optFns {
		fn(&o)
	}
	readings := slices.Equal(o.Assume, []string{"all"})
	if readings {
		o.Assume = nil
	}
	play.Explore(t, c.behind(), o.behind())
	if readings && !t.Failed() {
		exploreReadings(t, c.behind(), o.behind())
	}
}

// exploreHTML is where Explore writes its pages.
var exploreHTML = flag.String("explore.html", "", "write a page of HTML into this `directory` for each history that cfntest.Explore finds")

func (o ExploreOptions) behind() play.ExploreOptions {
	out := play.ExploreOptions{Depth: o.Depth, Histories: o.Histories, Budget: o.Budget, Assume: o.Assume, HTML: *exploreHTML}
	if o.Faults != nil {
		out.Faults = []simulate.FaultKind{} // none is not all of them
	}
	for _, k := range o.Faults {
		out.Faults = append(out.Faults, simulate.FaultKind(k))
	}
	return out
}

// exploreReadings explores under each reading alone with a third of the histories, and
// under each two with a thirtieth. It tells what does harm there, and fails for nothing:
// nobody knows which reading is true.
func exploreReadings(t *testing.T, c play.Contract, o play.ExploreOptions) {
	t.Helper()
	histories := cmp.Or(o.Histories, play.DefaultHistories())
	harmful, played := map[string]bool{}, 0
	try := func(histories int, all ...engine.Assumption) {
		o.Assume = nil
		for _, a := range all {
			o.Assume = append(o.Assume, a.String())
		}
		o.Histories = max(histories, 1)
		n, harm := play.ExploreQuietly(t, c, o)
		if played += n; harm {
			harmful[strings.Join(o.Assume, " ")] = true
		}
	}
	for _, a := range engine.OtherWays() {
		try(histories/3, a)
	}
	for _, p := range engine.PairsOfWays() {
		if !harmful[p[0].String()] && !harmful[p[1].String()] {
			try(histories/30, p...)
		}
	}

	// What differs is told where it is seen without -v.
	text := fmt.Sprintf("%d histories under other readings of what AWS does not document did no harm that those under the assumed ones do not", played)
	if len(harmful) > 0 {
		text = fmt.Sprintf("of %d histories under other readings of what AWS does not document, some did harm; go test -v tells them:\n  %s",
			played, strings.Join(slices.Sorted(maps.Keys(harmful)), "\n  "))
	}
	fmt.Fprintf(os.Stderr, "cfntest.Explore: %s: %s\n", t.Name(), text)
}

// Replay plays one history that [Explore] printed, such as
//
//	v0 v2/sibling-fails!die-at-step:3@2 delete
//
// and tells its story in the test's log. It fails the test if the history does
// harm, as Explore does. The operations are separated by spaces:
//
//   - v0, v1, v2 and refused deploy the Contract's Properties, InPlace,
//     Replacing and Refused; after them may stand /sibling-fails, /cancelled, or
//     /kept, which is /sibling-fails with DisableRollback;
//   - out deploys a template without the resource;
//   - use has users put something into the resource, by the Service's Use, and use-1001 has them do it
//     1,001 times;
//   - 2h, 30d, 2y and 50y let that much time pass, but for RealTime;
//   - crowd has other people make things: the Service's Crowd is called, and where the handler can make
//     things of the same properties for other stacks, it makes 121; crowd-1001 has it make 1,201;
//   - v0[Name=case] deploys Properties with one change, as the check
//     leads-where-create-does of [TestHandler] makes them;
//   - rollback is RollbackStack, and delete is DeleteStack, with which each
//     history ends whether it says so or not;
//   - after an exclamation mark stands the fault that an operation meets: its
//     [FaultKind], after a colon its Step if it has one, and after an at sign
//     which of the operation's requests it happens to, from 1;
//   - before a first operation may stand warm, with which one process handles all events; warm-2,
//     with which two do in turn; before, with which the Service's Before makes the thing of that operation, as the program before
//     did; and long-name, with which the stack has a long name. Before those may stand the readings to assume, and a colon.
func Replay(t *testing.T, c Contract, history string) {
	t.Helper()
	play.Replay(t, c.behind(), history)
}
