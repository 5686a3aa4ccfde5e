package cfnresource

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/properties"
	"github.com/cfnresource/sdk-go/physicalid"
)

// create answers a Create, or the Update of a resource that was never created.
func (w *work) create(p *reading) ([]byte, *failure) {
	if f := w.accept(p); f != nil {
		return nil, f
	}
	found, f := w.find(p)
	if f != nil {
		return nil, f
	}
	if found != "" {
		return w.adopt(found, p)
	}
	return w.make(p, "")
}

// accept refuses properties that nothing can be made of. In an Update, what
// this version of the program does not know is no reason, since the rollback of
// an upgrade brings it, unless the Update is known to lead forward. Where a
// rollback is known to be one, nothing is a reason.
func (w *work) accept(p *reading) *failure {
	var errs []error
	add := func(problems []*properties.Error) {
		for _, e := range problems {
			errs = append(errs, propertyError(e))
		}
	}
	add(p.Bad)
	add(p.Required)
	odd := slices.Concat(p.Unknown, p.Unresolved)
	switch {
	case w.ev.Type == "Create":
		add(odd)
	case len(p.Unknown) > 0 && w.goesForward():
		add(p.Unknown)
	case len(odd) > 0:
		w.log(slog.LevelWarn, "properties are ignored or not as they should be", slog.String("problems", w.strike(fmt.Sprint(odd))))
	}
	var f *failure
	if errs != nil {
		f = failed(CodeInvalidRequest, "%s", errors.Join(errs...))
	} else if v := w.res.validator(p); v != nil {
		f = w.run(w.ctx, "Validate", func(context.Context) error { return v.Validate() })
	}
	if f == nil {
		return nil
	}
	if w.ev.Type == "Update" && w.inRollback() {
		w.log(slog.LevelWarn, "the properties are refused, except in a rollback", slog.String("error", w.strike(f.Text)))
		return nil
	}
	f.Text = "the properties are refused: " + f.Text
	w.refused = true
	return f
}

// make calls Create. replaces is the ID of the resource that the new one
// replaces, or "".
func (w *work) make(p *reading, replaces string) ([]byte, *failure) {
	r := w.request(p)
	var id string
	var data any
	f := w.call("Create", "", r, func(ctx context.Context, r Request) (err error) {
		id, data, err = w.res.create(ctx, r, p, replaces, &w.tracker)
		return err
	})
	w.made = w.tracker.Close(w.trackedLate)
	w.asked = r.of.asked.Load()
	if (f == nil || !f.Abandoned) && id != "" {
		if w.made != "" && w.made != id {
			w.log(slog.LevelWarn, "Create tracked one ID and returned another, which counts", slog.String("tracked", w.made), slog.String("physicalId", id))
		}
		w.made = id
	}

	if f != nil && f.code == CodeAlreadyExists && !f.Abandoned {
		if f.exists == w.stableID(p) {
			return w.adoptOwn(p)
		}
		// Another delivery of this Create may have made it since Find was asked.
		if found, _ := w.find(p); found != "" && found == f.exists && found != replaces {
			return w.adopt(found, p)
		}
		w.refused = true
		return nil, f
	}
	if w.made != "" {
		if invalid := checkID("Create", w.made); invalid != nil {
			if strings.TrimSpace(w.made) != "" && w.made != physicalid.NotCreated {
				w.undo(p) // CloudFormation could not be told what to delete
			}
			w.made, w.asked = "", true
			return nil, cmp.Or(f, invalid)
		}
	}
	if f = w.takeBack(p, f); f != nil {
		return nil, f
	}
	made, stable := w.made, w.stableID(p)
	if made == "" {
		made, w.asked = stable, true
	}
	if made == replaces {
		return nil, failed(CodeInternalFailure, "Create returned %s, the ID of the resource that it was to replace: "+
			"return another resource's ID, or answer NotUpdatable", replaces)
	}
	if made != stable && !w.res.hasFind() {
		w.log(slog.LevelWarn, "nothing leads from the properties to this physical ID: the resource is never replaced, "+
			"and leaks if an answer is lost: implement Find, or use StableID", slog.String("physicalId", made))
	}
	return w.succeed(made, data)
}

// trackedLate reports an ID that was tracked after its Create was answered.
func (w *work) trackedLate(id string) {
	w.log(slog.LevelError, "a Create made something after it had been answered for: "+
		"its context had ended, so it should have returned", slog.String("physicalId", id))
}

// adopt brings what Find found before a Create to the properties p: it is the
// earlier self of that Create, delivered twice or rolled back.
func (w *work) adopt(id string, p *reading) ([]byte, *failure) {
	w.made, w.adopted = id, true
	return w.converge(id, p, nil, ErrAdopted, false)
}

// adoptOwn adopts what bears the StableID as its name. If it cannot be updated
// because there is nothing, what bears the name is somebody else's after all.
func (w *work) adoptOwn(p *reading) ([]byte, *failure) {
	body, f := w.adopt(w.stableID(p), p)
	if f != nil && f.code == CodeNotFound {
		w.refused = true
	}
	return body, f
}
