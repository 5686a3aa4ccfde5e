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

const (
	listingTime = 30 * time.Second
	listingSize = 1 << 20 // bytes
)

// The exit codes of a shell that could not run a command, or did not find it.
const (
	cannotRun = 126
	noCommand = 127
)

// A Listing has the physical IDs of a service's resources, which a command prints, one a line.
type Listing struct {
	Command string
	// AcceptKept has [Listing.Unaccounted] accept resources that were kept on purpose.
	AcceptKept bool

	// Once an operation has come to rest:
	IDs     []string               // all of them
	Unknown []string               // those that no stack in the directory has
	Kept    map[string]engine.Left // the unknown ones that stacks in the directory kept on purpose
	Err     error                  // why the command failed
}

// Unaccounted reports whether a resource exists, or may exist, that no stack accounts for.
func (l *Listing) Unaccounted() bool {
	return l.Err != nil || slices.ContainsFunc(l.Unknown, func(id string) bool {
		_, kept := l.Kept[id]
		isAccepted := kept && l.AcceptKept
		return !isAccepted
	})
}

// A ListingError reports a command that cannot be run.
type ListingError struct{ Err error }

func (e *ListingError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the command.
func (e *ListingError) Unwrap() error { return e.Err }

// try runs the command before any handler is called. It returns a *ListingError if the command
// cannot be run, and only warns of another failure: there may be nothing to list yet.
func (l *Listing) try(ctx context.Context, rev *record.Revision, tell func(string)) error {
	_, err := l.run(ctx, rev)
	exit, ended := errors.AsType[*exec.ExitError](err)
	hasRun := ended && !slices.Contains([]int{cannotRun, noCommand}, exit.ExitCode())
	switch {
	case err == nil:
		return nil
	case hasRun:
		tell("warning: " + err.Error() + "; the command runs again at the end")
		return nil
	}
	return &ListingError{err}
}

// run returns what the command prints.
func (l *Listing) run(ctx context.Context, rev *record.Revision) ([]byte, error) {
	patience := host.Allow(listingTime)
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("it had %s, and did not end", patience.Round(time.Second)))
	defer cancel()
	dir, env := "", []string(nil)
	if rev != nil {
		dir, env = rev.Dir, pairs(rev.Env)
	}
	out, err := commandOutput(ctx, l.Command, dir, env)
	if err != nil {
		err = fmt.Errorf("--list (%s) failed: %w", l.Command, err)
	}
	return out, err
}

// ask runs the command while the service still runs.
func (l *Listing) ask(ctx context.Context, h *Home, rev *record.Revision) {
	owned, kept, err := h.physicalIDs()
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
		l.Err = fmt.Errorf("the list (%s) has more than %d bytes: have the command print only IDs", l.Command, listingSize)
		return
	}
	// Lines without text mean nothing. What no stack has is unknown, unless a stack has kept it on purpose.
	for line := range strings.Lines(string(out)) {
		if id := strings.TrimSpace(line); id != "" {
			l.IDs = append(l.IDs, id)
		}
	}
	l.Unknown = slices.DeleteFunc(slices.Clone(l.IDs), func(id string) bool { return owned[id] })
	maps.DeleteFunc(kept, func(id string, _ engine.Left) bool { return !slices.Contains(l.Unknown, id) })
	l.Kept = kept
}

// settle notes that nothing is left of what the requests so far may have made, nor of what the stack has released, besides what
// stacks have and what was kept.
func (o *operation) settle(kept map[string]engine.Left) error {
	for _, q := range o.record.Stack.Sent() {
		q.Settled = q.RequestType != "Delete" && (len(unreadAnswers(q)) > 0 || unknownWork(q, true) != "")
	}
	isKept := func(id string) bool { _, is := kept[id]; return is }
	for _, s := range o.record.Stack.All() {
		for i, l := range s.Left {
			isThere := isKept(l.PhysicalID)
			for _, inner := range releasedResources(s, l) {
				isThere = isThere || isKept(inner.PhysicalID)
			}
			s.Left[i].Settled = !isThere
		}
	}
	return o.lock.Save(o.record)
}

// physicalIDs returns the IDs that the stacks have, and those that they released but kept on purpose.
func (h *Home) physicalIDs() (owned map[string]bool, kept map[string]engine.Left, err error) {
	all, err := h.Stacks()
	owned, kept = map[string]bool{}, map[string]engine.Left{}
	for _, record := range all {
		// First what all stacks of a record have: a released nested stack takes its resources out of that again.
		stacks := record.Stack.All()
		for _, s := range stacks {
			for _, r := range slices.Concat(s.Resources, s.Leaving) {
				if exists(r) && r.Status != "DELETE_COMPLETE" {
					owned[r.PhysicalID] = true
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
					delete(owned, inner.PhysicalID)
					if l.Kept {
						kept[inner.PhysicalID] = engine.Left{LogicalID: inner.LogicalID, PhysicalID: inner.PhysicalID, Type: inner.Type, Why: l.Why, Kept: true}
					}
				}
			}
		}
	}
	return owned, kept, err
}
