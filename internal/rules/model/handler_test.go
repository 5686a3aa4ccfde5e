package model

import (
	"cmp"
	"strings"

	"github.com/cfnresource/sdk-go/internal/rules"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// A kind is one way to write a handler.
type kind struct {
	name   string
	naming naming
	finds  bool
	token  bool // the service takes client tokens

	// How it is written, and over what. Drawn for each history.
	silent    bool // it never says Created
	puts      bool // Create does not tell what it makes from what is there
	presumes  bool // it says Created before it has made anything, against the contract
	retags    bool // Update writes the mark anew, against the contract
	careless  bool // Find answers what a search shows without reading it
	rigid     bool // Update refuses to change what makes the identity
	lenient   bool // Delete of what is not there is no error
	patient   bool // Delete waits for what is busy, instead of failing
	idle      bool // Delete waits for something else before it asks for anything
	phase     bool // Options.Phase is set
	continues bool // and Options.Continue
	legacy    string
	copied    bool // a restored backup bears its resource's mark
	mute      bool // the service does not say which thing has the name
	taken     int8 // an identity whose name a stranger holds; 0 is none
}

type naming int8

const (
	byStableID naming = iota
	byService
	byTemplate
)

// explained reports whether something leads from properties to the ID.
func (k *kind) explained() bool { return k.naming == byStableID || k.finds }

const (
	timeout  = 60 * second // of the function
	maxLinks = 15
	margin   = 3 * second
	findLag  = 5 * second
	permLag  = 30 * second
	imitated = "Stack-R-9ZYXWVUTSRQP" // by another library, in the shape of CloudFormation's
	invented = "Stack-R-1ABCDEFGHIJK" // by CloudFormation
)

var (
	stables = [][]string{{"", "stable-a", "stable-b", "stable-c"}, {"", "other-a", "other-b", "other-c"}} // by how they are made
	names   = []string{"", "a", "b", "c"}
)

// A delivery is one invocation with one event: the effects of the rules.
type delivery struct {
	w         *world
	r         *request
	start     int
	deadline  int // when the handler's context ends
	revision  revision
	finished  int // 0 while it is at work
	fault     *fault
	hit, dead bool
	late      bool // the event had been given up when it came
	stuck     bool // it can delete nothing
	ended     int  // when the last Create or Update returned, or it began; of an undo that waited, the end of the wait
	tries     int
	timedOut  bool
	second    bool // of two at once
	effects   int  // so far
	chain     chain
	told      told
}

// most bounds the effects of one delivery: more is without end.
const most = 1000

func (d *delivery) effect() {
	if d.effects++; d.effects > most {
		panic("it calls without end")
	}
}

func (d *delivery) over() bool { return d.dead || d.w.now >= d.deadline }

// work lets the handler be at it. It returns false if its time ends meanwhile.
func (d *delivery) work() bool {
	d.w.sleep(min(d.r.slow, d.deadline-d.w.now))
	return d.inTime()
}

func (d *delivery) inTime() bool {
	if d.over() {
		d.timedOut = true
		return false
	}
	return true
}

// meets is reach in a method that is called again after what passes.
func (d *delivery) meets(p point) (end rules.End, hit bool) {
	for end, hit = d.reach(p); hit && end == rules.Throttled; end, hit = d.reach(p) {
		d.w.sleep(second)
	}
	return end, hit
}

// reach is called at each point of the handler's work.
func (d *delivery) reach(p point) (end rules.End, hit bool) {
	if d.fault == nil || d.fault.where != p || d.hit {
		return rules.Done, false
	}
	if d.fault.what == denies && d.w.now >= d.r.birth+d.fault.after {
		return rules.Done, false // the permission is in force
	}
	d.hit = d.fault.what != denies
	d.r.faulty = true
	d.w.tell("      FAULT: %v", d.fault)
	if d.fault.stuck {
		d.stuck = true
	}
	switch d.fault.what {
	case throttles:
		return rules.Throttled, true
	case denies:
		if d.w.now < d.r.birth+permLag {
			return rules.Throttled, true
		}
		return rules.Failed, true
	case panics:
		return rules.Unknown, true
	case hangs, oversleeps:
		d.w.sleep(d.deadline - d.w.now)
		d.timedOut = true
		return rules.Unknown, true
	case dies:
		d.dead = true
		return rules.Unknown, true
	case unusable:
		return rules.InvalidID, true
	}
	if d.fault.codeless {
		return rules.NoCode, true
	}
	return rules.Failed, true
}

func (d *delivery) Find(of rules.Side, at string) (string, rules.Outcome) {
	d.effect()
	w := d.w
	w.sleep(100)
	if d.dead || w.now >= d.start+d.revision.timeout {
		return "", rules.Outcome{End: rules.Unknown, Reason: "no time"}
	}
	if end, hit := d.meets(searching); hit {
		return "", rules.Outcome{End: end, Reason: "Find"}
	}
	p := d.r.p
	if of == rules.Old {
		p = d.r.old
	}
	tag := d.revision.stable(p)
	var t *thing
	if w.k.naming == byTemplate {
		if t = w.read(d.revision.name(p)); t != nil && t.tag != tag {
			t = nil
		}
	} else if t = w.read(at); at == "" || t == nil || t.tag != tag {
		t = w.search(tag)
	}
	if t == nil {
		w.tell("    Find of %v at %q: nothing", p, at)
		return "", rules.Outcome{}
	}
	w.tell("    Find of %v at %q: %s", p, at, t.id)
	return t.id, rules.Outcome{}
}

func (d *delivery) Create(replaces string) rules.Outcome {
	d.effect()
	w, k := d.w, d.w.k
	o := rules.Outcome{Reason: "Create", UsedStableID: k.explained()}
	w.tell("    Create")
	if d.over() {
		o.End = rules.Unknown
		return o
	}
	if k.presumes {
		o.ID = d.name()
	}
	o.End = d.create(&o)
	d.ended = w.now
	o.Slow = w.now-d.r.birth > 10*second
	if o.ID != "" && o.End == rules.AlreadyExists {
		o.UsedStableID = k.explained()
	}
	return o
}

func (d *delivery) create(o *rules.Outcome) rules.End {
	w, k := d.w, d.w.k
	if d.fault != nil && d.fault.what == oversleeps && d.fault.where == begun && !d.hit {
		w.start(d.deadline+5*second, func() { d.make(o) })
	}
	if end, hit := d.reach(begun); hit {
		return end
	}
	if !d.work() {
		return rules.Unknown
	}
	t, end := d.make(o)
	if end != rules.Done {
		return end
	}
	if end, hit := d.reach(made); hit && end != rules.InvalidID {
		return end
	}
	if !k.silent {
		o.ID = t.id
		t.said = true
	}
	if d.fault != nil && d.fault.what == unusable && d.hit {
		return rules.InvalidID
	}
	if !d.work() {
		return rules.Unknown
	}
	if end := d.poll(t.ready, false); end != rules.Done {
		return end
	}
	t.has, t.writer = d.revision.sets(d.r.p), d
	if end, hit := d.reach(done); hit {
		return end
	}
	return rules.Done
}

// poll waits for a time, in which the service is done. It asks now and then whether anybody waits.
func (d *delivery) poll(until int, once bool) rules.End {
	w := d.w
	for next := w.now + 30*second; w.now < until; {
		w.sleep(min(next, until, d.deadline) - w.now)
		switch {
		case d.dead:
			return rules.Unknown
		case w.now >= d.deadline && once:
			return rules.Deleting
		case w.now >= d.deadline && w.k.continues && d.chain.Links < maxLinks && w.now < d.r.birth+3600*second-30*second:
			return rules.Waiting
		case w.now >= d.deadline:
			d.timedOut, d.r.timedOut, d.r.refused = true, true, true
			return rules.Unknown
		case w.now >= next:
			next += 30 * second
			if w.k.continues && d.told.asked && d.overtaken() {
				return rules.Failed
			}
		}
	}
	return rules.Done
}

// overtaken asks whether anybody waits.
func (d *delivery) overtaken() bool {
	now := d.ask("")
	return rules.Overtaken(d.told.start, now)
}

// Continue invokes the function again.
func (d *delivery) Continue(next rules.Chain) rules.Outcome {
	d.effect()
	w, c := d.w, chain{next, d.told}
	w.tell("    Continue with %+v", c)
	fault := d.r.link // of the invocation that follows
	d.r.link, d.r.chained = nil, true
	if d.fault != nil && d.fault.where == continuing && !d.hit {
		d.hit, d.r.faulty = true, true
		w.tell("      FAULT: %v", d.fault)
		switch d.fault.what {
		case fails:
			return rules.Outcome{End: rules.Failed, Reason: "Continue"}
		case hangs: // not sent, or sent
			if d.fault.stuck && w.helped == secondChain { // it returns nil for what it has sent
				w.deliverLink(d.r, c, w.now+second/10, fault, false)
				return rules.Outcome{}
			}
			if d.fault.stuck {
				d.r.forked = true
				w.deliverLink(d.r, c, w.now+second/10, fault, true)
			}
			return rules.Outcome{End: rules.Unknown, Reason: "Continue"}
		case dies: // right after
			d.dead = true
		default: // comes twice
			d.r.twice = true
			w.deliverLink(d.r, c, w.now+d.fault.after+1, nil, true)
		}
	}
	w.deliverLink(d.r, c, w.now+second/10, fault, false)
	return rules.Outcome{}
}

// name is what a thing is called, or "" where the service says so.
func (d *delivery) name() string {
	switch d.w.k.naming {
	case byStableID:
		return d.revision.stable(d.r.p)
	case byTemplate:
		return d.revision.name(d.r.p)
	}
	return ""
}

func (d *delivery) make(o *rules.Outcome) (*thing, rules.End) {
	w, k := d.w, d.w.k
	t := thing{id: d.name(), by: d, token: d.r.number, has: d.revision.sets(d.r.p), ready: w.now + d.r.waits}
	t.has.version = -1 // not yet brought to its properties
	if k.explained() {
		t.tag = d.revision.stable(d.r.p)
	}
	if t.id != "" {
		if there := w.leaving(t.id); there != nil { // its name is not free yet
			if w.sleep(min(there.leaves, d.deadline) - w.now); !d.inTime() {
				d.r.refused = true
				return nil, rules.Unknown
			}
			t.ready = w.now + d.r.waits
		}
		if there := w.read(t.id); there != nil && k.puts && there.state != stranger {
			there.by, there.said = d, false
			return there, rules.Done
		} else if there != nil {
			if o.ID = t.id; k.mute {
				o.ID = ""
			}
			w.tell("      met %s", t.id)
			return nil, rules.AlreadyExists
		}
		return w.put(t), rules.Done
	}
	if k.token {
		for _, there := range w.things {
			if there.token == t.token && there.alive {
				there.by, there.said = d, false
				return there, rules.Done
			} else if there.token == t.token {
				return nil, rules.Failed // its token belongs to what was deleted
			}
		}
	}
	w.assigned++
	t.id = assigned[w.assigned%len(assigned)]
	return w.put(t), rules.Done
}

func (d *delivery) Update(id string, how rules.How) rules.Outcome {
	d.effect()
	w := d.w
	w.tell("    Update %s, how %d", id, how)
	defer func() { d.ended = w.now }()
	failed := func(end rules.End) rules.Outcome { return rules.Outcome{End: end, Reason: "Update"} }
	if d.over() {
		return failed(rules.Unknown)
	}
	if end, hit := d.meets(begun); hit {
		return failed(end)
	}
	if !d.work() {
		return failed(rules.Unknown)
	}
	t := w.read(id)
	if t == nil {
		return failed(rules.NotFound)
	}
	wants := d.revision.sets(d.r.p)
	if t.has.identity != wants.identity && t.has.identity != 0 {
		if w.k.rigid {
			d.r.refused = d.r.refused || !w.k.explained() || t.by == nil // any other is replaced
			return failed(rules.Failed)
		}
		if how == rules.InPlace && !w.stack.half { // which is not what the old properties say
			w.blame(wordless, t, d.r)
		}
	}
	if t.state == stranger {
		w.harm(strangerTouched, t)
	}
	if end := d.poll(t.ready, false); end != rules.Done {
		return failed(end)
	}
	t.has, t.writer = wants, d
	if w.k.retags {
		t.tag = d.revision.stable(d.r.p)
	}
	w.tell("      %s is now %v", id, t.has)
	if end, hit := d.meets(made); hit {
		return failed(end)
	}
	if end, hit := d.meets(done); hit {
		return failed(end)
	}
	return rules.Outcome{}
}

func (d *delivery) Delete(id string, once bool) rules.Outcome {
	d.effect()
	w, k := d.w, d.w.k
	w.tell("    Delete %s, once %t", id, once)
	failed := func(end rules.End) rules.Outcome { return rules.Outcome{End: end, Reason: "Delete"} }
	end := d.start + d.revision.timeout // the margin may be used for the second look
	w.sleep(100)
	if d.dead || w.now >= end {
		return failed(rules.Unknown)
	}
	if d.r.kind == lifecycle.Delete {
		if end, hit := d.meets(begun); hit {
			return failed(end)
		}
	}
	t := w.read(id)
	if d.stuck {
		if t != nil {
			t.undone = true
		}
		return failed(rules.Failed)
	}
	if t != nil && once && k.idle { // it waits for something else first
		if end := d.poll(t.made+60*second, once); end != rules.Done {
			t.idled = true
			return failed(end)
		}
	}
	for t != nil && w.now < t.made+w.busy { // right after it was made, or changed
		switch {
		case !once:
		case k.patient && w.now+second >= d.deadline: // every try failed
			t.undone = true
			return failed(rules.Unknown)
		case !k.patient:
			t.undone = true
			return failed(rules.Transient)
		}
		d.r.blocked = t
		d.r.refused = d.r.refused || w.now > d.deadline // a second look leaves it no time
		if w.sleep(second); d.dead || w.now >= end {
			return failed(rules.Transient)
		}
		t = w.read(id)
	}
	if t == nil {
		t = w.leaving(id)
	} else {
		w.remove(t, d)
	}
	switch {
	case t != nil:
		if end := d.poll(t.leaves, once); end != rules.Done {
			return failed(end)
		}
	case k.naming == byService && k.finds && !strings.HasPrefix(id, "svc-"):
		return failed(rules.InvalidRequest)
	case !k.lenient:
		return failed(rules.NotFound)
	}
	if d.r.kind == lifecycle.Delete {
		for _, p := range []point{made, done} {
			if end, hit := d.meets(p); hit {
				return failed(end)
			}
		}
	}
	return rules.Outcome{}
}

func (d *delivery) Wait(m rules.Moment) bool {
	d.effect()
	w := d.w
	until, latest := 0, d.deadline
	switch m {
	case rules.Lag:
		until, latest = d.r.birth+d.revision.findLag, w.now+(d.deadline-w.now)/2
	case rules.CreateOver:
		until, latest = d.start+cmp.Or(d.revision.grace, d.revision.timeout-margin+1), d.start+d.revision.timeout-second
		if w.k.finds {
			until += d.revision.findLag
		}
	case rules.NextAnswer:
		if d.told.again++; d.told.again > 2 {
			return false
		}
		until = w.now + d.told.again*second
	case rules.OtherAnswers:
		until, latest = w.now+5*second, w.now+(d.deadline-w.now)/2
	case rules.NextTry, rules.NextUndo:
		d.tries++
		until = w.now + second<<min(d.tries, 3)/2
		if until >= d.deadline || m == rules.NextUndo && until > d.ended+5*second {
			return false
		}
	}
	until = min(until, latest)
	if d.dead || until <= w.now {
		return false
	}
	w.tell("    waits %d s", (until-w.now)/second)
	w.sleep(until - w.now)
	if m == rules.OtherAnswers {
		d.ended = w.now // from then on the undo is retried
	}
	return true
}
