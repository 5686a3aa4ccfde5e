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
// is not known. What each field from FailedUpdate on means is said once, by the ways of [Readings]
// that set it. They are kept with the stack.
type Options struct {
	// Seed makes another run of the same stack get other IDs. The same seed gives the same ones.
	Seed uint64 `json:",omitempty"`
	// Partition, Region and Account are "aws", "us-east-1" and "123456789012" if empty.
	Partition, Region, Account string `json:",omitempty"`

	FailedUpdate           FailedUpdate  `json:",omitempty"`
	DeleteOriginal         bool          `json:",omitempty"`
	RestoreAtOnce          bool          `json:",omitempty"`
	CreateFirst            bool          `json:",omitempty"`
	RetryTimeouts          bool          `json:",omitempty"`
	CleanupPause           time.Duration `json:",omitempty"`
	DeleteTries            int           `json:",omitempty"`
	RetryNested            bool          `json:",omitempty"`
	CancelGrace            time.Duration `json:",omitempty"`
	LenientIDs             bool          `json:",omitempty"`
	NothingInvoked         bool          `json:",omitempty"`
	ReuseRequestIDs        bool          `json:",omitempty"`
	ReplaceWithoutRollback bool          `json:",omitempty"`
	MixedCaseIDs           bool          `json:",omitempty"`
	MaskNoEcho             bool          `json:",omitempty"`
	NoTopServiceTimeout    bool          `json:",omitempty"`
	PolicyIsNoUpdate       bool          `json:",omitempty"`
	RefuseSnapshot         bool          `json:",omitempty"`
	CleanupNewProperties   bool          `json:",omitempty"`
	StatusLag              time.Duration `json:",omitempty"`
	StatusRefused          bool          `json:",omitempty"`
	ShowsLeaving           bool          `json:",omitempty"`
}

func (o *Options) setDefaults() {
	o.Partition = cmp.Or(o.Partition, "aws")
	o.Region = cmp.Or(o.Region, "us-east-1")
	o.Account = cmp.Or(o.Account, "123456789012")
	o.DeleteTries = max(o.DeleteTries, 1)
}
