//go:build race

package properties

// underRace says that the race detector counts more memory, and slows everything down.
const underRace = true
