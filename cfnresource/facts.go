package cfnresource

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/internal/properties"
	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
)

// lateAfter is the age from which an event asks whether it is awaited.
const lateAfter = time.Minute

// prepare finds the event's handler, reads its properties and opens the
// handler. It returns why the handler must not be called, or nil.
func (j *job) prepare() *failure {
	res, err := j.d.resource(j.ev.ResourceType)
	if j.res = res; res != nil {
		var f *failure
		if j.props, f = j.read(j.ev.Properties); f != nil {
			return f
		}
		j.stable = j.stableID(j.props)
	}
	switch tooOld := j.ev.TooOld(j.start); {
	case j.ev.Died != "":
		return j.death(err)
	case err != nil:
		return failed(CodeInvalidRequest, "%s", err)
	case j.ev.Err != nil:
		return failed(CodeInvalidRequest, "%s", j.ev.Err)
	case tooOld != nil && j.ev.Chain.Created == "": // an earlier delivery may have done its work
		return unknown(CodeInvalidRequest, tooOld.Error())
	case j.d.opts.Continue != nil && j.tooShort() && j.ev.Type == string(lifecycle.Create):
		return failed(CodeInvalidRequest, "the function's Timeout of %s is too short: CloudFormation waits for %s, and Lambda ends a chain of more than %d invocations. Make it at least %s, or set a shorter ServiceTimeout",
			j.timeout.Round(time.Second), j.ev.ServiceTimeout, event.MaxLinks, j.ev.ServiceTimeout/event.MaxLinks)
	}
	if j.res.isOpen() {
		return nil
	}
	f := j.run(j.ctx, "opening the handler", j.res.open)
	if f != nil && j.isLate() { // an earlier delivery may have done its work
		f.Unknown = true
	}
	return f
}

// death is the failure of an event whose process died. Its last words are
// repeated only where it is known what in them is secret. err is why the handler
// could not be called anyway, or nil: the function that died may have been
// another version.
func (j *job) death(err error) *failure {
	text := j.ev.Died
	if j.res != nil {
		if _, f := j.read(j.ev.OldProperties); f == nil {
			text = j.ev.Death()
		}
	}
	if err != nil {
		text += "; " + err.Error()
	}
	return unknown(CodeInternalFailure, text)
}

// isLate reports whether the event is so old that the stack may have gone on
// without it, or an earlier delivery done its work.
func (j *job) isLate() bool { return j.start.Sub(j.birth()) > lateAfter }

// facts are what the rules are told of the event.
func (j *job) facts(refused *failure) rules.Facts {
	f := rules.Facts{
		Type:   lifecycle.Request(j.ev.Type),
		ID:     j.ev.PhysicalID,
		Stable: j.stable,
		Late:   j.isLate(),

		Continues: j.continues,
		Chain:     rules.Chain{Links: j.ev.Chain.Links, Created: j.ev.Chain.Created, Began: rules.PhaseOf(j.ev.Chain.Began)},
		Expired:   j.ev.TooOld(j.start) != nil,
	}
	if f.Type == lifecycle.Delete {
		f.Chain.Created = ""
	}
	if f.Type == lifecycle.Create || f.ID == physicalid.NotCreated {
		f.ID = ""
	}
	if j.cause = refused; refused != nil {
		f.Refused = j.outcome(refused)
		return f
	}
	f.Generated = j.registry == nil && physicalid.Generated(f.ID, j.ev.StackID, j.ev.LogicalID)
	f.Finds, f.Makes = j.res.finds(), j.res.makes()
	if j.registry != nil && f.Type != lifecycle.Create {
		f.Finds = false // the identifier is CloudFormation's
	}
	if f.Type == lifecycle.Delete {
		return f
	}
	f.Problems = j.problems()
	if f.Type == lifecycle.Update && f.ID != "" {
		var failed *failure
		if j.old, failed = j.read(j.ev.OldProperties); failed != nil {
			j.cause = failed
			f.Refused = j.outcome(failed)
			return f
		}
		switch {
		case !j.props.identityKnown || !j.old.identityKnown:
			f.Identity = rules.Incomparable
		case j.props.identity != j.old.identity:
			f.Identity = rules.Differs
			f.OldStable = j.stableID(j.old)
		}
	}
	return f
}

// problems returns what is wrong with the properties. Validate is asked where
// all of them could be read.
func (j *job) problems() rules.Problems {
	p := rules.Problems{
		Unknown:    text(j.props.Unknown),
		Unresolved: text(j.props.Unresolved),
		Invalid:    text(slices.Concat(j.props.Bad, j.props.Required)),
	}
	if v, ok := j.props.value.(Validator); ok && p.Invalid == "" {
		if f := j.run(j.ctx, "Validate", func(context.Context) error { return v.Validate() }); f != nil {
			f.code = cmp.Or(f.code, CodeInvalidRequest)
			p.Invalid, j.cause = f.Text, f
		}
	}
	if j.ev.Type == string(lifecycle.Update) && p != (rules.Problems{}) {
		j.log(slog.LevelWarn, "the properties are not as they should be", slog.String("problems", j.strike(fmt.Sprint(p))))
	}
	return p
}

func text(problems []*properties.Error) string {
	var errs []error
	for _, e := range problems {
		errs = append(errs, propertyError(e))
	}
	if errs == nil {
		return ""
	}
	return errors.Join(errs...).Error()
}

// read reads properties, and remembers which values are secret.
func (j *job) read(m properties.Member) (*reading, *failure) {
	var p *reading
	read := func(context.Context) error {
		p = j.res.read(m)
		return nil
	}
	if !j.res.readsItself() {
		_ = read(j.ctx) // always nil
	} else if f := j.run(j.ctx, "reading the properties", read); f != nil {
		return nil, f
	}
	j.redactor.Add(p.secrets...)
	return p, nil
}

func (j *job) stableID(p *reading) string {
	if p.stableID == "" {
		p.stableID = physicalid.Stable(j.ev.StackID, j.ev.LogicalID, p.identity, j.d.opts.IDLength)
	}
	return p.stableID
}

// birth returns when CloudFormation sent the event, as far as that is known.
func (j *job) birth() time.Time {
	if j.ev.Birth.IsZero() || j.ev.Birth.After(j.start) {
		return j.start
	}
	return j.ev.Birth
}
