package play_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// changesExisting changes the box that holds its name, and then answers AlreadyExists.
type changesExisting struct{ chosen }

func (h changesExisting) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.chosen.Create(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeAlreadyExists {
		_ = h.d.fill(ctx, req.Properties.Room, filling{Size: 7})
	}
	return data, err
}

// Where State returns what there is itself, and no copy, it shows the change before and after.
func TestAChangeIsSeenInAStateThatChangesAsWell(t *testing.T) {
	c := depotContract(nil)
	c.New = func(testing.TB) play.Service {
		d := newDepot()
		s := d.service(func(d *depot) simulate.Function { return process(changesExisting{chosen{found{d}}}) })
		s.State = func(id string) any {
			d.mu.Lock()
			defer d.mu.Unlock()
			if b := d.boxes[id]; b != nil {
				return &b.filling
			}
			return nil
		}
		return s
	}
	if got, _ := play.RunCheck(t, c, "stranger-holds-the-name"); !strings.Contains(got, "which is somebody else's, was changed") {
		t.Errorf("stranger-holds-the-name says %q", got)
	}
}

// What a handler has from its Find is no fault of its Create's.
func TestAStrangersThingThatFindAnsweredIsBlamedOnFind(t *testing.T) {
	const check = "stranger-holds-the-name"
	for _, test := range []struct {
		handler string
		finds   bool
	}{
		{"findsByName", true}, {"findsAny", true}, {"callsCreatedForStranger", false}, {"takesOverStranger", false},
	} {
		text, _ := play.RunCheck(t, wrongNamed(test.handler).contract(), check)
		if text == "" || strings.Contains(text, "Find answered it") != test.finds || strings.Contains(text, "have Create") == test.finds {
			t.Errorf("%s: the blame is not on Find, or is and should not be: %s", test.handler, text)
		}
	}
}

func wrongNamed(name string) wrongHandler {
	for _, w := range wrongHandlers {
		if w.name == name {
			return w
		}
	}
	panic("no wrong handler is named " + name)
}
