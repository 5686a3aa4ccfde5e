package play_test

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// failsSecondDelete answers a Delete that comes again, and returns an error.
type failsSecondDelete struct {
	simulate.Function
	seen *sync.Map
}

func (g failsSecondDelete) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	out, err := g.Function.Invoke(ctx, payload)
	if _, again := g.seen.LoadOrStore(string(payload), true); again && strings.Contains(string(payload), `"Delete"`) {
		return nil, io.ErrUnexpectedEOF
	}
	return out, err
}

// What no handler may do fails a check also where its answers are right.
func TestASecondDeleteThatLambdaRepeatsFails(t *testing.T) {
	c := withService(adapted(same), func(s *play.Service) {
		function, seen := s.Function, new(sync.Map)
		s.Function = func() simulate.Function { return failsSecondDelete{function(), seen} }
	})
	if got, _ := play.RunCheck(t, c, "delete-twice"); !strings.Contains(got, "for which Lambda delivers the event again") {
		t.Errorf("delete-twice says %q", got)
	}
}
