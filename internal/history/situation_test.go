package history

import "testing"

// What follows a history that met a limit is not played, and what follows others is
// played once for each situation.
func TestASituationIsGoneOnFromOnce(t *testing.T) {
	box := func(state any) Situation {
		return Situation{Status: "CREATE_COMPLETE", Version: Original, Sent: map[string]any{"Size": "1"}, Named: true, State: state}
	}
	full, left, tried := box([]string{"a"}), box(nil), box(nil)
	left.Others, tried.Gone = []any{"x"}, 1
	all := []*Played{
		{Situation: box(nil)}, {Situation: full}, {Situation: box(nil), Limit: Limits(false)[0]}, {Situation: box([]string{"a"})},
		{Situation: left}, {Situation: tried}, {Situation: box(nil)},
	}
	var s Situations
	first, again := s.Split(all[:3])
	if len(first) != 2 || len(again) != 0 {
		t.Errorf("of the first three, %d lead to something new and %d do not", len(first), len(again))
	}
	first, again = s.Split(all[3:])
	if len(first) != 2 || first[0] != all[4] || first[1] != all[5] || len(again) != 2 || again[0] != all[3] || again[1] != all[6] {
		t.Errorf("of the others, %d lead to something new and %d do not", len(first), len(again))
	}
}
