package play

// Which check a finding breaks: that whose history is the simplest with the same harm.

import "slices"

// brokenBy returns the first finding of a history by which it breaks a check, or nil.
func (x *explorer) brokenBy(k *check, r *historyResult) *finding {
	for _, f := range r.findings() {
		if x.isBroken(k, f) {
			return f
		}
	}
	return nil
}

// isBroken reports whether a finding is one of the check, and not one that the line without its circumstances shows as well.
func (x *explorer) isBroken(k *check, f *finding) bool {
	if !k.isBrokenBy(f) {
		return false
	}
	plain := f.history.withoutSurroundings()
	isSurrounded := len(plain) < len(f.history)
	if isSurrounded && x.doesAlike(plain, f.harm) {
		return false
	}
	if slices.ContainsFunc(f.history.partsOfThrottling(), func(part history) bool { return x.known(part).found != nil }) {
		return false
	}
	if alone := f.history.alone(); f.history.hasBeside() && f.history.processes() == 0 {
		return x.known(alone).found == nil
	}
	if slices.ContainsFunc(k.lines, func(h history) bool { return h.has(crowd) }) {
		return isSurrounded // else a crowd has nothing to do with it
	}
	return true
}

// doesAlike reports whether a history does harm, or the same harm with its fault at another step: a new process, which has to
// log in, calls more steps than a warm one, as a list does with many things in it.
func (x *explorer) doesAlike(plain history, what harm) bool {
	op, at := plain.faulty()
	if x.known(plain).found != nil {
		return true
	} else if at < 0 {
		return false
	}
	line, anywhere := slices.Clone(plain), *op.Fault
	anywhere.Step = eachStep
	line[at].Fault = &anywhere
	all, _ := x.meantWith(line)
	return slices.ContainsFunc(all, func(h history) bool { return x.known(h).does(what) })
}

// afterTime returns the finding of the history in which time passes in place of a crowd, which takes time to make, if that
// does the same harm: then no list is to blame. Else it returns the finding itself.
func (x *explorer) afterTime(f *finding) *finding {
	if x.c.RealTime {
		return f
	}
	h := slices.Clone(f.history)
	for i, op := range h {
		if op.word().like == crowd {
			h[i].What = hours
		}
	}
	if r := x.known(h); r.does(f.harm) {
		return r.found
	}
	return f
}

// isBrokenBy reports whether a finding is one of the check.
func (k *check) isBrokenBy(f *finding) bool {
	switch {
	case f == nil, f.harm == unplayable:
		return false
	case k.judges == nil:
		return inAnswers[f.harm] == ""
	}
	return k.judges(f.harm)
}
