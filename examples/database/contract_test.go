package main

import (
	"strconv"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfntest"
)

func TestDatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes: run it without -short")
	}
	b := newBed(t)
	orders := b.orders()
	services := 0
	cfntest.TestHandler(t, cfntest.Contract{
		New: func(t testing.TB) cfntest.Service {
			services++
			b := newBed(t, strconv.Itoa(services))
			return cfntest.Service{
				Function: func() cfntest.Function { return b.function("") },
				State:    b.state,
				List:     b.list,
				Occupy: func(name string) { // which an earlier service of the one server may have left
					b.run(`DROP DATABASE IF EXISTS ` + quote(name))
					b.run(`CREATE DATABASE ` + quote(name))
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
	})
}
