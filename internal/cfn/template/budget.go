package template

import (
	"sync"

	"github.com/cfnresource/sdk-go/internal/cfn/template/source"
)

// Bounds of our own.
const (
	// maxBuilt bounds the bytes that the functions of one resource may build, so that a small template cannot ask for
	// gigabytes by joining long values many times.
	maxBuilt = 8 << 20
	// maxBuiltAll bounds the same over all resources and outputs of a template.
	maxBuiltAll = 64 << 20
)

// A budget bounds the bytes that functions build over a whole template: each resource's and each output's latest evaluation
// counts.
type budget struct {
	mu    sync.Mutex
	by    map[string]int
	total int
}

// begin forgets what an earlier evaluation for the same owner built.
func (b *budget) begin(owner string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.total -= b.by[owner]
	delete(b.by, owner)
}

// take counts bytes for an owner, and says whether there is room for them.
func (b *budget) take(owner string, bytes int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.by == nil {
		b.by = map[string]int{}
	}
	b.by[owner] += bytes
	b.total += bytes
	return b.total <= maxBuiltAll
}

// copy keeps a value that the engine is given apart from ours, and accounts for it.
func (ev *evaluation) copy(v any, at *source.Node) (any, error) {
	copied, size := copyOf(v)
	return copied, ev.spend(size, at)
}

// copyOf is a deep copy of a value, and roughly its bytes.
func copyOf(v any) (_ any, size int) {
	const each = 16
	switch v := v.(type) {
	case string:
		return v, each + len(v)
	case []any:
		out, size := make([]any, len(v)), each
		for i := range v {
			item, n := copyOf(v[i])
			out[i], size = item, size+n
		}
		return out, size
	case map[string]any:
		out, size := make(map[string]any, len(v)), each
		for key := range v {
			value, n := copyOf(v[key])
			out[key], size = value, size+n+len(key)
		}
		return out, size
	}
	return v, each
}
