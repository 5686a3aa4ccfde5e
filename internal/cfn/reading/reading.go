// Package reading lists what AWS does not document of CloudFormation, what is assumed
// in its place, and the other ways in which CloudFormation may go. The engine plays any
// of them, so that a handler can be tried under each. The list in docs/rough_edges.md
// and cfnlocal's help are printed from it.
package reading

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// A Reading is a question about CloudFormation that no documentation answers.
type Reading struct {
	Name     string // after --assume
	Question string // what is not known
	Assumed  Way
	Others   []Way
	Source   string // of what is assumed, with its label: [D]ocumented, [O]bserved or [?]
	Depends  string // what of the SDK goes by it
}

// A Way is one of the answers to a Reading.
type Way struct {
	Name string // after --assume NAME=
	Does string // what CloudFormation then does
	set  func(*engine.Options)
}

// An Assumption is a Way of a Reading.
type Assumption struct {
	Reading *Reading
	Way     *Way
}

// String writes it as [Parse] reads it.
func (a Assumption) String() string {
	if a.Reading == nil {
		return ""
	}
	return a.Reading.Name + "=" + a.Way.Name
}

// Set has the stack of the options go that way.
func (a Assumption) Set(o *engine.Options) {
	a.Reading.Assumed.set(o) // no other way of it is left
	a.Way.set(o)
}

// Form says how an assumption is written.
const Form = "READING[=WAY]"

// Parse reads an assumption: a Reading's name, and a Way's if it has several others.
func Parse(text string) (Assumption, error) {
	name, way, chosen := strings.Cut(text, "=")
	i := slices.IndexFunc(Readings, func(r Reading) bool { return r.Name == name })
	if i < 0 {
		return Assumption{}, fmt.Errorf("there is no reading %.40q: want one of %s", name, list(Readings, func(r Reading) string { return r.Name }))
	}
	r := &Readings[i]
	if !chosen && len(r.Others) == 1 {
		return Assumption{r, &r.Others[0]}, nil
	}
	for i := range r.Others {
		if r.Others[i].Name == way {
			return Assumption{r, &r.Others[i]}, nil
		}
	}
	if way == r.Assumed.Name {
		return Assumption{r, &r.Assumed}, nil
	}
	return Assumption{}, fmt.Errorf("the reading %s has no way %.40q: want %s=WAY, with one of %s", name, way, name, list(r.Others, func(w Way) string { return w.Name }))
}

// ParseAll parses several assumptions. Of two about one Reading the later one counts.
func ParseAll(texts []string) ([]Assumption, error) {
	var all []Assumption
	for _, text := range texts {
		a, err := Parse(text)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

func list[T any](all []T, name func(T) string) string {
	var names []string
	for _, v := range all {
		names = append(names, name(v))
	}
	return strings.Join(names, ", ")
}

// Others returns each way that is not assumed, in the order of the table.
func Others() []Assumption {
	var all []Assumption
	for i := range Readings {
		for j := range Readings[i].Others {
			all = append(all, Assumption{&Readings[i], &Readings[i].Others[j]})
		}
	}
	return all
}

// Pairs returns each two ways of different readings that are not assumed.
func Pairs() [][]Assumption {
	var pairs [][]Assumption
	all := Others()
	for i, a := range all {
		for _, b := range all[i+1:] {
			if a.Reading != b.Reading {
				pairs = append(pairs, []Assumption{a, b})
			}
		}
	}
	return pairs
}
