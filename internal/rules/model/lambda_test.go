package model

import (
	"strings"

	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
	"github.com/cfnresource/sdk-go/physicalid"
)

// A request is what CloudFormation sends once.
type request struct {
	kind     lifecycle.RequestType
	id       string
	p, old   properties
	problems rules.Problems
	number   int
	birth    int
	slow     int // how long a method takes before, and after, its effect
	fault    *fault
	link     *fault // of the second invocation of a chain
	waits    int    // how long what it makes takes to get ready

	answer    rules.Answer
	answered  bool
	failed    bool   // a delivery of it did
	lastCount bool   // CloudFormation reads what was written last
	open      int    // deliveries on the way
	read      bool   // CloudFormation has gone on with its answer
	blocked   *thing // what could not be deleted
	givenUp   bool   // its answer is not read any more
	twice     bool   // delivered more than once
	faulty    bool   // a fault struck
	chained   bool   // another invocation went on
	forked    bool   // and the one before does not know it
	refused   bool   // the handler refused
	untold    bool   // a question for the phase failed
	timedOut  bool   // what it waits for was not ready in time
	preserved bool   // it removes what a failed Create left, before the next Create
}

// hasSecondChain reports whether two chains go on with the request: an invocation sent it on without knowing, or Lambda
// delivered twice what one had sent on.
func (r *request) hasSecondChain() bool { return r.forked || r.chained && r.twice }

// A chain is what one invocation tells the next.
type chain struct {
	rules.Chain
	told told
}

// deliver has Lambda invoke the function.
func (w *world) deliver(r *request, at int, f *fault, later bool) {
	w.deliverLink(r, chain{}, at, f, later)
}

// deliverLink delivers a request of which earlier invocations know something.
func (w *world) deliverLink(r *request, c chain, at int, f *fault, later bool) {
	r.open++
	w.start(at, func() {
		w.invoke(r, c, f, later)
		r.open--
	})
}

func (w *world) invoke(r *request, c chain, f *fault, later bool) {
	d := w.delivery()
	*d = delivery{w: w, r: r, chain: c, told: c.told, start: w.now, ended: w.now, revision: w.revision, deadline: w.now + w.revision.timeout - margin, fault: f, late: r.givenUp || r.read, second: later}
	w.tell("  %v arrives, %+v", r, c.Chain)
	a := rules.Handle(r.facts(w, c), d)
	d.finished = w.now
	if f != nil && f.what == undelivered && !a.Continued {
		r.faulty, d.dead = true, true
	}
	switch {
	case a.Continued && a.Reason != "" && !d.dead:
		w.tell("  it fails, since it is not known whether another one follows; Lambda delivers it again")
		r.twice = true
		w.deliverLink(r, c, w.now+60*second, nil, true)
	case d.dead && f.then == again:
		w.tell("  its process dies; Lambda delivers it again")
		r.twice = true
		w.deliverLink(r, c, w.now+60*second, nil, true)
	case d.dead && f.then == recorded:
		w.tell("  its process dies; the on-failure destination answers")
		w.beside = w.beside || r.open > 1 && w.k.continues
		facts := r.facts(w, c)
		facts.Refused = rules.Outcome{End: rules.Unknown, Reason: "the process died"}
		r.take(w, rules.Handle(facts, d))
	case d.dead:
		w.tell("  its process dies; nobody answers")
	case a.Continued:
		w.tell("  another invocation goes on")
	default:
		r.take(w, a)
		if f != nil && f.what == nothing && f.then == again {
			r.twice = true
			w.deliverLink(r, c, w.now+60*second, nil, true)
		}
	}
}

func (r *request) take(w *world, a rules.Answer) {
	w.tell("  answer: %+v", a)
	r.failed = r.failed || !a.OK
	if r.problems.Invalid == "" { // that a provider has learned to refuse them is a limit
		r.refused = r.refused || strings.HasPrefix(a.Reason, "the properties are refused")
	}
	if !r.givenUp && !r.read && strings.HasPrefix(a.Reason, "CloudFormation no longer waits") {
		w.refusals++
	}
	if !r.answered || r.lastCount && !r.givenUp {
		r.answer, r.answered = a, true
	}
}

// facts are what the dispatcher reads from the event.
func (r *request) facts(w *world, c chain) rules.Facts {
	f := rules.Facts{
		Type: r.kind, ID: r.id, Generated: r.id == invented || r.id == imitated,
		StableID: w.revision.stable(r.p), OldStableID: w.revision.stable(r.old),
		Finds: w.k.finds, Makes: true,
		Late:     w.k.phase && w.now-r.birth > 60*second,
		Problems: r.problems, Continues: w.k.continues && c.Links < maxLinks, Chain: c.Chain,
	}
	if r.id == physicalid.NotCreated {
		f.ID = ""
	}
	if r.kind == lifecycle.Update && w.revision.reads[r.p.identity] != w.revision.reads[r.old.identity] {
		f.Identity = rules.Differs
	}
	if r.p.extra != 0 && !w.revision.knows {
		f.Problems.Unknown = "Extra"
	}
	if w.now-r.birth > 3600*second && c.CreatedID != "" {
		f.Expired = true
	} else if w.now-r.birth > 3600*second {
		f.Refused = rules.Outcome{End: rules.Unknown, Reason: "it is too old"}
	}
	return f
}
