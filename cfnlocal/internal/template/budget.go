package template

import "sync"

// Bounds of our own.
const (
	// maxOne bounds the bytes that the functions of one resource may build, so that a small
	// template cannot ask for gigabytes by joining long values many times.
	maxOne = 8 << 20
	// maxAll bounds the same over all resources and outputs of a template.
	maxAll = 64 << 20
)

// budget bounds the bytes that functions build over a whole template: each resource's and each
// output's latest evaluation counts.
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
	return b.total <= maxAll
}

// deepCopy is a deep copy of a value, and roughly its bytes.
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
