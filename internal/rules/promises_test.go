package rules_test

import "slices"

// A promise holds in every way.
type promise struct {
	name  string
	holds func(*way) bool
}

var promises = slices.Concat(answerPromises, identityPromises, adoptionPromises, undoPromises, leakPromises, lostPromises)
