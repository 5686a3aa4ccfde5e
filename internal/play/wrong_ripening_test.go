package play_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Stalls open by themselves, a while after they are made. Some of the handlers here answer before that.

// opening is how long a stall takes to open.
const opening = 30 * time.Second

func (s *stall) isOpen() bool { return time.Since(s.opened) >= opening }

// openingStalls is a Contract of such stalls. The handler ends its Creates and Updates with a wait.
func openingStalls(wait func(ctx context.Context, m *market, id string) error) play.Contract {
	function := func(m *market) simulate.Function {
		h := namedStall(m)
		create, update := h.create, h.update
		h.create = func(ctx context.Context, req *stallCreate) (data stallData, err error) {
			if data, err = create(ctx, req); err == nil {
				err = wait(ctx, m, req.StableID())
			}
			return data, err
		}
		h.update = func(ctx context.Context, req *stallUpdate) (data stallData, err error) {
			if data, err = update(ctx, req); err == nil {
				err = wait(ctx, m, req.PhysicalID)
			}
			return data, err
		}
		return process(h)
	}
	c := stallContract(true, function)
	c.New = func(testing.TB) play.Service {
		m := &market{stalls: map[string]*stall{}, lamps: map[string]string{}, tokens: map[string]string{}}
		s := m.service(function)
		state := s.State
		s.State = func(id string) any {
			shown, is := state(id).(map[string]any)
			if !is {
				return nil
			}
			m.mu.Lock()
			defer m.mu.Unlock()
			shown["Open"] = m.stalls[id].isOpen()
			return shown
		}
		return s
	}
	return c
}

// waitFor waits until all stalls that fit are open.
func waitFor(ctx context.Context, m *market, fits func(id string) bool) error {
	return cfnresource.Poll(ctx, 5*time.Second, func(ctx context.Context) (bool, error) {
		shut, err := m.find(ctx, func(id string, s *stall) bool { return fits(id) && !s.isOpen() })
		return shut == "", err
	})
}

// waitsForItself is right.
func waitsForItself(ctx context.Context, m *market, id string) error {
	return waitFor(ctx, m, func(other string) bool { return other == id })
}

// waitsForTheFirst takes the first stall of the market for its own.
func waitsForTheFirst(ctx context.Context, m *market, _ string) error {
	first := ""
	return waitFor(ctx, m, func(id string) bool {
		if first == "" {
			first = id
		}
		return id == first
	})
}

// waitsInVain gives up, and succeeds all the same.
func waitsInVain(ctx context.Context, m *market, id string) error {
	ctx, cancel := context.WithTimeout(ctx, opening*2/3)
	defer cancel()
	_ = waitsForItself(ctx, m, id)
	return nil
}

// shutsTheOthers has the other stalls open anew.
func shutsTheOthers(ctx context.Context, m *market, id string) error {
	if err := waitsForItself(ctx, m, id); err != nil {
		return err
	}
	return m.do(ctx, func() error {
		for other, s := range m.stalls {
			if other != id {
				s.opened = time.Now()
			}
		}
		return nil
	})
}

// What was answered too early goes on by itself: of a thing that has become what its owner's template says, nobody is told to
// have changed it. One that was that already has been changed.
func TestWhatRipensByItselfIsTouchedByNobody(t *testing.T) {
	for _, test := range []struct {
		handler string
		waits   func(ctx context.Context, m *market, id string) error
		line    string
		says    string // or "" if the history does no harm
		helps   string
	}{
		{"waits for itself", waitsForItself, "crowd v0!lose-answer@1", "", ""},
		{"waits for itself", waitsForItself, "namesakes v0", "", ""},
		{"waits for itself", waitsForItself, "v0 +v0 v2", "", ""},
		{"waits for the first", waitsForTheFirst, "crowd v0!lose-answer@1", "", ""},
		{"waits for the first", waitsForTheFirst, "v0 +v0", "another resource's, becomes what a Create of v0 makes only after the answer", "Wait with Poll until the service is done, before you answer, and take no error of a service that is busy for success"},
		{"waits in vain", waitsInVain, "v0 v2/sibling-fails", "the service has not finished when the request is answered", "Wait with Poll"},
		{"shuts the others", shutsTheOthers, "namesakes v0", "which is another stack's, was changed", "Create did it"},
	} {
		text, _ := play.Replayed(t, openingStalls(test.waits), test.line)
		isTold := strings.Contains(text, test.says) && strings.Contains(text, test.helps)
		if isHarm := test.says != ""; isHarm != (text != "") || !isTold {
			t.Errorf("%s, by %q: it does not say %q, nor %q:\n%s", test.handler, test.line, test.says, test.helps, text)
		}
	}
}

// What differs between resources only while the service works is not the fault of State.
func TestWhatIsNotYetTheSameForAllIsAnEarlyAnswer(t *testing.T) {
	text, _ := play.RunCheck(t, openingStalls(waitsForTheFirst), "state-shows-properties")
	for _, says := range []string{"Open is not the same for all resources of the same properties when they are answered, but an hour later", "Wait with Poll"} {
		if !strings.Contains(text, says) {
			t.Errorf("it does not say %q:\n%s", says, text)
		}
	}
	if text, _ = play.RunCheck(t, openingStalls(waitsForItself), "state-shows-properties"); text != "" {
		t.Errorf("of a handler that waits: %s", text)
	}
}
