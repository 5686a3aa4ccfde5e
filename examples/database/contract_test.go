package main

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/cfntest/fault"
)

// contract is in real time, and with a part of the server for each service.
func contract(t *testing.T) cfntest.Contract {
	if testing.Short() {
		t.Skip("it takes minutes: run it without -short")
	}
	b := newBed(t)
	orders, taken := b.orders(), b.taken()
	services := 0
	return cfntest.Contract{
		New: func(t testing.TB) cfntest.Service {
			services++
			b := newBed(t, strconv.Itoa(services))
			b.run(`CREATE ROLE `+quote(taken), `COMMENT ON ROLE `+quote(taken)+` IS 'of somebody else'`)
			return cfntest.Service{
				Function: func() cfntest.Function { return b.function("") },
				State:    b.state,
				List: func() []string {
					return slices.DeleteFunc(b.list(), func(id string) bool { return id == "role "+taken })
				},
				Occupy: b.occupy,
				Use:    b.use,
				Around: func() any {
					return b.query(`SELECT shobj_description(oid, 'pg_authid') FROM pg_roles WHERE rolname = $1`, taken)
				},
			}
		},
		Properties: orders,
		InPlace:    Props{Name: orders.Name, Owner: b.prefix + "web", ConnectionLimit: 5},
		Replacing:  b.returns(),
		Refused:    Props{Name: b.prefix + "refused", Owner: "pg_refused"}, // PostgreSQL's own names
		Secrets:    []string{b.secret.Password, b.secret.Key},
		RealTime:   true,
		Timeout:    4 * time.Second, // some checks wait for its end, in real time
	}
}

func TestDatabase(t *testing.T) { cfntest.TestHandler(t, contract(t)) }

// PostgreSQL would cut a name of fewer characters than 63, and of more bytes; and a role is somebody else's.
func TestExploreRefused(t *testing.T) {
	b := newBed(t)
	for name, refused := range map[string]Props{
		"a long name":        {Name: b.prefix + strings.Repeat("ü", 30), Owner: b.orders().Owner},
		"another one's role": {Name: b.orders().Name, Owner: b.taken()},
	} {
		t.Run(name, func(t *testing.T) {
			c := contract(t)
			c.Refused = refused
			cfntest.Explore(t, c, func(o *cfntest.ExploreOptions) { o.Depth, o.Faults = 2, []fault.Kind{} })
		})
	}
}

// Two processes get one event at once.
func TestExploreTwice(t *testing.T) {
	cfntest.Explore(t, contract(t), func(o *cfntest.ExploreOptions) { o.Depth, o.Faults = 1, []fault.Kind{fault.Twice} })
}
