package local

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A step is an input to a stack's machine.
type step = func(m *engine.Machine, now time.Time) error

// operate locks a stack, runs one operation on it, and returns the stack with its
// secrets hidden. prepare returns the operation's first step; it may replace the
// record.
func (h *Home) operate(ctx context.Context, name string, s Settings, moving bool, prepare func(*run) (step, error)) (_ *engine.Stack, err error) {
	lock, err := h.store.Lock(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	record, err := h.Stack(name)
	if errors.Is(err, ErrNoStack) {
		record, err = newRecord(name, s.Options, nil), nil
	}
	if err != nil {
		return nil, err
	}
	if !moving && !record.Stack.AtRest() {
		return record.Stack, fmt.Errorf("%w: the stack %s is in %s", ErrMoving, name, record.Stack.Status)
	}
	r := &run{home: h, record: record, lock: lock, watcher: &serialWatcher{to: s.Watcher}, faults: s.Faults, commands: make(chan string)}
	first, err := prepare(r)
	if err != nil {
		return record.Stack, err
	}
	stop, err := r.startServices(ctx, name)
	if err != nil {
		return record.Stack, err
	}
	defer stop()
	err = r.play(ctx, first)
	if s.List != nil && err == nil {
		s.List.ask(ctx, h, r.record.Current())
	}
	r.home.removeOldBuilds(name, r.record.Deployments)
	return r.record.Shown(), err
}

// existing is operate for a stack that must exist. moving allows a stack whose
// last operation was interrupted.
func (h *Home) existing(ctx context.Context, name string, s Settings, moving bool, first step) (*engine.Stack, error) {
	return h.operate(ctx, name, s, moving, func(r *run) (step, error) {
		if r.record.Stack.Status == "" {
			return nil, fmt.Errorf("%w: %s", ErrNoStack, name)
		}
		former := r.record.Deployments
		all, err := s.Around.applyTo(former)
		if err != nil {
			return nil, err
		}
		r.record.Deployments = all
		return func(m *engine.Machine, now time.Time) error {
			err := first(m, now)
			if err != nil {
				r.record.Deployments = former // it is refused, and nothing of it is kept
			}
			return err
		}, nil
	})
}

// startServices builds the functions' programs, starts the service that they need,
// and receives commands from other processes. stop ends both.
func (r *run) startServices(ctx context.Context, name string) (stop func(), err error) {
	all := map[int]*Deployment{}
	maps.Copy(all, r.record.Deployments)
	newest := r.record.Current()
	if next := r.record.Next; next != nil {
		all[next.Revision], newest = next, next
	}
	r.record.programs = map[int]map[string]string{}
	for revision, d := range all {
		plan, err := d.Plan(r.record.Stack)
		if err != nil {
			return nil, err
		}
		if r.record.programs[revision], err = build(ctx, r.home.programs(name, revision), d, d.Functions(plan)); err != nil {
			return nil, err
		}
	}
	if next := r.record.Next; next != nil {
		if err := next.readTypes(ctx, r.record.programs[next.Revision]); err != nil {
			return nil, err
		}
	}
	if next := r.record.Next; next != nil && r.check != nil {
		plan, err := next.Plan(r.record.Stack)
		if err != nil {
			return nil, err
		}
		if err := r.check(check(ctx, r.record, next, plan, r.record.programs[next.Revision])); err != nil {
			r.home.removeOldBuilds(name, r.record.Deployments)
			return nil, err
		}
	}
	log, err := r.home.root.OpenFile(name+logExt, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	r.watcher.log = log
	if r.watcher.trace, err = r.home.trace(name, r.record.Stack.ID, r.record.Stack.Status == ""); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	var service *Service
	if newest != nil && newest.Service != "" {
		service, err = StartService(ctx, ServiceConfig{Args: shell(newest.Service), Dir: newest.Dir, Env: pairs(newest.Env), Ready: newest.Ready,
			Functions: r.functionVariables(newest), Log: func(line string) { r.watcher.Log("service", "", line) }, Note: r.watcher.Note})
		if err != nil {
			r.watcher.trace.close()
			return nil, errors.Join(err, log.Close())
		}
	}
	listenCtx, stopListening := context.WithCancel(context.WithoutCancel(ctx))
	var listeners sync.WaitGroup
	listeners.Go(func() { r.home.receiveCommands(listenCtx, name, r.commands) })
	if service != nil {
		r.ready = func() error { return service.failed(newest.Service) }
		listeners.Go(func() {
			select {
			case <-service.exited:
			case <-listenCtx.Done():
			}
			select {
			case <-service.exited:
				if r.started.Load() {
					r.watcher.Note("the service (" + newest.Service + ") has ended: " + service.why())
				}
			default:
			}
		})
	}
	return func() {
		stopListening()
		listeners.Wait()
		service.Stop()
		r.watcher.trace.close()
		_ = log.Close() // what was not written is not worth an operation
	}, nil
}

// functionVariables are those of a deployment's functions that are known.
func (r *run) functionVariables(d *Deployment) (all []string) {
	plan, err := d.Plan(r.record.Stack)
	if err != nil {
		return nil // it was read before
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
