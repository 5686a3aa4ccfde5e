package local

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// providerOf returns the provider of a ServiceToken: the ARN or name of a function, of a version or an
// alias of one, or of a topic.
func (o *operation) providerOf(token string) *provider {
	if why := template.OtherRegion(token, o.record.Stack.Options.Region); why != "" {
		return &provider{arn: token, reason: why}
	}
	return o.behind(token)
}

// behind returns the provider behind a ServiceToken, or what else is the ARN of a function. A command that is given for its ARN
// takes precedence over the function of another stack, which runs as that stack has it now.
func (o *operation) behind(token string) *provider {
	s := newSearch(o.record, token)
	if !s.findOwn(token) {
		s.addExternal(token)
	}
	p := s.found
	if p.unknown {
		if other := o.elsewhere(token); other != nil {
			p = other
		}
	}
	for _, arn := range p.foreignSubscribers {
		if subscriber := o.behind(arn); len(subscriber.topics) == 0 && !subscriber.unknown { // SNS has no topic listen to another
			p.subscribe(subscriber)
		}
	}
	return p
}

// subscribe adds a function of another stack to those that listen to the topic.
func (p *provider) subscribe(f *provider) {
	p.topics[0].Subscribers = append(p.topics[0].Subscribers, f.arn)
	for _, u := range f.unbuilt {
		u.at += len(p.functions)
		p.unbuilt = append(p.unbuilt, u)
	}
	p.functions, p.runs, p.declared = append(p.functions, f.functions...), append(p.runs, f.runs...), append(p.declared, f.declared...)
	maps.Copy(p.names, f.names)
	maps.Copy(p.forbidden, f.forbidden)
	p.reason = cmp.Or(p.reason, f.reason)
}

// elsewhere returns the provider that another stack in the directory has behind an ARN, or nil.
func (o *operation) elsewhere(arn string) (found *provider) {
	if !strings.HasPrefix(arn, "arn:") {
		return nil
	}
	o.eachOther(func(r *record.Record) {
		s := newSearch(r, arn)
		if s.isOther = true; found == nil && s.findOwn(arn) {
			found = s.found
		}
	})
	return found
}

// describers returns the describers of other stacks' functions behind a plan's custom resources, by
// ServiceToken, and the programs that they run. Their stacks have built them.
func (o *operation) describers(rev *record.Revision, plan *template.Plan) (all map[string]describer, runs []record.Run) {
	all = map[string]describer{}
	for _, c := range plan.Customs {
		if _, is := all[c.Function]; is || rev.CommandOf(c.Function) != "" {
			continue
		}
		p := o.elsewhere(c.Function)
		switch {
		case p == nil || len(p.functions) != 1:
			continue
		case len(p.unbuilt) == 0 && o.record.Next == nil:
			continue // a check runs no command of an earlier deployment
		}
		f := p.functions[0]
		for _, u := range p.unbuilt {
			dir, _ := u.revision.SourceOfFunction(&u.function)
			f.Command = []string{o.home.dir.Path(path.Join(programsDir(u.stack, u.revision.Number), programName(dir)))}
		}
		all[c.Function], runs = programOfFunction(&f), append(runs, p.runs...)
	}
	return all, runs
}

// provided is the function that [record.Revision.Provided] calls.
func (o *operation) provided(arn string) bool { return o.elsewhere(arn) != nil }

// eachOther calls look with the record of each other stack that exists in the directory and can be
// read.
func (o *operation) eachOther(look func(*record.Record)) {
	names, _ := o.home.store.Stacks()
	for _, name := range names {
		if name == o.name() {
			continue
		}
		_ = o.home.cache.look(name, func(r *record.Record) {
			if !r.Stack.Deleted() {
				look(r)
			}
		})
	}
}

// tokens returns the ServiceTokens of the stack's custom resources, and of those that the next
// revision has, as far as they are known.
func (o *operation) tokens() []string {
	all := tokensOf(o.record.Stack)
	if next := o.record.Next; next != nil {
		if plan, err := next.Plan(o.record.Stack); err == nil {
			for _, c := range plan.Customs {
				all = append(all, c.Function)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func tokensOf(stack *engine.Stack) (all []string) {
	for _, s := range stack.All() {
		for _, res := range slices.Concat(s.Resources, s.Leaving) {
			if engine.IsCustomResource(res.Type) && !res.Gone {
				all = append(all, textProperty(res.Properties.Map(), "ServiceToken"))
			}
		}
	}
	return all
}

// A neighbour is another stack with a service, whose functions answer for resources of this one.
type neighbour struct {
	record   *record.Record
	revision *record.Revision
}

// run describes the neighbour's service.
func (n neighbour) run() record.Run {
	return n.revision.RunOfService(n.record.Stack.Name, mask.Text(n.revision.Service, n.record.Secrets()))
}

// neighbours returns the stacks of functions that have a service which is not started yet. There are none if the command gives a
// service, which takes their place.
func (o *operation) neighbours(functions []declared) (all []neighbour) {
	if own := o.settings.Override.Service; own != nil && *own != "" {
		return nil
	}
	stacks := map[string]bool{}
	for _, f := range functions {
		if isKnown := f.stack == o.name() || slices.Contains(o.serving, f.stack); !isKnown {
			stacks[f.stack] = true
		}
	}
	if len(stacks) == 0 {
		return nil // most requests are for the stack's own functions
	}
	o.eachOther(func(r *record.Record) {
		rev := r.Current()
		hasOne := stacks[r.Stack.Name] && rev != nil && rev.Service != ""
		if hasOne {
			all = append(all, neighbour{r, rev})
		}
	})
	return all
}

// declared returns the functions that answer for the stack's resources, as far as they are known.
func (o *operation) declared() (all []declared) {
	for _, token := range o.tokens() {
		all = append(all, o.providerOf(token).declared...)
	}
	return all
}

// unannounced returns those of runs that were not reported yet.
func (o *operation) unannounced(runs []record.Run) []record.Run {
	return slices.DeleteFunc(slices.Clone(runs), func(r record.Run) bool { return slices.Contains(o.announced, r) })
}

// announceLate reports the programs of other stacks' functions whose ARNs became known only while this
// stack ran.
func (o *operation) announceLate(runs []record.Run) error {
	late := o.unannounced(runs)
	if len(late) == 0 {
		return nil
	}
	o.announced = append(o.announced, late...)
	return o.settings.allow(late)
}

// noteDependents warns of other stacks whose custom resources this stack's functions answer: once this
// stack is deleted, these stacks cannot be deleted in the ordinary way.
func (o *operation) noteDependents() {
	var names []string
	o.eachOther(func(r *record.Record) {
		rev := r.Current()
		if rev != nil && slices.ContainsFunc(tokensOf(r.Stack), func(token string) bool {
			return rev.CommandOf(token) == "" && newSearch(o.record, token).findOwn(token)
		}) {
			names = append(names, r.Stack.Name)
		}
	})
	if len(names) > 0 {
		o.watcher.Note("warning: custom resources of " + strings.Join(names, ", ") + " send their requests to this stack: once it is deleted, all their requests fail, even their Deletes; delete " + strings.Join(names, ", ") + " first")
	}
}
