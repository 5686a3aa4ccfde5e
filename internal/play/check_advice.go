package play

// Advice that several checks share.
const (
	ownName = "Name what Create makes by StableID and answer AlreadyExists where it is there, or mark it with StableID and implement Find: docs/rules-for-a-handler.md#three-kinds-of-handlers. " +
		"Where the service takes a client token, pass IdempotencyToken: docs/recipes.md#client-tokens"
	callCreated = "Call Created in the line after the call that made the thing: docs/rough_edges.md#updates-and-replacements. Where a PUT does not say whether it made it, ask first: docs/recipes.md#put-only"
)

// advice says, by the name of a check, what helps most handlers that fail it, and
// where to read about it.
var advice = map[string]string{
	"create-redelivered-one-resource":  ownName,
	"create-error-after-making":        ownName,
	"create-out-of-time-nothing-left":  ownName,
	"create-died-half-way-is-finished": ownName,
	"create-cancelled-while-running":   ownName,
	"delete-lost-create":               ownName,
	"replace-redelivered-one-resource": ownName,
	"create-refused-nothing-left":      ownName,
	"create-never-ready-nothing-left":  ownName,
	"replace-failed-nothing-left":      callCreated,
	"replace-refused-nothing-left":     callCreated,
	"replace-never-ready-nothing-left": callCreated,
	"find-reads-the-id-first":          "Read the thing under the event's PhysicalID before searching: docs/recipes.md#lists-that-lag",
}
