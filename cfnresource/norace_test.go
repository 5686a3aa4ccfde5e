//go:build !race

package cfnresource_test

const underRace = false
