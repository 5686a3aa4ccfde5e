package record

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// One line says what runs a thing now and what a rollback goes back to. Functions and variables go
// back, and a type does not.
func TestTogether(t *testing.T) {
	built := func(name string, of int) Run {
		return Run{What: theFunction(name), Source: "/code", Built: of > 0, Kept: of > 0, Of: of, Since: of}
	}
	run := func(what, command string, of int) Run {
		return Run{What: what, Command: command, Kept: of > 0, Of: of, Since: of}
	}
	const fn, typ = "the function Fn", "the type A::B::C"
	for name, tt := range map[string]struct {
		now, kept []Run
		want      []string
	}{
		"the first": {[]Run{run(fn, "x", 0)}, nil, []string{"runs the function Fn: x"}},
		"the same":  {[]Run{run(fn, "x", 0)}, []Run{run(fn, "x", 2)}, []string{"runs the function Fn, since deployment 2: x"}},
		"another": {[]Run{run(fn, "x", 0)}, []Run{run(fn, "y", 2), run(fn, "z", 1)},
			[]string{"runs the function Fn: x; a rollback goes back to that of deployment 2: y, or that of deployment 1: z"}},
		"another type": {[]Run{run(typ, "x", 0)}, []Run{run(typ, "y", 2)}, []string{"runs the type A::B::C: x"}},
		"no more":      {nil, []Run{run(fn, "x", 2)}, []string{"a rollback goes back to the function Fn of deployment 2: x"}},
		"a type no more": {nil, []Run{run(typ, "x", 2)},
			[]string{"runs, as the stack's state says and not this command, the type A::B::C, since deployment 2: x"}},
		"one directory": {[]Run{built("Fn", 0), built("Gn", 0)}, []Run{built("Fn", 1), built("Gn", 1)},
			[]string{"runs the function Fn and Gn, built from /code; a rollback goes back to the build of deployment 1"}},
		"one of two": {[]Run{built("Fn", 0), run("the function Gn", "x", 0)}, []Run{built("Gn", 1)},
			[]string{"runs the function Fn, built from /code", "runs the function Gn: x; a rollback goes back to that of deployment 1, built from /code"}},
	} {
		var got []string
		for _, r := range Together(tt.now, tt.kept, true) {
			got = append(got, r.String())
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for want, kept := range map[string][]Run{
		"since deployment 2: x; a rollback goes back to that of deployment 1: y": {run(fn, "x", 2), run(fn, "y", 1)},
		"since deployment 1: y; the rollback replaces that of deployment 2: x":   {run(fn, "y", 1), run(fn, "x", 2)},
	} {
		stuck := Together(nil, kept, false)
		want = "runs, as the stack's state says and not this command, the function Fn, " + want
		if len(stuck) != 1 || stuck[0].String() != want {
			t.Errorf("%v, want %q", stuck, want)
		}
	}
}
