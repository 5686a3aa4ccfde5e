package cfntest

import (
	"flag"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/play"
)

// A Contract says what [TestHandler], Explore and Replay have to know of a
// handler: how to make one, and what it can be asked for.
type Contract struct {
	// New returns a service in which nothing is, and the function that manages things in it. It is
	// called many times in one test, from several goroutines unless it is in real time, with a
	// testing.TB for what it starts: each play has a service of its own.
	New func(t testing.TB) Service

	// ResourceType is that of the events. If empty, it is Custom::Resource.
	ResourceType string

	// Properties are those of a valid resource: a struct or a map. They are
	// sent as CloudFormation sends them, as for [CreateEvent].
	Properties any
	// InPlace are other valid properties, to which an Update changes the
	// resource that there is. Nil if there are none.
	InPlace any
	// Replacing are other valid properties, which belong to another physical
	// resource. Nil if there are none.
	Replacing any
	// Refused are properties that can be read, but that Validate or the service
	// refuses. Nil if there are none.
	Refused any

	// NotUpdatable are other valid properties: a Create takes them, and an Update to
	// them is refused with CodeNotUpdatable. Let them differ in something that can be
	// updated too: an Update that changes that before it refuses is seen then. Nil if
	// there are none.
	NotUpdatable any

	// Others are properties of a resource of each other type that the function handles, by the
	// type's name: TestHandler plays this type and those beside each other. Have State or Around
	// show what is of those types.
	Others map[string]any

	// Draw returns other valid properties than those above, from what chance says: lists of rules
	// that fit each other, for instance. It is optional. What TestHandler makes of Properties by
	// itself has one change each: docs/testing.md#what-varies. Where Properties are the handler's
	// own struct, its types and tags say what can change.
	Draw func(*rand.Rand) any
	// Fixed are the paths of properties that TestHandler leaves as they are, such as the name of
	// something that has to exist, or what only Create reads: Zone, Rules.Port.
	Fixed []string

	// Neither says that the handler is of that kind: the service assigns the ID, and
	// nothing on the thing leads back to the stack. What such a handler cannot hold is
	// left out by name (docs/rough_edges.md): TestHandler skips those checks, and
	// Explore counts two more limits. Replacing is nil then.
	Neither bool

	// Secrets are texts that must not come out, beside the values of fields
	// tagged secret, which are known where the properties above are the
	// handler's own struct. Those under four bytes are not looked for.
	Secrets []string

	// Skip names checks that are not run, each with the reason, which is
	// printed. A name that no check has fails the test.
	Skip map[string]string

	// RealTime is for handlers that do real I/O, such as sockets, which virtual time cannot wait
	// for: see [StackOptions] for what is waited for and what is not. What fails is played up to
	// twice again, and told if it fails each time: a machine may have been busy.
	RealTime bool

	// Timeout is the function's. If zero, it is a minute. In real time it bounds what is waited
	// for: a second or two is enough then, of which 250 ms are kept for the answer.
	Timeout time.Duration
}

// A Service is what a handler manages things in, with all processes of its function. What Function
// returns may be called from several goroutines, and so may the others.
type Service struct {
	// Function returns a new process of the function, as after a cold start: a
	// Dispatcher. All of them work on this service.
	Function func() Function

	// State returns what there is under a physical ID, or nil: a nil pointer, map or slice counts
	// as nil. Two states are compared as by reflect.DeepEqual, so it leaves out what differs from run
	// to run, such as times and IDs, and shows all that properties can change, of a secret a hash. It is
	// looked at later, so a pointer or a map leads to a copy. If each method waits for a status, State
	// shows it: a method that does not wait is seen then. A status that changes by itself is left out:
	// two things are looked at when they are not equally old. State is nil for handlers that make
	// nothing: then only their answers are judged.
	State func(physicalID string) any

	// List returns the physical IDs of all things that there are. It is optional; but without it,
	// what was made under an ID that nobody learned of is not seen.
	List func() []string

	// Occupy makes a thing of somebody else's under a physical ID, for services whose names the
	// template chooses. The thing bears no StableID, so that a Find which takes such a thing is seen,
	// and its settings are neither those of Properties nor of InPlace, so that a change of it is. The
	// ID can be of any form, as an older program may have made it. It is optional.
	Occupy func(physicalID string)

	// Crowd fills the service with things of other people's: more than a page of its lists has. It
	// may be called again, when the handler's thing is there. It is optional: without it the
	// handler makes such things for other stacks, if two of them do not want one name. An Action has
	// none.
	Crowd func()

	// Before makes the thing that props describe as the program before this one made it: without the
	// mark of this SDK, under the physical ID which that program gave it, which it returns, and which
	// State and List know. The props are the Contract's Properties, or those with a change, in the same
	// type. With a change, what it makes otherwise than a Create would is not judged. It is optional,
	// for handlers that go on with what another program made.
	Before func(props any) (physicalID string)

	// Use puts into a thing what its users put there, such as files or members, which State shows
	// then: what depends on nothing that InPlace changes. A replacement may have it too, or begin
	// without. It is optional; without it, it is not seen that an Update or a rollback loses that.
	Use func(physicalID string)

	// Effects returns what cannot be taken back of what was done: how many mails were sent, which
	// jobs have run. IDs and times are left out. It is optional; without it, it is not seen that
	// an event which is delivered twice does that twice.
	Effects func() any

	// Around returns what there is in the service besides things, and is not the handler's: what users
	// have in a policy, a list of rules or a configuration in which the handler has an entry. When the
	// stack is deleted, it is as it was when New returned. Like that of State, what it returns is
	// a copy. It is optional.
	Around func() any

	// Accepts reports whether the service takes a secret for a thing's: the value of a property
	// that is tagged secret, now or before, which State cannot show. It is optional; without it, a
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
