package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

var contract = cfntest.Contract{
	New: func(testing.TB) cfntest.Service {
		f := &fake{made: map[string]string{}, stored: map[string]Secret{}}
		return cfntest.Service{
			Function: func() cfntest.Function { return cfnresource.New(&Tokens{f, (*store)(f)}) },
			State:    f.state,
			List:     f.list,
		}
	},
	Properties: Props{Team: "red", Scope: "read"},
	InPlace:    Props{Team: "red", Scope: "write"},
	Replacing:  Props{Team: "blue", Scope: "read"},
	Secrets:    []string{"hush-"},
}

func TestContract(t *testing.T) { cfntest.TestHandler(t, contract) }

func TestExplore(t *testing.T) {
	cfntest.Explore(t, contract, func(o *cfntest.ExploreOptions) { o.Depth, o.Histories = 2, testrun.Share(200, 0) })
}

// A fake is the service and the store in memory. Its lists do not lag.
type fake struct {
	mu      sync.Mutex
	tokens  []token
	made    map[string]string // by client token
	stored  map[string]Secret
	secrets int
}

type token struct {
	mark, scope string
	version     int
	gone        bool
}

type store fake

func (f *fake) Create(ctx context.Context, mark, clientToken, scope string) (id string, s Secret, err error) {
	return id, s, f.do(ctx, func() error {
		if id = f.made[clientToken]; id != "" {
			return nil
		}
		s = f.newSecret()
		f.tokens = append(f.tokens, token{mark: mark, scope: scope, version: s.Version})
		id = fmt.Sprintf("tok-%d", len(f.tokens))
		f.made[clientToken] = id
		return nil
	})
}

func (f *fake) newSecret() Secret {
	f.secrets++
	return Secret{f.secrets, fmt.Sprintf("hush-%d", f.secrets)}
}

func (f *fake) Rotate(ctx context.Context, id string) (s Secret, err error) {
	return s, f.with(ctx, id, func(t *token) { s = f.newSecret(); t.version = s.Version })
}

func (f *fake) SetScope(ctx context.Context, id, scope string) error {
	return f.with(ctx, id, func(t *token) { t.scope = scope })
}

func (f *fake) Get(ctx context.Context, id string) (got Token, err error) {
	return got, f.with(ctx, id, func(t *token) { got = Token{t.mark, t.version} })
}

func (f *fake) Delete(ctx context.Context, id string) error {
	return f.with(ctx, id, func(t *token) { t.gone = true })
}

func (f *fake) List(ctx context.Context, mark string) (ids []string, err error) {
	return ids, f.do(ctx, func() error {
		for i, t := range f.tokens {
			if t.mark == mark && !t.gone {
				ids = append(ids, fmt.Sprintf("tok-%d", i+1))
			}
		}
		return nil
	})
}

func (s *store) Put(ctx context.Context, name string, secret Secret) error {
	return (*fake)(s).do(ctx, func() error { s.stored[name] = secret; return nil })
}

func (s *store) Version(ctx context.Context, name string) (version int, err error) {
	return version, (*fake)(s).do(ctx, func() error { version = s.stored[name].Version; return nil })
}

func (s *store) Delete(ctx context.Context, name string) error {
	return (*fake)(s).do(ctx, func() error {
		if _, there := s.stored[name]; !there {
			return cfnresource.Errorf(cfnresource.CodeNotFound, "there is no secret %s", name)
		}
		delete(s.stored, name)
		return nil
	})
}

// with works on a token that there is.
func (f *fake) with(ctx context.Context, id string, work func(*token)) error {
	return f.do(ctx, func() error {
		t := f.find(id)
		if t == nil {
			return cfnresource.Errorf(cfnresource.CodeNotFound, "there is no token %s", id)
		}
		work(t)
		return nil
	})
}

func (f *fake) find(id string) *token {
	for i := range f.tokens {
		if fmt.Sprintf("tok-%d", i+1) == id && !f.tokens[i].gone {
			return &f.tokens[i]
		}
	}
	return nil
}

// do does one thing, with a step before it and after it.
func (f *fake) do(ctx context.Context, work func() error) error {
	if err := cfntest.Step(ctx); err != nil {
		return err
	}
	f.mu.Lock()
	err := work()
	f.mu.Unlock()
	if err != nil {
		return err
	}
	return cfntest.Step(ctx)
}

// state shows a token, and whether what is stored is good. A secret whose token is
// gone is a thing, too.
func (f *fake) state(id string) any {
	f.mu.Lock()
	defer f.mu.Unlock()
	secret, stored := f.stored[nameOf(id)]
	t := f.find(id)
	if t == nil {
		if stored {
			return "a secret without a token"
		}
		return nil
	}
	return struct {
		Scope string
		Good  bool
	}{t.scope, secret.Version == t.version}
}

func (f *fake) list() (ids []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, t := range f.tokens {
		if id := fmt.Sprintf("tok-%d", i+1); !t.gone {
			ids = append(ids, id)
		}
	}
	for name := range f.stored {
		if id := strings.TrimPrefix(name, "tokens/"); f.find(id) == nil {
			ids = append(ids, id)
		}
	}
	return ids
}
