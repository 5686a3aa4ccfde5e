//go:build race

package model

// underRace says that the race detector makes a history ten times as long. There
// are no goroutines that it could watch: a part of the histories is enough.
const underRace = true
