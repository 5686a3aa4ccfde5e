package play

import (
	"errors"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

func updateReplaces(s *suite) error {
	p := s.newRun()
	if err := p.mustDeploy(s.Properties); err != nil {
		return err
	}
	id := p.id()
	if status := p.deploy(s.Replacing); status != "UPDATE_COMPLETE" {
		return p.failf("the stack is in %s after the Update to Replacing, want UPDATE_COMPLETE", status)
	}
	if p.id() == id {
		return p.failf("the Update to Replacing kept the ID %s: tag the properties that make the identity createOnly, and let Find return what Properties describe, which the thing under PhysicalID with the mark of its own name is not%s", id, p.lagHint())
	}
	return p.checkNothingBeside(p.id())
}

func deleteOldLeavesNew(s *suite) error {
	p := s.newRun()
	if err := p.mustDeploy(s.Properties); err != nil {
		return err
	}
	if status := p.deploy(s.Replacing); status != "UPDATE_COMPLETE" {
		return p.failf("the stack is in %s, want UPDATE_COMPLETE", status)
	}
	return p.checkState(p.id(), s.Replacing)
}

func replaceRedelivered(s *suite) error {
	steps, err := s.stepsOf("Update", s.Properties, s.Replacing)
	if err != nil {
		return err
	}
	for _, f := range deathFaults("Update", steps) {
		p := s.newRun()
		if err := p.mustDeploy(s.Properties); err != nil {
			return err
		}
		p.inject(f)
		if status := p.deploy(s.Replacing); status != "UPDATE_COMPLETE" {
			return p.failf("the stack is in %s, want UPDATE_COMPLETE", status)
		}
		if err := p.checkState(p.id(), s.Replacing); err != nil {
			return err
		}
		if err := p.checkOnly(p.id()); err != nil {
			return err
		}
	}
	return nil
}

// replaceFailedNothingLeft allows one step at which a failed replacement leaves the
// new thing: the one where the service made it and its reply was lost. Created can be
// called before any later step.
func replaceFailedNothingLeft(s *suite) error {
	unsaid := false
	err := s.tryReplacements(func(p *run, id string, f simulate.Fault) error {
		err := p.checkNothingBeside(id)
		if err != nil && p.err == nil && f.Kind == simulate.FailAtStep && !unsaid {
			unsaid = true
			return nil
		}
		return err
	})
	if errors.As(err, new(*ruleError)) && s.createOverwrites() {
		return missing("Create puts over what is there, and so cannot call Created: a replacement that fails leaves what it has put (docs/rough_edges.md). If the service can be asked, ask first (docs/recipes.md#put-only)")
	}
	return err
}

func replaceFailedKeepsFirst(s *suite) error {
	// CloudFormation has not sent a Delete of the first thing yet.
	p := s.newRun()
	made, err := p.create(s.Properties)
	if err != nil {
		return err
	}
	if _, err := p.deliver(s.updateEvent(made.PhysicalResourceID, s.Replacing, s.Properties)); err != nil {
		return err
	}
	if err := p.checkState(made.PhysicalResourceID, s.Properties); err != nil {
		return err
	}
	return s.tryReplacements(func(p *run, id string, _ simulate.Fault) error {
		if p.status() != "UPDATE_ROLLBACK_COMPLETE" {
			return p.failf("the stack is in %s, want UPDATE_ROLLBACK_COMPLETE", p.status())
		}
		if p.id() != id {
			return p.failf("the resource is now %s, and was %s", p.id(), id)
		}
		return p.checkState(id, s.Properties)
	})
}

// tryReplacements plays replacements that fail after their work, and at each step of it.
func (s *suite) tryReplacements(judge func(p *run, id string, f simulate.Fault) error) error {
	steps, err := s.stepsOf("Update", s.Properties, s.Replacing)
	if err != nil {
		return err
	}
	faults := []simulate.Fault{{Kind: simulate.ErrorAfter}, {Kind: simulate.PanicAfter}}
	for step := range steps {
		faults = append(faults, simulate.Fault{Kind: simulate.FailAtStep, Step: step + 1})
	}
	for _, f := range faults {
		p := s.newRun()
		if err := p.mustDeploy(s.Properties); err != nil {
			return err
		}
		id := p.id()
		f.Request = "Update"
		p.inject(f)
		if p.deploy(s.Replacing) == "UPDATE_COMPLETE" {
			continue
		}
		if err := judge(p, id, f); err != nil {
			return err
		}
	}
	return nil
}

// replaceRolledBack has another resource fail after the replacement. The first thing
// still exists at the rollback's Update, which may fail too and be repeated by
// ContinueUpdateRollback.
func replaceRolledBack(s *suite) error {
	steps, err := s.stepsOf("Update", s.Properties, s.Replacing)
	if err != nil {
		return err
	}
	faults := []simulate.Fault{{}, {Kind: simulate.ErrorAfter}}
	for step := range steps {
		faults = append(faults, simulate.Fault{Kind: simulate.FailAtStep, Step: step + 1})
	}
	for _, f := range faults {
		p := s.newRun()
		if err := p.mustDeploy(s.Properties); err != nil {
			return err
		}
		id := p.id()
		if f.Kind != "" {
			f.Request, f.Skip = "Update", 1
			p.inject(f)
		}
		p.deployWithFailingNeighbour(s.Replacing)
		if p.status() == "UPDATE_ROLLBACK_FAILED" && f.Kind != "" {
			if p.service.State != nil && p.state(id) == nil {
				return p.failf("%s, the first thing, is gone", id)
			}
			p.continueRollback()
		}
		if p.status() != "UPDATE_ROLLBACK_COMPLETE" {
			return p.failf("the stack is in %s, want UPDATE_ROLLBACK_COMPLETE", p.status())
		}
		if p.id() != id {
			return p.failf("the resource is now %s, and was %s", p.id(), id)
		}
		if err := p.checkState(id, s.Properties); err != nil {
			return err
		}
		if err := p.checkOnly(id); err != nil {
			return err
		}
	}
	return nil
}
