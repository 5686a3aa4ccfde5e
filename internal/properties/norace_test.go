//go:build !race

package properties

const underRace = false
