package guard_test

import (
	"context"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/guard"
)

func TestBudgetOf(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name                  string
		deadline, awaited     time.Duration // from now; 0 for no deadline
		margin                time.Duration
		timeout, hard, answer time.Duration
	}{
		{"CloudFormation's wait without a deadline", 0, time.Hour, 0, 0, time.Hour, 10 * time.Second},
		{"the function's deadline, if it is earlier", time.Minute, time.Hour, 0, time.Minute, time.Minute, 6 * time.Second},
		{"or CloudFormation's", 15 * time.Minute, time.Minute, 0, 15 * time.Minute, time.Minute, 6 * time.Second},
		{"a deadline that is past counts for nothing", -time.Minute, time.Hour, 0, 0, time.Hour, 10 * time.Second},
		{"a short function keeps most of its time", 3 * time.Second, time.Hour, 0, 3 * time.Second, 3 * time.Second, 300 * time.Millisecond},
		{"the least margin", time.Second, time.Hour, 0, time.Second, time.Second, 250 * time.Millisecond},
		{"never more than half", 100 * time.Millisecond, time.Hour, 0, 100 * time.Millisecond, 100 * time.Millisecond, 50 * time.Millisecond},
		{"the margin that is wanted", time.Minute, time.Hour, 20 * time.Second, time.Minute, time.Minute, 20 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx := t.Context()
			if tt.deadline != 0 {
				var cancel func()
				ctx, cancel = context.WithDeadline(ctx, now.Add(tt.deadline))
				defer cancel()
			}
			got, inner := guard.BudgetOf(ctx, now, now.Add(tt.awaited), tt.margin)
			want := guard.Budget{Timeout: tt.timeout, Deadline: now.Add(tt.hard), Margin: tt.answer}
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
			if _, has := inner.Deadline(); has != (tt.deadline > 0) {
				t.Errorf("the context has a deadline: %t", has)
			}
		})
	}
}
