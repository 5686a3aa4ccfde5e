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

// prepare finds the event's handler, reads the properties, and opens the handler.
// It returns why the handler must not be called, or nil.
func (x *execution) prepare() *failure {
	res, err := x.d.resource(x.ev.ResourceType)
	if x.resource = res; res != nil {
		var f *failure
		if x.props, f = x.read(x.ev.Properties); f != nil {
			return f
		}
		x.stableID = x.stableIDFor(x.props)
	}
	switch tooOld := x.ev.TooOld(x.clock.start); {
	case x.ev.Died != "":
		return x.processDied(err)
	case err != nil:
		return failed(CodeInvalidRequest, "%s", err)
	case x.ev.Err != nil:
		return failed(CodeInvalidRequest, "%s", x.ev.Err)
	case tooOld != nil && x.ev.Chain.CreatedID == "": // an earlier delivery may have done its work
		return unknown(CodeInvalidRequest, tooOld.Error())
	case x.d.opts.Continue != nil && x.timeoutTooShort() && x.ev.Type == string(lifecycle.Create):
		return failed(CodeInvalidRequest, "the function's Timeout of %s is too short: CloudFormation waits for %s, and Lambda ends a chain of more than %d invocations. Make it at least %s, or set a shorter ServiceTimeout",
			x.clock.Timeout.Round(time.Second), x.ev.ServiceTimeout, event.MaxLinks, x.ev.ServiceTimeout/event.MaxLinks+x.extraMargin())
	}
	if x.resource.isOpen() {
		return nil
	}
	f := x.run(x.clock.handler, "opening the handler", x.resource.open)
	if f != nil && x.ev.Chain.Links > 0 && time.Until(x.ev.Deadline(x.clock.start)) >= minRetryTime {
		x.result.err = fmt.Errorf("%s of %s is not done, and is to be tried again: %s", x.ev.Type, x.request, x.redact(f.Text))
	}
	if f != nil && x.clock.late() { // an earlier delivery may have done its work
		f.Unknown = true
	}
	return f
}

// processDied returns the failure of an event whose process died. It repeats the
// process's error message only if the properties could be read, so that their
// secrets are known. err says why the handler could not have been called, or is
// nil: the process may have run another version of the function.
func (x *execution) processDied(err error) *failure {
	text := x.ev.Died
	if x.resource != nil {
		if _, f := x.read(x.ev.OldProperties); f == nil {
			text = x.ev.DeathReason()
		}
	}
	if err != nil {
		text += "; " + err.Error()
	}
	return unknown(CodeInternalFailure, text)
}

// facts returns what is known of the event. refused is why the handler must not be
// called, or nil.
func (x *execution) facts(refused *failure) rules.Facts {
	f := rules.Facts{
		Type:     lifecycle.RequestType(x.ev.Type),
		ID:       x.ev.PhysicalID,
		StableID: x.stableID,
		Late:     x.clock.late(),

		Continues: x.continues,
		Chain:     rules.Chain{Links: x.ev.Chain.Links, CreatedID: x.ev.Chain.CreatedID},
		Expired:   x.ev.TooOld(x.clock.start) != nil,
	}
	// IDs that name no resource of this event.
	if f.Type == lifecycle.Delete {
		f.Chain.CreatedID = ""
	}
	if f.Type == lifecycle.Create || f.ID == physicalid.NotCreated {
		f.ID = ""
	}
	if x.result.cause = refused; refused != nil {
		f.Refused = x.outcome(refused)
		return f
	}
	// What the handler can do, and who made the ID up.
	f.Generated = x.registry == nil && physicalid.Generated(f.ID, x.ev.StackID, x.ev.LogicalID)
	f.Finds, f.Makes = x.resource.finds(), x.resource.makes()
	if x.registry != nil && f.Type != lifecycle.Create {
		f.Finds = false // the identifier is CloudFormation's
	}
	if f.Type == lifecycle.Delete {
		return f
	}
	// What is wrong with the properties, and how they differ from the old ones.
	f.Problems = x.problems()
	if f.Type == lifecycle.Update && f.ID != "" {
		var failed *failure
		if x.old, failed = x.read(x.ev.OldProperties); failed != nil {
			x.result.cause = failed
			f.Refused = x.outcome(failed)
			return f
		}
		switch {
		case !x.props.identityKnown || !x.old.identityKnown:
			f.Identity = rules.Incomparable
		case x.props.identity != x.old.identity:
			f.Identity = rules.Differs
			f.OldStableID = x.stableIDFor(x.old)
		}
	}
	return f
}

// problems returns what is wrong with the properties. Validate is called if all of
// them could be read.
func (x *execution) problems() rules.Problems {
	p := rules.Problems{
		Unknown:    problemText(x.props.Unknown),
		Unresolved: problemText(x.props.Unresolved),
		Invalid:    problemText(slices.Concat(x.props.Bad, x.props.Required)),
	}
	if v, ok := x.props.value.(Validator); ok && p.Invalid == "" {
		if f := x.run(x.clock.handler, "Validate", func(context.Context) error { return v.Validate() }); f != nil {
			f.code = cmp.Or(f.code, CodeInvalidRequest)
			p.Invalid, x.result.cause = f.Text, f
		}
	}
	if x.ev.Type == string(lifecycle.Update) && p != (rules.Problems{}) {
		x.log(slog.LevelWarn, "the properties are not as they should be", slog.String("problems", x.redact(fmt.Sprint(p))))
	}
	return p
}

func problemText(problems []*properties.Error) string {
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
func (x *execution) read(m properties.Member) (*decoded, *failure) {
	if !x.resource.runsUserCode() {
		p := x.resource.read(m)
		x.redactor.Add(p.secrets...)
		return p, nil
	}
	var p *decoded
	f := x.run(x.clock.handler, "reading the properties", func(context.Context) error {
		p = x.resource.read(m)
		return nil
	})
	if f != nil {
		return nil, f
	}
	x.redactor.Add(p.secrets...)
	return p, nil
}

func (x *execution) stableIDFor(p *decoded) string {
	if p.stableID == "" {
		p.stableID = physicalid.Stable(x.ev.StackID, x.ev.LogicalID, p.identity, x.d.opts.IDLength)
	}
	return p.stableID
}
