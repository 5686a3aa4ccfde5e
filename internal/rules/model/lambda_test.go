package model

import (
	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
)

// A request is what CloudFormation sends once.
type request struct {
	kind     lifecycle.Request
	id       string
	p, old   properties
	problems rules.Problems
	number   int
	birth    int
	slow     int // how long a method takes before, and after, its effect
	fault    *fault

	answer    rules.Answer
	answered  bool
	lastCount bool   // CloudFormation reads what was written last
	open      int    // deliveries on the way
	read      bool   // CloudFormation has gone on with its answer
	blocked   *thing // what could not be deleted
	givenUp   bool   // its answer is not read any more
	twice     bool   // delivered more than once
	faulty    bool   // a fault struck
	refused   bool   // the handler refused
	preserved bool   // it removes what a failed Create left, before the next Create
}

// deliver has Lambda invoke the function.
func (w *world) deliver(r *request, at int, f *fault, later bool) {
	r.open++
	w.start(at, func() {
		w.invoke(r, f, later)
		r.open--
	})
}

func (w *world) invoke(r *request, f *fault, later bool) {
	d := w.delivery()
	*d = delivery{w: w, r: r, start: w.now, deadline: w.now + timeout - margin, fault: f, late: r.givenUp || r.read, second: later}
	w.tell("  %v arrives", r)
	a := rules.Handle(r.facts(w), d)
	if f != nil && f.what == undelivered {
		r.faulty, d.dead = true, true
	}
	switch {
	case d.dead && f.then == again:
		w.tell("  its process dies; Lambda delivers it again")
		r.twice = true
		w.deliver(r, w.now+60*second, nil, true)
	case d.dead && f.then == recorded:
		w.tell("  its process dies; the on-failure destination answers")
		facts := r.facts(w)
		facts.Refused = rules.Outcome{End: rules.Unknown, Why: "the process died"}
		r.take(w, rules.Handle(facts, d))
	case d.dead:
		w.tell("  its process dies; nobody answers")
	default:
		r.take(w, a)
		if f != nil && f.what == nothing && f.then == again {
			r.twice = true
			w.deliver(r, w.now+60*second, nil, true)
		}
	}
}

func (r *request) take(w *world, a rules.Answer) {
	w.tell("  answer: %+v", a)
	if !r.answered || r.lastCount && !r.givenUp {
		r.answer, r.answered = a, true
	}
}

// facts are what the dispatcher reads from the event.
func (r *request) facts(w *world) rules.Facts {
	f := rules.Facts{
		Type: r.kind, ID: r.id, Generated: r.id == invented || r.id == imitated,
		Stable: stables[r.p.identity], OldStable: stables[r.old.identity],
		Finds: w.k.finds, Makes: true,
		Late:     w.k.phase && w.now-r.birth > 60*second,
		Problems: r.problems,
	}
	if r.id == physicalid.NotCreated {
		f.ID = ""
	}
	if r.kind == lifecycle.Update && r.p.identity != r.old.identity {
		f.Identity = rules.Differs
	}
	if w.now-r.birth > 3600*second {
		f.Refused = rules.Outcome{End: rules.Unknown, Why: "it is too old"}
	}
	return f
}
