package play_test

import (
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
	// explored is the history that Explore finds first with its default options: the
	// shortest in which the fault shows. If it is empty, the fault shows in no
	// history, and why says why.
	explored string
	why      string
}

// wrongHandlers are all wrong handlers. Each is defined beside its row, in the file
// for the method that has the fault.
var wrongHandlers []wrongHandler

// wrong adds a row.
func wrong(w wrongHandler) bool {
	wrongHandlers = append(wrongHandlers, w)
	return true
}
