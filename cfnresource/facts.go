package cfnresource

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/event"
	"github.com/cfnresource/sdk-go/internal/properties"
	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
)

// prepare finds the event's handler, reads the properties, and opens the handler.
// It returns why the handler must not be called, or nil.
func (e *execution) prepare() *failure {
	// Its type and properties.
	res, err := e.d.resource(e.ev.ResourceType)
	if e.resource = res; res != nil {
		var f *failure
		if e.props, f = e.read(e.ev.Properties); f != nil {
			return f
		}
		e.stableID = e.stableIDFor(e.props)
	}

	// Whether the event can be handled at all.
	switch tooOld := e.ev.TooOld(e.clock.start); {
	case e.ev.Died != "":
		return e.processDied(err)
	case err != nil:
		return failed(CodeInvalidRequest, "%s", err)
	case e.ev.Err != nil:
		return failed(CodeInvalidRequest, "%s", e.ev.Err)
	case tooOld != nil && e.ev.Chain.CreatedID == "": // an earlier delivery may have done its work
		return unknown(CodeInvalidRequest, tooOld.Error())
	case e.d.opts.Continue != nil && e.timeoutTooShort() && e.ev.Type == string(lifecycle.Create):
		return failed(CodeInvalidRequest, "the function's Timeout of %s is too short: CloudFormation waits for %s, and Lambda ends a chain of more than %d invocations. Make it at least %s, or set a shorter ServiceTimeout",
			e.clock.Timeout.Round(time.Second), e.ev.ServiceTimeout, event.MaxLinks, e.ev.ServiceTimeout/event.MaxLinks+e.extraMargin())
	}

	// The handler, which is opened at its first event.
	if e.resource.isOpen() {
		return nil
	}
	f := e.run(e.clock.handler, "opening the handler", e.resource.open)
	if f != nil && e.ev.Chain.Links > 0 && time.Until(e.ev.Deadline(e.clock.start)) >= minRetryTime {
		e.result.err = fmt.Errorf("%s of %s is not done, and Lambda is to try it again: %s", e.ev.Type, e.request, e.redact(f.Text))
	}
	if f != nil && e.clock.late() { // an earlier delivery may have done its work
		f.Unknown = true
	}
	return f
}

// processDied returns the failure of an event whose process died. It repeats the
// process's error message only if the properties could be read, so that their
// secrets are known. err says why the handler could not have been called, or is
// nil: the process may have run another version of the function.
func (e *execution) processDied(err error) *failure {
	text := e.ev.Died
	if e.resource != nil {
		if _, f := e.read(e.ev.OldProperties); f == nil {
			e.redactor.Add(e.ev.Signature()) // which an error of net/http holds
			text = e.ev.DeathReason()
		}
	}
	if err != nil {
		text += "; " + err.Error()
	}
	return unknown(CodeInternalFailure, text)
}

// facts returns what is known of the event. refused is why the handler must not be called, or nil.
func (e *execution) facts(refused *failure) rules.Facts {
	f := rules.Facts{
		Type:     lifecycle.RequestType(e.ev.Type),
		ID:       e.ev.PhysicalID,
		StableID: e.stableID,
		Late:     e.clock.late(),

		Continues: e.continues,
		Chain:     rules.Chain{Links: e.ev.Chain.Links, CreatedID: e.ev.Chain.CreatedID},
		Expired:   e.ev.TooOld(e.clock.start) != nil,
	}
	// IDs that name no resource of this event.
	if f.Type == lifecycle.Delete {
		f.Chain.CreatedID = ""
	}
	if f.Type == lifecycle.Create || f.ID == physicalid.NotCreated {
		f.ID = ""
	}
	if e.result.failure = refused; refused != nil {
		f.Refused = e.outcome(refused)
		return f
	}
	// What the handler can do, and who made the ID up.
	f.Generated = e.registry == nil && physicalid.Generated(f.ID, e.ev.StackID, e.ev.LogicalID)
	f.Finds, f.Makes = e.resource.finds(), e.resource.makes()
	if e.registry != nil && f.Type != lifecycle.Create {
		f.Finds = false // the identifier is CloudFormation's
	}
	if f.Type == lifecycle.Delete {
		return f
	}
	// What is wrong with the properties, and how they differ from the old ones.
	f.Problems = e.problems()
	if c := e.result.failure; f.ID == "" && c != nil && c.Unknown { // an earlier delivery may have done its work
		f.Refused = e.outcome(c)
		return f
	}
	if f.Type == lifecycle.Update && f.ID != "" {
		var failed *failure
		if e.old, failed = e.read(e.ev.OldProperties); failed != nil {
			e.result.failure = failed
			f.Refused = e.outcome(failed)
			return f
		}
		bothKnown := e.props.identityKnown && e.old.identityKnown
		switch {
		case !bothKnown:
			f.Identity = rules.Incomparable
		case e.props.identity != e.old.identity:
			f.Identity = rules.Differs
			f.OldStableID = e.stableIDFor(e.old)
		}
	}
	return f
}

// problems returns what is wrong with the properties. Validate is called if all of
// them could be read.
func (e *execution) problems() rules.Problems {
	p := rules.Problems{
		Unknown:    problemText(e.props.Unknown),
		Unresolved: problemText(e.props.Unresolved),
		Invalid:    problemText(slices.Concat(e.props.Bad, e.props.Required)),
	}
	if v, ok := e.props.value.(Validator); ok && p.Invalid == "" {
		if f := e.run(e.clock.handler, "Validate", func(context.Context) error { return v.Validate() }); f != nil {
			f.code = cmp.Or(f.code, CodeInvalidRequest)
			p.Invalid, e.result.failure = f.Text, f
		}
	}
	if e.ev.Type == string(lifecycle.Update) && p != (rules.Problems{}) {
		e.log(slog.LevelWarn, "the properties are not as they should be", slog.String("problems", e.redact(fmt.Sprint(p))))
	}
	return p
}

func problemText(problems []*properties.Error) string {
	texts := make([]string, len(problems))
	for i, e := range problems {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "\n")
}

// read reads properties, and remembers which values are secret.
func (e *execution) read(m properties.Member) (*decoded, *failure) {
	if !e.resource.runsUserCode() {
		p := e.resource.read(m)
		e.redactor.Add(p.secrets...)
		return p, nil
	}
	var p *decoded
	f := e.run(e.clock.handler, "reading the properties", func(context.Context) error {
		p = e.resource.read(m)
		return nil
	})
	if f != nil {
		return nil, f
	}
	e.redactor.Add(p.secrets...)
	return p, nil
}

func (e *execution) stableIDFor(p *decoded) string {
	if p.stableID == "" {
		p.stableID = physicalid.Stable(e.ev.StackID, e.ev.LogicalID, p.identity, e.d.opts.IDLength)
	}
	return p.stableID
}
