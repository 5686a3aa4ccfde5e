package rules_test

import "slices"

// A promise holds in every way.
type promise struct {
	name  string
	holds func(*way) bool
}

var (
	withoutAnswer = slices.Concat(adoptionPromises, undoPromises, continuePromises)
	promises      = slices.Concat(withoutAnswer, identityPromises, answerPromises, leakPromises, lostPromises)
)

// broken returns the promise that the way breaks, or "". What a way without an
// answer did is done by another one, too, whose Continue failed.
func (w *way) broken() string {
	all := promises
	if w.answer.Continued {
		all = withoutAnswer
	}
	for _, p := range all {
		if !p.holds(w) {
			return p.name
		}
	}
	return ""
}
