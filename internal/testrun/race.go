//go:build race

package testrun

// Race means that the race detector is on: it counts more memory, and slows everything down.
const Race = true
