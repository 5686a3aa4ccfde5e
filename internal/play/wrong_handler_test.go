package play_test

import "github.com/cfnresource/sdk-go/internal/play"

// A wrongHandler is a right one but for one fault.
type wrongHandler struct {
	name    string // of the type that has it
	process func(d *depot) play.Function
	adapt   func(c *play.Contract) // what its contract has of its own
	// checks are the checks of TestHandler that fail, and no others do. The
	// first is the one that is named for the fault.
	checks []string
	// explored is the history that Explore finds first, with its default options
	// and without being told where to look: the shortest in which the fault
	// shows. If it is empty, the fault does not show in the life of a stack, and
	// why says why.
	explored string
	why      string
}

// wrongHandlers are all of them. Each stands with its row, in the file of the
// method that has the fault.
var wrongHandlers []wrongHandler

// wrong adds a row.
func wrong(w wrongHandler) bool {
	wrongHandlers = append(wrongHandlers, w)
	return true
}
