//go:build race

package cfnresource_test

// underRace says that the race detector slows everything down.
const underRace = true
