package local

import (
	"errors"
	"slices"
)

// An unwinding is what has to be undone of what was started, in reverse.
type unwinding []func() error

// add adds what undoes the latest step.
func (u *unwinding) add(undo func() error) { *u = append(*u, undo) }

// run undoes all steps, the latest first.
func (u *unwinding) run() error {
	var errs []error
	for _, undo := range slices.Backward(*u) {
		errs = append(errs, undo())
	}
	*u = nil
	return errors.Join(errs...)
}
