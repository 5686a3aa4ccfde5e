package engine

import (
	"cmp"
	"time"
)

// FailedUpdate is what becomes of the new physical ID that an Update's FAILED answer names.
type FailedUpdate string

const (
	// PointBack: CloudFormation goes back to the former physical ID without a request, and deletes
	// the one that the failed Update named in the rollback's cleanup. The default.
	PointBack FailedUpdate = ""
	// RollbackUpdate: the rollback sends an Update to the new physical ID.
	RollbackUpdate FailedUpdate = "RollbackUpdate"
	// Stick: the new physical ID stays, and nothing more is sent.
	Stick FailedUpdate = "Stick"
)

// Options are what a stack is played with. The zero value is what is assumed where AWS's behaviour
// is not known; each field says so, and what its other values do. They are kept with the stack.
type Options struct {
	// Seed makes another run of the same stack get other IDs. The same seed gives the same ones.
	Seed uint64 `json:",omitempty"`
	// Partition, Region and Account are "aws", "us-east-1" and "123456789012" if empty.
	Partition, Region, Account string `json:",omitempty"`

	// FailedUpdate is what becomes of the new physical ID in an Update's FAILED
	// answer [O that it is deleted, ? how the resource is led back].
	FailedUpdate FailedUpdate `json:",omitempty"`
	// DeleteOriginal deletes, in the rollback's cleanup, the physical resource of
	// before, if the rollback's Update of its replacement was not answered with
	// its ID. Otherwise it is left, and forgotten [?].
	DeleteOriginal bool `json:",omitempty"`
	// RestoreAtOnce: with DisableRollback, a failed Update is followed at once by
	// one with the former properties. Otherwise by nothing [?].
	RestoreAtOnce bool `json:",omitempty"`
	// CreateFirst: what failed to be created with DisableRollback is created
	// anew first, and deleted in the cleanup. Otherwise it is deleted first [?].
	CreateFirst bool `json:",omitempty"`
	// RetryTimeouts: a cleanup's Delete that nobody answers is tried three times
	// like one that fails [D]. Otherwise once, as was seen [O].
	RetryTimeouts bool `json:",omitempty"`
	// CleanupPause lies between the three tries of a cleanup's Delete [?].
	CleanupPause time.Duration `json:",omitempty"`
	// DeleteTries is how often DeleteStack and the rollback of a creation try a
	// Delete that fails: once if zero [?].
	DeleteTries int `json:",omitempty"`
	// RetryNested tries the Delete of a nested stack that fails three times, also in the rollback
	// of a creation, as was seen once [O]. Otherwise as DeleteTries says.
	RetryNested bool `json:",omitempty"`
	// CancelGrace lies between the cancellation of what was under way and the
	// rollback's first request: seconds on AWS [O]. Answers in it are ignored [?].
	CancelGrace time.Duration `json:",omitempty"`
	// LenientIDs ignores the StackId, RequestId and LogicalResourceId of an
	// answer. Otherwise wrong ones fail the resource [?].
	LenientIDs bool `json:",omitempty"`
	// NothingInvoked: when a function or topic could not be called for a Create,
	// nothing is deleted. Otherwise a Delete with a made-up ID follows [?].
	NothingInvoked bool `json:",omitempty"`
	// ReuseRequestIDs gives a request that repeats an earlier one its RequestId
	// [O]. Otherwise each request has its own [D].
	ReuseRequestIDs bool `json:",omitempty"`
	// ReplaceWithoutRollback lets an update with DisableRollback replace native
	// resources, as is announced. Otherwise that fails [O].
	ReplaceWithoutRollback bool `json:",omitempty"`
	// MixedCaseIDs makes the IDs that are made up for custom resources end in 12
	// letters and digits of both cases, as the newer names of native resources do
	// [O]. Otherwise in 13 upper-case ones.
	MixedCaseIDs bool `json:",omitempty"`
	// MaskNoEcho masks outputs that come of an answer with NoEcho [D]. Otherwise
	// nothing is masked, as was measured [O].
	MaskNoEcho bool `json:",omitempty"`
	// NoTopServiceTimeout leaves the ServiceTimeout to the properties. Otherwise
	// the event has it too [O, by one source].
	NoTopServiceTimeout bool `json:",omitempty"`
	// PolicyIsNoUpdate refuses an update in which only policies change [D].
	// Otherwise it is an update that sends nothing [O, measured].
	PolicyIsNoUpdate bool `json:",omitempty"`
	// RefuseSnapshot refuses DeletionPolicy Snapshot on custom resources.
	// Otherwise it means Delete, as is documented of UpdateReplacePolicy [?].
	RefuseSnapshot bool `json:",omitempty"`
	// CleanupNewProperties: the Delete of what was replaced has the new properties, as an example
	// in the documentation has [D]. Otherwise those that it was made with [O].
	CleanupNewProperties bool `json:",omitempty"`
	// StatusLag is how late DescribeStacks and DescribeStackResource show the stack [?].
	StatusLag time.Duration `json:",omitempty"`
	// StatusRefused answers both with an error.
	StatusRefused bool `json:",omitempty"`
	// ShowsLeaving: in a cleanup, DescribeStackResource shows what is deleted. Otherwise
	// what has replaced it [?].
	ShowsLeaving bool `json:",omitempty"`
}

func (o *Options) setDefaults() {
	o.Partition = cmp.Or(o.Partition, "aws")
	o.Region = cmp.Or(o.Region, "us-east-1")
	o.Account = cmp.Or(o.Account, "123456789012")
	o.DeleteTries = max(o.DeleteTries, 1)
}
