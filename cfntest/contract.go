package cfntest

import (
	"flag"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/play"
)

// A Contract says what [TestHandler], Explore and Replay need to know of a
// handler: how to make one, and what to ask it for.
type Contract struct {
	// New returns a service, and the function that manages things in it. What List has by then is
	// other people's. New is called many times in one test, from several goroutines unless RealTime is
	// set: each play has a service of its own. t is for what New starts.
	New func(t testing.TB) Service

	// ResourceType is that of the events. If empty, it is Custom::Resource.
	ResourceType string

	// Properties are those of a valid resource: the handler's struct, another
	// struct or a map. They are sent as CloudFormation sends them, as for
	// [CreateEvent]. An empty field of a struct is sent as well, and
	// gets no default, unless its json tag has omitempty.
	Properties any
	// InPlace are other valid properties, to which an Update changes the
	// resource in place. Nil if there are none.
	InPlace any
	// Replacing are other valid properties, which belong to another physical
	// resource. Nil if there are none.
	Replacing any
	// Refused are properties that can be read, but that Validate or the service
	// refuses. Nil if there are none.
	Refused any

	// NotUpdatable are other valid properties: a Create takes them, and an Update to them is
	// refused with CodeNotUpdatable. Let them differ in something that can be updated, too: then
	// the tests see an Update that changes it before it refuses. Nil if there are none.
	NotUpdatable any

	// Others are properties of a resource of each other type that the function handles, by the
	// type's name: TestHandler plays this type and those beside each other. Have State or Around
	// show the things of those types.
	Others map[string]any

	// Draw returns random valid properties, other than those above: lists of rules that fit each
	// other, for instance. It is optional. TestHandler itself changes one property at a time:
	// docs/testing.md#what-varies. The types and tags of the handler's own struct say what can
	// change. The Rand is of math/rand/v2, and draws the same in each run.
	Draw func(*rand.Rand) any
	// Fixed are the paths of properties that TestHandler leaves as they are, such as the name of
	// something that has to exist, or what only Create reads: Zone, Rules.Port.
	Fixed []string

	// Neither says that the handler can neither choose the ID nor find the thing: the service
	// assigns the ID, and nothing on the thing leads back to the stack. TestHandler skips the
	// checks that it cannot pass (docs/rough_edges.md), and Explore counts two more limits.
	// Replacing is nil then.
	Neither bool

	// Secrets are texts that must not leak, besides the values of fields tagged
	// secret in the handler's own types, which a Dispatcher tells. Those under four
	// bytes are not looked for.
	Secrets []string

	// Skip names checks that are not run, each with the reason, which is
	// printed. A name that no check has fails the test.
	Skip map[string]string

	// RealTime is for handlers that do real I/O, such as sockets, which virtual time cannot wait
	// for: see [StackOptions] for what is waited for and what is not. A failure is played up to
	// twice again, and reported if it fails each time: a machine may have been busy.
	RealTime bool

	// Timeout is the function's. If zero, it is a minute, which is too little for a function that
	// continues: see [Continues]. In real time it bounds each wait: a second or two is enough then,
	// of which 250 ms are kept for the answer.
	Timeout time.Duration
}

// A Service holds the things that a handler manages, for all processes of its function. All its
// functions, and what Function returns, may be called from several goroutines.
type Service struct {
	// Function returns a new process of the function, as after a cold start: a
	// Dispatcher. All of them work on this service.
	Function func() Function

	// State returns the state of the thing under a physical ID, or nil if there is none: a nil
	// pointer, map or slice counts as nil. Two states are compared as by reflect.DeepEqual, so
	// leave out what differs from run to run, such as times and IDs, and show all that properties
	// can change, of a secret a hash. They are compared later: return a copy of a pointer or a map.
	// If each method waits for a status, show it: a method that does not wait is seen then. Leave
	// out one that goes on changing after that, since things of different ages are compared. State is
	// nil for handlers that make nothing: then only their answers are judged.
	State func(physicalID string) any

	// List returns the physical IDs of all things. It is optional; but without it, a thing under an
	// ID that nobody learned of is not seen.
	List func() []string

	// Occupy makes a thing of somebody else's under a physical ID, for services whose names the
	// template chooses. Give it no StableID, so that a Find that takes it is seen, and settings
	// that differ from Properties and InPlace, so that a change of it is. The ID can be of any
	// form, as an older program may have made it. It is optional.
	Occupy func(physicalID string)

	// Crowd fills the service with other people's things: more than a page of its lists has. It may
	// be called again when the handler's thing exists. It is optional: without it the handler makes
	// such things for other stacks, if two of them do not need one name. An Action has none.
	Crowd func()

	// Before makes the thing that props describe as the former program made it, without the mark of
	// this SDK. It returns the physical ID from that program, which State and List know. The props
	// are the Contract's Properties, or those with a change, in the same type. With a change,
	// differences from what a Create would make are not judged. It is optional, for handlers that
	// take over another program's things.
	Before func(props any) (physicalID string)

	// Use puts into a thing what its users put there, such as files or members. State then shows
	// it, and it depends on nothing that InPlace changes. A replacement may have it too, or begin
	// without. Use is optional; without it, an Update or a rollback that loses it is not seen.
	Use func(physicalID string)

	// Effects returns what was done and cannot be undone: how many mails were sent, which jobs have
	// run. Leave out IDs and times. It is optional; without it, an event that is delivered twice
	// and does that twice is not seen.
	Effects func() any

	// Around returns what the service holds besides things, and is not the handler's: what users
	// have in a policy, a list of rules or a configuration in which the handler has an entry. When
	// the stack is deleted, it must be as it was when New returned. Return a copy, as in State. It
	// is optional.
	Around func() any

	// Accepts reports whether the service accepts a secret as a thing's: the present or a former
	// value of a property tagged secret, which State cannot show. It is optional; without it, a
	// secret that an Update does not set, or does not remove, is not seen.
	Accepts func(physicalID, secret string) bool
}

// playAll is for a run at night.
var playAll = flag.Bool("cfn.all", false, "have cfntest.TestHandler play all changes of properties, and not a share")

func (c Contract) behind() play.Contract {
	out := play.Contract{
		ResourceType: c.ResourceType, Properties: c.Properties, InPlace: c.InPlace, Replacing: c.Replacing, Refused: c.Refused,
		NotUpdatable: c.NotUpdatable, Others: c.Others, Draw: c.Draw, Fixed: c.Fixed, All: *playAll || os.Getenv("TEST_THOROUGH") != "",
		Neither: c.Neither, Secrets: c.Secrets, Skip: c.Skip, RealTime: c.RealTime, Timeout: c.Timeout,
	}
	if c.New != nil {
		out.New = func(t testing.TB) play.Service { return play.Service(c.New(t)) }
	}
	return out
}
