package main

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfntest"
)

// contract is in real time, and with a part of the server for each service.
func contract(t *testing.T) cfntest.Contract {
	if testing.Short() {
		t.Skip("it takes minutes: run it without -short")
	}
	b := newBed(t)
	orders := b.orders()
	services := 0
	return cfntest.Contract{
		New: func(t testing.TB) cfntest.Service {
			services++
			b := newBed(t, strconv.Itoa(services))
			return cfntest.Service{
				Function: func() cfntest.Function { return b.function("") },
				State:    b.state,
				List:     b.list,
				Occupy:   b.occupy,
				Use:      b.use,
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

// PostgreSQL would cut a name of fewer characters than 63, and of more bytes.
func TestExploreLongNames(t *testing.T) {
	c := contract(t)
	c.Refused = Props{Name: newBed(t).prefix + strings.Repeat("ü", 30), Owner: newBed(t).orders().Owner}
	cfntest.Explore(t, c, func(o *cfntest.ExploreOptions) { o.Depth, o.Faults = 1, []cfntest.FaultKind{} })
}
