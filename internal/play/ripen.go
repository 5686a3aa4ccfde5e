package play

// What a service does by itself. A thing whose request was answered too early goes on to become what its owner's template
// says, and nobody has changed it then: it is compared with what would be there if nothing were done.

// ripe returns the State of the thing of a version when its service has had its time since the Create; nil if that is not
// known.
func (h *historyRun) ripe(version string) any {
	if later := h.learned.calibration.later[version]; !isNothing(later) {
		return later
	}
	return h.learned.want[version]
}

// isTouched reports whether somebody has changed a thing that was in a state, and whose owner has deployed a version. What
// has become what the owner deployed is nobody's work.
func (h *historyRun) isTouched(version string, was, now any) bool {
	if ripe := h.ripe(version); !isNothing(ripe) && sameState(now, ripe) {
		return false
	}
	return differ(now, was)
}

// ripens reports whether the thing under an ID becomes by itself what a Create of the version makes. One that was that
// already has been changed since.
func (h *historyRun) ripens(version, id string) bool {
	was, ripe := h.seen[id], h.ripe(version)
	switch {
	case isNothing(ripe):
		return false
	case !isNothing(was) && sameState(was, ripe):
		return false
	}
	h.c.wait(serviceTime)
	now := h.stateOf(id)
	return sameState(now, ripe) || sameState(now, h.learned.want[version])
}
