package local

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Listing is what a command says there is at the service that handlers manage
// things of: one physical ID a line.
type Listing struct {
	Command string
	// AcceptKept has [Listing.Unaccounted] count what was kept on purpose as what a stack has.
	AcceptKept bool

	// Once an operation has come to rest:
	IDs     []string               // all of them
	Unknown []string               // those that no stack of the directory has
	Kept    map[string]engine.Left // what stacks of the directory kept on purpose of the unknown
	Err     error                  // why the command did not say
}

// Unaccounted reports whether something exists that is not to, or whether that is not known.
func (l *Listing) Unaccounted() bool {
	return l.Err != nil || slices.ContainsFunc(l.Unknown, func(id string) bool {
		_, kept := l.Kept[id]
		return !kept || !l.AcceptKept
	})
}

const (
	listingTime = 30 * time.Second
	listingSize = 1 << 20 // bytes
)

// A ListingError is a command that cannot be run.
type ListingError struct{ Err error }

func (e *ListingError) Error() string { return e.Err.Error() }

// Unwrap is what came of it.
func (e *ListingError) Unwrap() error { return e.Err }

// What a shell ends with that did not find a command, or could not run it.
const (
	cannotRun = 126
	noCommand = 127
)

// try runs the command before anything is asked of a handler. It returns a *ListingError if the
// command cannot work, and tells of another failure: there may be nothing to be listed yet.
func (l *Listing) try(ctx context.Context, rev *record.Revision, tell func(string)) error {
	_, err := l.run(ctx, rev)
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return nil
	case ended && exit.ExitCode() != cannotRun && exit.ExitCode() != noCommand:
		tell("warning: " + err.Error() + "; it is asked again in the end")
		return nil
	}
	return &ListingError{err}
}

// run returns what the command prints.
func (l *Listing) run(ctx context.Context, rev *record.Revision) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, host.Allow(listingTime))
	defer cancel()
	dir, env := "", []string(nil)
	if rev != nil {
		dir, env = rev.Dir, pairs(rev.Env)
	}
	out, err := commandOutput(ctx, l.Command, dir, env)
	if err != nil {
		err = fmt.Errorf("the list (%s) failed: %w", l.Command, err)
	}
	return out, err
}

// ask runs the command while the service is still there.
func (l *Listing) ask(ctx context.Context, h *Home, rev *record.Revision) {
	known, kept, err := h.physicalIDs()
	if err != nil {
		l.Err = err
		return
	}
	out, err := l.run(ctx, rev)
	switch {
	case err != nil:
		l.Err = err
		return
	case len(out) > listingSize:
		l.Err = fmt.Errorf("the list (%s) has more than %d bytes: have it print the IDs alone", l.Command, listingSize)
		return
	}
	for line := range strings.Lines(string(out)) {
		if id := strings.TrimSpace(line); id != "" {
			l.IDs = append(l.IDs, id)
		}
	}
	l.Unknown = slices.DeleteFunc(slices.Clone(l.IDs), func(id string) bool { return known[id] })
	maps.DeleteFunc(kept, func(id string, _ engine.Left) bool { return !slices.Contains(l.Unknown, id) })
	l.Kept = kept
}

// physicalIDs are those that the stacks have, and those that they kept on purpose
// when they let go of them.
func (h *Home) physicalIDs() (known map[string]bool, kept map[string]engine.Left, err error) {
	all, err := h.Stacks()
	known, kept = map[string]bool{}, map[string]engine.Left{}
	for _, record := range all {
		stacks := record.Stack.All()
		for _, s := range stacks {
			for _, r := range slices.Concat(s.Resources, s.Leaving) {
				if !r.Gone && r.PhysicalID != "" && r.Status != "DELETE_COMPLETE" {
					known[r.PhysicalID] = true
				}
			}
		}
		for _, s := range stacks {
			for _, l := range s.Left {
				if l.Kept && handled(s, l.Type) {
					l.LogicalID = s.PathOf(l.LogicalID)
					kept[l.PhysicalID] = l
				}
				for _, inner := range releasedResources(s, l) {
					delete(known, inner.PhysicalID)
					if l.Kept {
						kept[inner.PhysicalID] = engine.Left{LogicalID: inner.LogicalID, PhysicalID: inner.PhysicalID, Type: inner.Type, Why: l.Why, Kept: true}
					}
				}
			}
		}
	}
	return known, kept, err
}
