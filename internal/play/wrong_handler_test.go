package play_test

import (
	"reflect"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// A wrongHandler is a right handler with one fault.
type wrongHandler struct {
	name    string // of its type, which says what it does wrong
	process func(d *depot) simulate.Function
	adapt   func(c *play.Contract) // changes its contract; or nil
	// checks are the checks of TestHandler that fail; all others pass. The first is
	// the check for this fault.
	checks []string
	// explored is the history that Explore finds first with its default options: the shortest in
	// which the fault shows. If it is empty, the fault shows in no history, and why says why.
	explored string
	why      string
}

// wrongHandlers are all wrong handlers. Each is defined beside its row, in the file
// for the method that has the fault.
var wrongHandlers []wrongHandler

func explored(history string) wrongHandler { return wrongHandler{explored: history} }
func unexplored(why string) wrongHandler   { return wrongHandler{why: why} }

func (w wrongHandler) with(adapt func(c *play.Contract)) wrongHandler {
	w.adapt = adapt
	return w
}

// wrong adds a row: what Explore finds in a handler, and the checks that it fails.
func wrong[H cfnresource.Handler[P, D], P, D any](of func(d *depot) H, w wrongHandler, checks ...string) bool {
	return wrongFunction(reflect.TypeFor[H]().Name(), func(d *depot) simulate.Function { return process(of(d)) }, w, checks...)
}

// wrongContinuing adds a row of a function that continues.
func wrongContinuing[H cfnresource.Handler[P, D], P, D any](of func(d *depot) H, w wrongHandler, checks ...string) bool {
	function := func(d *depot) simulate.Function { return continuing(of(d)) }
	return wrongFunction(reflect.TypeFor[H]().Name(), function, w.with(withLongTimeout), checks...)
}

// wrongProps adds a row of a handler with nothing wrong but its properties.
func wrongProps[P interface{ box() boxProps }](of func(p boxProps) P, w wrongHandler, checks ...string) bool {
	function := func(d *depot) simulate.Function { return process(namedOf[P]{d}) }
	return wrongFunction(reflect.TypeFor[P]().Name(), function, w.with(propsOf(of)), checks...)
}

func wrongFunction(name string, process func(d *depot) simulate.Function, w wrongHandler, checks ...string) bool {
	w.name, w.process, w.checks = name, process, checks
	wrongHandlers = append(wrongHandlers, w)
	return true
}

// propsOf gives a contract properties of another type.
func propsOf[P any](of func(p boxProps) P) func(c *play.Contract) {
	return func(c *play.Contract) {
		for _, p := range []*any{&c.Properties, &c.InPlace, &c.Replacing, &c.Refused} {
			*p = of((*p).(boxProps))
		}
	}
}
