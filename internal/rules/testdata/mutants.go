// Package rules, with every mutant in it: this file is compiled into it by TestMutations, beside
// the files that are written anew and a function mutateRow with the changes of its tables.
package rules

import (
	"flag"
	"fmt"
	"strconv"
	"strings"
)

// A mutants is a flag: the numbers of the mutants to try, with commas between.
type mutants string

func init() { flag.Var(new(mutants), "mutants", "the `numbers` of the mutants to try") }

func (m *mutants) String() string { return string(*m) }

func (m *mutants) Set(s string) error {
	*m = mutants(s)
	return nil
}

var (
	mutant      int    // the one that runs
	mutantTable string // what it changes, if that is a table
	met         bool   // what it changes was come to
)

// Each runs found with each of the mutants, and prints those that it finds. A panic finds one, too.
func (m *mutants) Each(found func() bool) {
	for _, text := range strings.Split(string(*m), ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			panic(err)
		}
		mutant, mutantTable = n, mutateRow(n)
		fmt.Println("try", n)
		if finds(found) {
			fmt.Println("found", n)
		}
	}
}

func finds(found func() bool) (yes bool) {
	defer func() {
		if recover() != nil {
			yes = true
		}
	}()
	return found()
}

// Met reports whether the mutant was come to since it was asked last. Number 0
// is the rules as they are: that is always so.
func (m *mutants) Met() bool {
	was := met || mutant == 0
	met = false
	return was
}

func is(n int) bool {
	if mutant != n {
		return false
	}
	met = true
	return true
}

func mutTurn(n int, c bool) bool { return c != is(n) }

func mutLeave[T any](n int, f func() T) (zero T) {
	if is(n) {
		return zero
	}
	return f()
}

func mutLeave2[A, B any](n int, f func() (A, B)) (a A, b B) {
	if is(n) {
		return a, b
	}
	return f()
}

func mutOther[T any](n int, a, b T) T {
	if is(n) {
		return b
	}
	return a
}

func mutTable[T any](name string, table T) T {
	if name == mutantTable {
		met = true
	}
	return table
}
