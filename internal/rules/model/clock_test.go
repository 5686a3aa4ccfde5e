package model

import "iter"

// A clock is virtual time, in milliseconds, and what goes on in it. One process
// runs at a time, until it sleeps.
type clock struct {
	now   int
	limit int // until when the processes may run
	queue []wake
	idle  []*process
	runs  *process
}

// A wake is the time at which a process goes on.
type wake struct {
	at int
	p  *process
}

// A process is a coroutine that runs one job after the other.
type process struct {
	job   func()
	next  func() (struct{}, bool)
	yield func(struct{}) bool
}

const second = 1000

// start runs job as a process at a time.
func (c *clock) start(at int, job func()) {
	var p *process
	if n := len(c.idle); n > 0 {
		p, c.idle = c.idle[n-1], c.idle[:n-1]
	} else {
		p = &process{}
		p.next, _ = iter.Pull(func(yield func(struct{}) bool) {
			p.yield = yield
			for {
				p.job()
				c.idle = append(c.idle, p)
				if !yield(struct{}{}) {
					return
				}
			}
		})
	}
	p.job = job
	c.queue = append(c.queue, wake{max(at, c.now), p})
}

// first returns the index of the earliest wake, or -1.
func (c *clock) first() int {
	best := -1
	for i, w := range c.queue {
		if best < 0 || w.at < c.queue[best].at {
			best = i
		}
	}
	return best
}

// sleep lets d milliseconds pass for whoever calls it.
func (c *clock) sleep(d int) {
	if d <= 0 {
		return
	}
	if c.runs == nil {
		c.until(c.now+d, func() bool { return false })
		return
	}
	at := c.now + d
	if i := c.first(); at < c.limit && (i < 0 || c.queue[i].at > at) {
		c.now = at // nobody else would run meanwhile
		return
	}
	p := c.runs
	c.queue = append(c.queue, wake{at, p})
	p.yield(struct{}{})
}

// until runs what is to run until done, or a time.
func (c *clock) until(t int, done func() bool) {
	c.limit = t
	for !done() {
		i := c.first()
		if i < 0 || c.queue[i].at > t {
			c.now = max(c.now, t)
			return
		}
		w := c.queue[i]
		c.queue[i] = c.queue[len(c.queue)-1]
		c.queue = c.queue[:len(c.queue)-1]
		c.now, c.runs = w.at, w.p
		w.p.next()
		c.runs = nil
	}
}

// drain runs what is left, all of it.
func (c *clock) drain() {
	for len(c.queue) > 0 {
		c.until(c.queue[c.first()].at, func() bool { return false })
	}
}
