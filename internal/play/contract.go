package play

import (
	"cmp"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A Contract is cfntest's.
type Contract struct {
	New          func(t testing.TB) Service
	ResourceType string

	Properties, InPlace, Replacing, Refused any

	Neither  bool
	Secrets  []string
	Skip     map[string]string
	RealTime bool
	Timeout  time.Duration
}

// A Service is cfntest's.
type Service struct {
	Function func() simulate.Function
	State    func(physicalID string) any
	List     func() []string
	Occupy   func(physicalID string)
	Crowd    func()
}

func (c *Contract) timeout() time.Duration { return cmp.Or(c.Timeout, time.Minute) }
