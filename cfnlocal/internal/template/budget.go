package template

import "sync"

// Bounds of this package, in units of work. A byte that a function makes costs one unit; evaluating or
// visiting an expression costs perStep. Without bounds, a small template could refer to a long value many
// times, through values that refer to others in turn.
const (
	perStep = 16
	// perPatternStep is the cost of each step of a compiled pattern. For each byte that the pattern is
	// compared with, a step costs one unit.
	perPatternStep = 64
	// maxOne bounds the work for one resource or output.
	maxOne = 8 << 20
	// maxAll bounds the work for a whole template: once before a deployment begins, and once while
	// it runs.
	maxAll = 64 << 20
)

const tooMuchWork = "the functions of this template build more than %d bytes, or take as much work; CloudFormation's own limits are far lower: shorten the values"

// budget bounds the work for the expressions of one template. Before a deployment begins all work
// adds up; while it runs, only the latest evaluation of each resource and output counts.
type budget struct {
	mu      sync.Mutex
	planned int
	by      map[string]int
	running int
}

// planning is the owner of the work before a deployment begins.
const planning = ""

// begin forgets what an earlier evaluation for the same owner cost.
func (b *budget) begin(owner string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running -= b.by[owner]
	delete(b.by, owner)
}

// take counts work for an owner, and reports whether there is room for it.
func (b *budget) take(owner string, units int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if owner == planning {
		b.planned += units
		return b.planned <= maxAll
	}
	if b.by == nil {
		b.by = map[string]int{}
	}
	b.by[owner] += units
	b.running += units
	return b.running <= maxAll
}

// step counts an expression that is visited before a deployment begins.
func (b *budget) step() bool { return b.take(planning, perStep) }

// isExceeded reports whether planning stopped early, so that its result means nothing.
func (b *budget) isExceeded() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.planned > maxAll
}

// walk visits an expression and all its parts, as far as the budget allows. With
// nil for the conditions it visits both branches of Fn::If.
func (b *budget) walk(e expr, conditions map[string]bool, visit func(expr)) {
	if e == nil || !b.step() {
		return
	}
	visit(e)
	for _, part := range e.parts(conditions) {
		b.walk(part, conditions, visit)
	}
}

// deepCopy is a copy of a value that shares nothing with it, and roughly its bytes.
func deepCopy(v any) (_ any, size int) {
	const each = 16
	switch v := v.(type) {
	case string:
		return v, each + len(v)
	case []any:
		out, size := make([]any, len(v)), each
		for i := range v {
			item, n := deepCopy(v[i])
			out[i], size = item, size+n
		}
		return out, size
	case map[string]any:
		out, size := make(map[string]any, len(v)), each
		for key := range v {
			value, n := deepCopy(v[key])
			out[key], size = value, size+n+len(key)
		}
		return out, size
	}
	return v, each
}
