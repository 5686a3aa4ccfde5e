//go:build race

package cfnresource_test

// underRace says that the race detector counts more memory, and slows everything
// down.
const underRace = true
