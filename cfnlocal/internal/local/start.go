package local

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// start prepares an operation: it reports what will run, builds the functions' programs, checks the
// deployment, opens the logs, starts the service, and listens to other processes. Even if it fails,
// started undoes it.
func (o *operation) start(ctx context.Context, started *unwinding) error {
	for _, step := range []func(context.Context, *unwinding) error{o.announce, o.buildRevisions, o.checkNext, o.openLogs, o.startServices, o.listen} {
		if err := step(ctx, started); err != nil {
			return err
		}
	}
	return nil
}

// buildRevisions builds the programs of the next revision, and those that run now, and reads the types of the next one. What
// the stack has only left, or may only go back to, is built when it is called: its code may be gone.
func (o *operation) buildRevisions(ctx context.Context, _ *unwinding) error {
	o.record.Programs = map[int]map[string]string{}
	for number, rev := range o.record.Revisions {
		plan, err := rev.Plan(o.record.Stack)
		if err != nil {
			return err
		}
		functions := slices.DeleteFunc(rev.Functions(plan), func(f template.Function) bool { return !o.record.Runs(rev, f.LogicalID) })
		types := slices.DeleteFunc(slices.Sorted(maps.Keys(rev.Types)), func(name string) bool { return o.record.KeptRevisionOfType(name) != rev })
		o.record.Programs[number], err = buildPrograms(ctx, o.home.dir, programsDir(o.name(), number), rev, functions, types)
		if failed, is := errors.AsType[*BuildError](err); is {
			failed.Kept = true
		}
		if err != nil {
			return err
		}
	}
	next := o.record.Next
	if next == nil {
		return nil
	}
	plan, err := next.Plan(o.record.Stack)
	if err != nil {
		return err
	}
	o.record.Programs[next.Number], err = buildPrograms(ctx, o.home.dir, programsDir(o.name(), next.Number), next, next.Functions(plan), slices.Sorted(maps.Keys(next.Types)))
	if err != nil {
		return err
	}
	next.SetCode(codeHashes(next, next.Functions(plan), o.record.Programs[next.Number], o.record.Stack.Options.Seed), o.record.Current())
	return describeTypes(ctx, next, o.record.Programs[next.Number], o.watcher.tell)
}

// checkNext asks the functions of the next revision whether they would refuse it.
func (o *operation) checkNext(ctx context.Context, _ *unwinding) error {
	next := o.record.Next
	if next == nil || !o.change.Check {
		return nil
	}
	plan, err := next.Plan(o.record.Stack)
	if err != nil {
		return err
	}
	others, _ := o.describers(next, plan) // announce has reported their programs
	checked, err := compareWithSchemas(ctx, o.record, next, plan, programsToAsk(next, plan, o.record.Programs[next.Number], others), o.watcher.tell)
	if err != nil {
		_ = o.home.removeOldBuilds(o.record) // they only take room
		return err
	}
	if o.reviewer != nil {
		o.reviewer.Checked(checked)
	}
	return nil
}

func (o *operation) openLogs(_ context.Context, started *unwinding) error {
	log, err := o.home.dir.OpenFile(o.name()+logExt, os.O_CREATE|os.O_APPEND|os.O_WRONLY)
	if err != nil {
		return err
	}
	started.add(func() error { _ = log.Close(); return nil }) // a lost line must not fail the operation
	trace, err := o.home.openTrace(o.name(), o.record.Stack.ID, o.record.Stack.Status == "")
	if err != nil {
		return err
	}
	started.add(func() error { _ = trace.file.Close(); return nil })
	o.watcher.log, o.watcher.trace = log, trace
	return nil
}

// startServices starts the service of the stack, and those of the stacks whose functions answer for its resources. A --run of
// the command takes the place of the latter, and so does a service that runs already.
func (o *operation) startServices(ctx context.Context, started *unwinding) error {
	if rev := cmp.Or(o.record.Next, o.record.Current()); rev != nil {
		if err := o.startService(ctx, started, o.serviceOf(o.record, rev)); err != nil {
			return err
		}
	}
	return o.startNeighbours(ctx, started, o.neighbours(o.declared()))
}

func (o *operation) startNeighbours(ctx context.Context, started *unwinding, all []neighbour) error {
	for _, n := range all {
		o.serving = append(o.serving, n.record.Stack.Name)
		c := o.serviceOf(n.record, n.revision)
		if ready := readiness(c); ready != "" && ready.answersNow(ctx) {
			continue
		}
		if err := o.startService(ctx, started, c); err != nil {
			return err
		}
	}
	return nil
}

func (o *operation) startService(ctx context.Context, started *unwinding, c ServiceConfig) error {
	if c.Command == "" {
		return nil
	}
	service, err := StartService(ctx, c)
	if err != nil {
		return err
	}
	o.services = append(o.services, service)
	started.add(func() error { service.Stop(); return nil })
	return nil
}

// serviceOf returns how to start the service of a stack's revision. It has no command if there is none.
func (o *operation) serviceOf(r *record.Record, rev *record.Revision) ServiceConfig {
	return ServiceConfig{
		Command: rev.Service, Dir: rev.Dir, Env: pairs(rev.Env), Ready: rev.Ready, Functions: functionVariables(r.Stack, rev),
		Log:  func(line string) { o.watcher.Log("service", "", line) },
		Note: o.watcher.Note,
	}
}

// watchService reports the end of a service during the operation. It does not report a service that
// ended before, since that may have left a program in the background.
func (o *operation) watchService(service *Service, ended *unwinding) {
	select {
	case <-service.Exited():
		return
	default:
	}
	over := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-service.Exited():
			o.watcher.Note("the service (" + service.Command + ") has ended: " + service.Why())
			_ = o.live.Do(func(*engine.Machine, time.Time) error { o.record.ServiceEnded = true; return nil }) // what is not saved has its own error
		case <-over:
		}
	})
	ended.add(func() error { close(over); watch.Wait(); return nil })
}

func (o *operation) listen(ctx context.Context, started *unwinding) error {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	var listener sync.WaitGroup
	listener.Go(func() { o.home.receiveInstructions(ctx, o.name(), o.instructions) })
	started.add(func() error { stop(); listener.Wait(); return nil })
	return nil
}

func functionVariables(of *engine.Stack, rev *record.Revision) (all []string) {
	plan, err := rev.Plan(of)
	if err != nil {
		return nil // it was planned without an error before
	}
	for _, f := range plan.Functions {
		all = append(all, slices.Sorted(slices.Values(pairs(f.Known)))...)
	}
	return all
}

func pairs(env map[string]string) []string {
	all := make([]string, 0, len(env))
	for name, value := range env {
		all = append(all, name+"="+value)
	}
	return all
}

// buildMissing builds the programs of a provider's functions that are not built yet. It reports the programs of other stacks'
// functions that were not known before the start, and the services of these stacks, and starts the latter.
func (o *operation) buildMissing(ctx context.Context, p *provider) {
	o.building.Lock()
	defer o.building.Unlock()
	late, runs := o.neighbours(p.declared), slices.Clone(p.runs)
	for _, n := range late {
		runs = append(runs, n.run())
	}
	err := o.announceLate(runs)
	if err == nil {
		err = o.startNeighbours(ctx, &o.late, late)
	}
	if err != nil {
		p.reason = err.Error()
		return
	}
	for _, u := range p.unbuilt {
		f := &p.functions[u.at]
		name := p.names[nameInARN(f.ARN)]
		programs, err := buildPrograms(ctx, o.home.dir, programsDir(u.stack, u.revision.Number), u.revision, []template.Function{u.function}, nil)
		switch program := programs[u.function.LogicalID]; {
		case err != nil:
			p.reason = "The program of the function " + name + " cannot be built: " + lastLine(err.Error())
			return
		case program == "":
			p.reason = noProgram(name)
			return
		default:
			f.Command = []string{program}
		}
	}
}

// announce reports what is about to run, each program once: those of the command and the state, those of
// other stacks, and the list.
func (o *operation) announce(context.Context, *unwinding) error {
	if o.settings.Guard == nil {
		return nil
	}
	var all []record.Run
	rev := o.record.Current()
	if o.record.Next != nil {
		rev = o.record.Next
		plan, err := rev.Plan(o.record.Stack)
		if err != nil {
			return err
		}
		all = rev.Runs(rev.Functions(plan))
	}
	all = record.Together(all, o.keptPrograms(), o.record.Next != nil)
	for _, token := range o.tokens() {
		if o.record.Next != nil && o.record.Next.CommandOf(token) != "" {
			continue // a command takes precedence
		}
		o.announced = append(o.announced, o.unannounced(o.providerOf(token).runs)...)
	}
	all = append(all, o.announced...)
	for _, n := range o.neighbours(o.declared()) {
		all = append(all, n.run())
	}
	if list := o.settings.List; list != nil {
		all = append(all, rev.List(list.Command))
	}
	return o.settings.allow(all)
}

// keptPrograms returns the programs of the revisions that the stack can move to, or back to. The current
// revision comes first.
func (o *operation) keptPrograms() (all []record.Run) {
	secrets := o.record.Secrets()
	for _, stack := range o.record.Stack.All() {
		revisions := o.record.RevisionsOf(stack)
		if current := o.record.CurrentOf(stack); len(revisions) > 1 && revisions[1] == current {
			slices.Reverse(revisions)
		}
		for _, rev := range revisions {
			runs, err := o.record.RunsOf(stack, rev)
			if err != nil {
				continue // its import no longer exists, so it cannot run
			}
			for _, r := range runs {
				if r.Source != "" {
					_, err := o.home.dir.Stat(path.Join(programsDir(o.name(), rev.Number), programName(r.Source)))
					r.Built = err == nil
				}
				r.Command = mask.Text(r.Command, secrets)
				all = append(all, r)
			}
		}
	}
	return all
}
