package play

import (
	"bytes"
	"context"
	"sync"

	"github.com/cfnresource/sdk-go/response"
)

// A ResponseCollector is a Sender that keeps the answers.
type ResponseCollector struct {
	mu     sync.Mutex
	bodies [][]byte
}

// Send keeps the body of an answer.
func (p *ResponseCollector) Send(_ context.Context, _ response.URL, body []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bodies = append(p.bodies, bytes.Clone(body))
	return nil
}

// Take returns the bodies of all answers.
func (p *ResponseCollector) Take() [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bodies
}
