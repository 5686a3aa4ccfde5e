package cfntest

import (
	"testing"

	"github.com/cfnresource/sdk-go/internal/play"
)

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
//   - rollback is RollbackStack, and delete is DeleteStack, with which each
//     history ends whether it says so or not;
//   - after an exclamation mark stands the fault that an operation meets, one in
//     a history: its [FaultKind], after a colon its Step if it has one, and after
//     an at sign which of the operation's requests it happens to, from 1;
//   - before a first operation may stand the readings to assume, and a colon.
func Replay(t *testing.T, c Contract, history string) {
	t.Helper()
	play.Replay(t, c.behind(), history)
}
