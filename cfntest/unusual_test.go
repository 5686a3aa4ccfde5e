package cfntest_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// Handlers of unusual design that do no harm pass every check, and Explore finds
// nothing in them. Each was written from the documents alone. A share is each second one's checks,
// and the first histories.
func TestUnusualHandlersPass(t *testing.T) {
	all := map[string]cfntest.Contract{
		"tombstones":    unusual(func(s *ledger) cfntest.Function { return quiet(&restorer{plain{s}}) }),
		"append only":   unusual(func(s *ledger) cfntest.Function { return quiet(&appender{plain{s}}) }),
		"two parts":     unusual(func(s *ledger) cfntest.Function { return quiet(&twoParts{plain{s}}) }),
		"one document":  unusual(func(s *ledger) cfntest.Function { return quiet(&document{s}) }),
		"numbered":      unusual(func(s *ledger) cfntest.Function { return quiet(&numbered{plain{s}}) }),
		"slow":          unusual(func(s *ledger) cfntest.Function { return quiet(&slow{plain{s}}) }),
		"lease":         unusual(func(s *ledger) cfntest.Function { return quiet(&lease{plain{s}}) }),
		"artifact":      artifacts(unusual(func(s *ledger) cfntest.Function { return quiet(&artifact{s}) })),
		"etags, cached": unusual(func(s *ledger) cfntest.Function { return quiet(&cached{plain: plain{s}, etags: map[string]int{}}) }),
		"makes nothing": computed(),
	}
	asked := testrun.Sample(2, slices.Sorted(maps.Keys(all)))
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if slices.Contains(asked, name) {
				t.Run("TestHandler", func(t *testing.T) { cfntest.TestHandler(t, c) })
			}
			t.Run("Explore", func(t *testing.T) {
				cfntest.Explore(t, c, func(o *cfntest.ExploreOptions) { o.Depth, o.Histories = 2, testrun.Share(40, 2000) })
			})
		})
	}
}

type (
	unusualProps struct {
		Owner string `cfn:"createOnly,required"`
		Size  int
	}
	unusualData struct{ Address string }
	creating    = cfnresource.CreateRequest[unusualProps]
	updating    = cfnresource.UpdateRequest[unusualProps]
	deleting    = cfnresource.DeleteRequest[unusualProps]
	finding     = cfnresource.FindRequest[unusualProps]
)

func (p unusualProps) entry() entry { return entry{owner: p.Owner, size: p.Size} }

func quiet[H cfnresource.Handler[P, D], P, D any](h H) cfntest.Function {
	return cfnresource.New(h, func(o *cfnresource.Options) { o.Logger = slog.New(slog.DiscardHandler) })
}

// A ledger is a service that keeps entries under keys, with versions.
type ledger struct {
	mu      sync.Mutex
	entries map[string]entry
	made    int
	tokens  map[string]string // the keys of what was made with a client token
}

type entry struct {
	owner, mark   string
	size, version int
	part, gone    bool
	ready         time.Time
}

// do makes one call of the service.
func (s *ledger) do(ctx context.Context, effect func() error) error {
	if err := cfntest.Step(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	err := effect()
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return cfntest.Step(ctx)
}

var (
	errThere    = cfnresource.Errorf(cfnresource.CodeAlreadyExists, "there is such an entry")
	errNotThere = cfnresource.Errorf(cfnresource.CodeNotFound, "there is no such entry")
	errVersion  = cfnresource.Errorf(cfnresource.CodeResourceConflict, "the version is another one")
	errTooLarge = cfnresource.Errorf(cfnresource.CodeInvalidRequest, "the size is too large")
)

// put writes an entry if its version is the one that is expected; 0 is that of none.
func (s *ledger) put(ctx context.Context, key string, expected int, e entry) error {
	return s.do(ctx, func() error {
		now, ok := s.entries[key]
		switch {
		case e.size > 10:
			return errTooLarge
		case ok && !now.gone && expected == 0:
			return errThere
		case expected > 0 && (!ok || now.gone):
			return errNotThere
		case expected > 0 && now.version != expected:
			return errVersion
		}
		e.version = now.version + 1
		s.entries[key] = e
		return nil
	})
}

// create puts a new entry for a Create, which says AlreadyExists of one that is there.
func (s *ledger) create(ctx context.Context, key string, e entry) error {
	err := s.put(ctx, key, 0, e)
	if errors.Is(err, errThere) {
		return cfnresource.AlreadyExists(key)
	}
	return err
}

func (s *ledger) get(ctx context.Context, key string) (e entry, err error) {
	err = s.do(ctx, func() error {
		var ok bool
		if e, ok = s.entries[key]; !ok || e.gone {
			return errNotThere
		}
		return nil
	})
	return e, err
}

func (s *ledger) remove(ctx context.Context, key string) error {
	return s.do(ctx, func() error {
		if e, ok := s.entries[key]; !ok || e.gone {
			return errNotThere
		}
		delete(s.entries, key)
		return nil
	})
}

func (s *ledger) state(id string) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.entries[id]
	if !ok || e.gone {
		return nil
	}
	part, second := s.entries[id+"/policy"]
	return fmt.Sprint(e.owner, e.size, second && !part.gone, part.size)
}

func (s *ledger) list() (ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, e := range s.entries {
		if !e.gone && !e.part {
			ids = append(ids, id)
		}
	}
	return slices.Sorted(slices.Values(ids))
}

func unusual(function func(*ledger) cfntest.Function) cfntest.Contract {
	return cfntest.Contract{
		New: func(testing.TB) cfntest.Service {
			s := &ledger{entries: map[string]entry{}, tokens: map[string]string{}}
			return cfntest.Service{Function: func() cfntest.Function { return function(s) }, State: s.state, List: s.list}
		},
		Properties: unusualProps{"ada", 1},
		InPlace:    unusualProps{"ada", 2},
		Replacing:  unusualProps{"grace", 1},
		Refused:    unusualProps{"ada", 11},
	}
}

// A plain handler writes an entry under its StableID. It is what most of the others are made of.
type plain struct{ s *ledger }

func (h plain) Create(ctx context.Context, req *creating) (unusualData, error) {
	id := req.StableID()
	err := h.s.create(ctx, id, req.Properties.entry())
	if err == nil {
		req.Created(id)
	}
	return unusualData{id}, err
}

func (h plain) Update(ctx context.Context, req *updating) (d unusualData, err error) {
	e, err := h.s.get(ctx, req.PhysicalID)
	if err != nil {
		return d, err
	}
	return unusualData{req.PhysicalID}, h.s.put(ctx, req.PhysicalID, e.version, req.Properties.entry())
}

func (h plain) Delete(ctx context.Context, req *deleting) error {
	return h.s.remove(ctx, req.PhysicalID)
}

// A restorer's service never forgets: what was deleted is brought back.
type restorer struct{ plain }

func (h *restorer) Delete(ctx context.Context, req *deleting) error {
	e, err := h.s.get(ctx, req.PhysicalID)
	if err != nil {
		return err
	}
	e.gone = true
	return h.s.put(ctx, req.PhysicalID, e.version, e)
}

// An appender writes whole versions until one is taken.
type appender struct{ plain }

func (h *appender) Create(ctx context.Context, req *creating) (unusualData, error) {
	id := req.StableID()
	if _, err := h.s.get(ctx, id); err == nil {
		return unusualData{}, cfnresource.AlreadyExists(id)
	} else if !errors.Is(err, errNotThere) {
		return unusualData{}, err
	}
	return h.plain.Create(ctx, req)
}

func (h *appender) Update(ctx context.Context, req *updating) (d unusualData, err error) {
	err = cfnresource.Retry(ctx, func(ctx context.Context) error {
		d, err = h.plain.Update(ctx, req)
		return err
	})
	return d, err
}

// A thing of two parts is made whole by Update, and taken apart in the other order.
type twoParts struct{ plain }

func (h *twoParts) Create(ctx context.Context, req *creating) (unusualData, error) {
	id := req.StableID()
	if d, err := h.plain.Create(ctx, req); err != nil {
		return d, err
	}
	return unusualData{id}, h.policy(ctx, id, req.Properties)
}

func (h *twoParts) policy(ctx context.Context, id string, p unusualProps) error {
	return h.s.do(ctx, func() error {
		h.s.entries[id+"/policy"] = entry{part: true, size: p.Size}
		return nil
	})
}

func (h *twoParts) Update(ctx context.Context, req *updating) (unusualData, error) {
	if d, err := h.plain.Update(ctx, req); err != nil {
		return d, err
	}
	return unusualData{req.PhysicalID}, h.policy(ctx, req.PhysicalID, req.Properties)
}

func (h *twoParts) Delete(ctx context.Context, req *deleting) error {
	if err := h.s.remove(ctx, req.PhysicalID+"/policy"); err != nil && !errors.Is(err, errNotThere) {
		return err
	}
	return h.s.remove(ctx, req.PhysicalID)
}

// All of a document's entries are read, changed and written at once.
type document struct{ s *ledger }

func (h *document) edit(ctx context.Context, edit func(map[string]entry) error) error {
	return cfnresource.Retry(ctx, func(ctx context.Context) error {
		var all map[string]entry
		if err := h.s.do(ctx, func() error { all = maps.Clone(h.s.entries); return nil }); err != nil {
			return err
		}
		before := fmt.Sprint(all)
		if err := edit(all); err != nil {
			return err
		}
		return h.s.do(ctx, func() error {
			if fmt.Sprint(h.s.entries) != before {
				return errVersion
			}
			h.s.entries = all
			return nil
		})
	})
}

func (h *document) Create(ctx context.Context, req *creating) (unusualData, error) {
	id := req.StableID()
	tried := false
	err := h.edit(ctx, func(all map[string]entry) error {
		if _, ok := all[id]; ok {
			return errThere
		}
		if tried = true; req.Properties.Size > 10 {
			return errTooLarge
		}
		all[id] = req.Properties.entry()
		return nil
	})
	if errors.Is(err, errThere) && !tried {
		return unusualData{}, cfnresource.AlreadyExists(id)
	}
	if err == nil || errors.Is(err, errThere) { // a reply was lost: it is this call's
		req.Created(id)
		err = nil
	}
	return unusualData{id}, err
}

func (h *document) Update(ctx context.Context, req *updating) (unusualData, error) {
	return unusualData{req.PhysicalID}, h.edit(ctx, func(all map[string]entry) error {
		if _, ok := all[req.PhysicalID]; !ok {
			return errNotThere
		}
		if req.Properties.Size > 10 {
			return errTooLarge
		}
		all[req.PhysicalID] = req.Properties.entry()
		return nil
	})
}

func (h *document) Delete(ctx context.Context, req *deleting) error {
	return h.edit(ctx, func(all map[string]entry) error {
		if _, ok := all[req.PhysicalID]; !ok {
			return errNotThere
		}
		delete(all, req.PhysicalID)
		return nil
	})
}

// Numbered entries get their keys from the service, which takes a client token, and are
// found by their mark.
type numbered struct{ plain }

func (h *numbered) Create(ctx context.Context, req *creating) (d unusualData, err error) {
	var id string
	err = h.s.do(ctx, func() error {
		if req.Properties.Size > 10 {
			return errTooLarge
		}
		token := req.IdempotencyToken()
		if id = h.s.tokens[token]; id != "" {
			return nil
		}
		h.s.made++
		id = fmt.Sprint("n-", h.s.made)
		h.s.tokens[token] = id
		h.s.entries[id] = entry{owner: req.Properties.Owner, size: req.Properties.Size, mark: req.StableID(), version: 1}
		return nil
	})
	if err == nil {
		req.Created(id)
	}
	return unusualData{id}, err
}

func (h *numbered) Find(ctx context.Context, req *finding) (found string, err error) {
	err = h.s.do(ctx, func() error {
		if e, ok := h.s.entries[req.PhysicalID]; ok && e.mark == req.StableID() {
			found = req.PhysicalID
			return nil
		}
		for _, id := range slices.Sorted(maps.Keys(h.s.entries)) {
			if h.s.entries[id].mark == req.StableID() {
				found = id
			}
		}
		return nil
	})
	return found, err
}

func (h *numbered) Update(ctx context.Context, req *updating) (d unusualData, err error) {
	return unusualData{req.PhysicalID}, h.s.do(ctx, func() error {
		e, ok := h.s.entries[req.PhysicalID]
		if !ok {
			return errNotThere
		}
		if req.Properties.Size > 10 {
			return errTooLarge
		}
		e.size = req.Properties.Size
		h.s.entries[req.PhysicalID] = e
		return nil
	})
}

// A slow service takes its time for all that it does.
type slow struct{ plain }

func (h *slow) await(ctx context.Context, id string) error {
	return cfnresource.Poll(ctx, 2*time.Second, func(ctx context.Context) (bool, error) {
		e, err := h.s.get(ctx, id)
		return err == nil && !time.Now().Before(e.ready), err
	})
}

func (h *slow) Create(ctx context.Context, req *creating) (unusualData, error) {
	id := req.StableID()
	err := h.s.create(ctx, id, entry{owner: req.Properties.Owner, size: req.Properties.Size, ready: time.Now().Add(9 * time.Second)})
	if err != nil {
		return unusualData{}, err
	}
	req.Created(id)
	return unusualData{id}, h.await(ctx, id)
}

func (h *slow) Update(ctx context.Context, req *updating) (unusualData, error) {
	if d, err := h.plain.Update(ctx, req); err != nil {
		return d, err
	}
	return unusualData{req.PhysicalID}, h.await(ctx, req.PhysicalID)
}

func (h *slow) Delete(ctx context.Context, req *deleting) error {
	return cfnresource.Poll(ctx, 2*time.Second, func(ctx context.Context) (bool, error) {
		err := h.s.remove(ctx, req.PhysicalID)
		return errors.Is(err, errNotThere), ignoring(err, errNotThere)
	})
}

func ignoring(err, what error) error {
	if errors.Is(err, what) {
		return nil
	}
	return err
}

// A lease is on a name that the template chooses, and has its holder's mark.
type lease struct{ plain }

func leaseName(p unusualProps) string { return strings.ToLower("lease-" + p.Owner) }

func (h *lease) Create(ctx context.Context, req *creating) (unusualData, error) {
	name := leaseName(req.Properties)
	err := h.s.create(ctx, name, entry{owner: req.Properties.Owner, size: req.Properties.Size, mark: req.StableIDOf(name)})
	if err == nil {
		req.Created(name)
	}
	return unusualData{name}, err
}

func (h *lease) Find(ctx context.Context, req *finding) (string, error) {
	name := leaseName(req.Properties)
	e, err := h.s.get(ctx, name)
	if errors.Is(err, errNotThere) || err == nil && e.mark != req.StableIDOf(name) {
		return "", nil
	}
	return name, err
}

func (h *lease) Update(ctx context.Context, req *updating) (d unusualData, err error) {
	e, err := h.s.get(ctx, req.PhysicalID)
	if err != nil {
		return d, err
	}
	if req.IdentityChanged && leaseName(req.Properties) != req.PhysicalID {
		return d, cfnresource.Errorf(cfnresource.CodeNotUpdatable, "a lease keeps its name")
	}
	return unusualData{req.PhysicalID}, h.s.put(ctx, req.PhysicalID, e.version, entry{owner: req.Properties.Owner, size: req.Properties.Size, mark: e.mark})
}

func (h *lease) Delete(ctx context.Context, req *deleting) error {
	e, err := h.s.get(ctx, req.PhysicalID)
	if err == nil && e.mark != req.StableIDOf(req.PhysicalID) {
		return cfnresource.Errorf(cfnresource.CodeNotFound, "another holds the lease")
	}
	if err != nil {
		return err
	}
	return h.s.remove(ctx, req.PhysicalID)
}

// An artifact never changes: each property is of its identity.
type (
	artifact      struct{ s *ledger }
	artifactProps struct {
		Owner string `cfn:"createOnly,required"`
		Size  int    `cfn:"createOnly"`
	}
)

func artifacts(c cfntest.Contract) cfntest.Contract {
	c.Properties, c.InPlace, c.Replacing, c.Refused = artifactProps{"ada", 1}, nil, artifactProps{"ada", 2}, artifactProps{"ada", 11}
	return c
}

func (h *artifact) Create(ctx context.Context, req *cfnresource.CreateRequest[artifactProps]) (unusualData, error) {
	id := req.StableID()
	err := h.s.create(ctx, id, unusualProps(req.Properties).entry())
	if err == nil {
		req.Created(id)
	}
	return unusualData{id}, err
}

func (h *artifact) Update(ctx context.Context, req *cfnresource.UpdateRequest[artifactProps]) (unusualData, error) {
	e, err := h.s.get(ctx, req.PhysicalID)
	if err == nil && (e.owner != req.Properties.Owner || e.size != req.Properties.Size) {
		err = cfnresource.Errorf(cfnresource.CodeNotUpdatable, "an artifact never changes")
	}
	return unusualData{req.PhysicalID}, err
}

func (h *artifact) Delete(ctx context.Context, req *cfnresource.DeleteRequest[artifactProps]) error {
	return h.s.remove(ctx, req.PhysicalID)
}

// A cached handler remembers versions in its process, and does not trust them.
type cached struct {
	plain
	mu    sync.Mutex
	etags map[string]int
}

func (h *cached) Create(ctx context.Context, req *creating) (unusualData, error) {
	d, err := h.plain.Create(ctx, req)
	if err == nil {
		h.remember(d.Address, 1)
	}
	return d, err
}

func (h *cached) remember(id string, etag int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.etags[id] = etag
}

func (h *cached) Update(ctx context.Context, req *updating) (unusualData, error) {
	return unusualData{req.PhysicalID}, cfnresource.Retry(ctx, func(ctx context.Context) error {
		h.mu.Lock()
		etag := h.etags[req.PhysicalID]
		h.mu.Unlock()
		if etag == 0 {
			e, err := h.s.get(ctx, req.PhysicalID)
			if err != nil {
				return err
			}
			etag = e.version
		}
		err := h.s.put(ctx, req.PhysicalID, etag, req.Properties.entry())
		if err == nil {
			h.remember(req.PhysicalID, etag+1)
		} else {
			h.remember(req.PhysicalID, 0)
		}
		return err
	})
}

func (h *cached) Delete(ctx context.Context, req *deleting) error {
	h.remember(req.PhysicalID, 0)
	return h.s.remove(ctx, req.PhysicalID)
}

// A computed resource makes nothing: its Data is all that there is.
type computing struct{}

func computed() cfntest.Contract {
	c := unusual(nil)
	c.New = func(testing.TB) cfntest.Service {
		return cfntest.Service{Function: func() cfntest.Function { return quiet(computing{}) }}
	}
	return c
}

func (computing) compute(p unusualProps) (unusualData, error) {
	if p.Size > 10 {
		return unusualData{}, errTooLarge
	}
	return unusualData{strings.Repeat(p.Owner, p.Size)}, nil
}

func (h computing) Create(_ context.Context, req *creating) (unusualData, error) {
	return h.compute(req.Properties)
}
func (h computing) Update(_ context.Context, req *updating) (unusualData, error) {
	return h.compute(req.Properties)
}
func (computing) Delete(context.Context, *deleting) error { return nil }
