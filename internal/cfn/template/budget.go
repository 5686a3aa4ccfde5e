package template

import (
	"sync"

	"github.com/cfnresource/sdk-go/internal/cfn/template/source"
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

// size is roughly the bytes of a value.
func size(v any) int {
	switch v := v.(type) {
	case string:
		return len(v) + 16
	case []any:
		n := 16
		for _, item := range v {
			n += size(item)
		}
		return n
	case map[string]any:
		n := 16
		for key, value := range v {
			n += len(key) + size(value)
		}
		return n
	}
	return 16
}

// copy keeps a value that the engine is given apart from ours, and accounts for it.
func (ev *evaluation) copy(v any, at *source.Node) (any, error) {
	if err := ev.spend(size(v), at); err != nil {
		return nil, err
	}
	return copied(v), nil
}
