package play

import (
	"context"
	"testing"
	"time"
)

// A Function is a process of a function.
type Function interface {
	Invoke(ctx context.Context, payload []byte) ([]byte, error)
}

// A Contract is cfntest's.
type Contract struct {
	New          func(t testing.TB) Service
	ResourceType string

	Properties, InPlace, Replacing, Refused any

	Secrets  []string
	Skip     map[string]string
	RealTime bool
	Timeout  time.Duration
}

// A Service is cfntest's.
type Service struct {
	Function func() Function
	State    func(physicalID string) any
	List     func() []string
	Occupy   func(physicalID string)
}
