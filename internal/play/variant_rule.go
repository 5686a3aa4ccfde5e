package play

// Says what the rules know of the kinds of changes that variant_kind.go makes, and how many are played, in which order.
// Nothing here plays.

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A kind is what the rules know of the changes of one name.
type kind struct {
	From  string // the kind of the same property that it is played from; "" for none
	Tells bool   // a service has to tell it apart from that, or to refuse it
	Less  bool   // it has nothing that was not there before, and must succeed
	Vast  bool   // it is out of all proportion: a service may refuse it in any way
	Keeps bool   // it can say that a thing outlives its stack
	Free  bool   // it tells only where any "other" text is accepted: of few words, two may mean the same
}

// kinds are those of which the rules know more than that their result does not depend on the way there.
var kinds = map[string]kind{
	// of any property
	inPlace:   {Keeps: true},
	replacing: {Keeps: true},
	leftOut:   {Keeps: true},
	"removed": {From: inPlace, Keeps: true},

	// of booleans and numbers
	"turned":          {Keeps: true},
	"zero-given":      {From: leftOut, Tells: true},
	"cents-more":      {From: "cents", Tells: true},
	"fine-other":      {From: "fine", Tells: true},
	"hundredfold":     {Vast: true},
	"hundredfold-one": {From: "hundredfold", Tells: true, Vast: true},
	"wide":            {From: "one-more", Tells: true, Vast: true},

	// of texts
	"other":         {Tells: true},
	"colon":         {Tells: true},
	"slash":         {Tells: true},
	"pipe":          {Tells: true},
	"dot":           {Tells: true},
	"comma":         {Tells: true},
	"dash":          {Tells: true},
	allEndings:      {Tells: true},
	"escaped":       {Tells: true},
	"reserved":      {Tells: true},
	"true-one":      {From: "true", Tells: true, Free: true},
	"line":          {Tells: true},
	"line-other":    {From: "line", Tells: true},
	"long-other":    {From: "long", Tells: true},
	"long-63-other": {From: "long-63", Tells: true},
	"digits-zero":   {From: "digits", Tells: true},
	"huge":          {Vast: true},
	"huge-other":    {From: "huge", Tells: true, Vast: true},
	"offset":        {Tells: true},
	"half-second":   {Tells: true},
	"hour-more":     {Tells: true},
	"wide-more":     {Tells: true},
	"tenfold":       {Vast: true},
	"longer":        {From: "tenfold", Tells: true, Vast: true},

	// of lists and maps
	"reversed":      {Less: true},
	"two-reversed":  {From: "two"},
	"doubled":       {Less: true},
	"without-first": {Less: true},
	"without-last":  {Less: true},
	"joined":        {Tells: true},
	"two-joined":    {From: "two", Tells: true},
	"aws":           {Tells: true},
	"cases":         {Tells: true},
	"11":            {Tells: true},
	"101":           {From: "11", Tells: true},
	"1001":          {From: "101", Tells: true},
}

// kind returns what is known of a change's kind.
func (ch change) kind() kind {
	if strings.HasPrefix(ch.Kind, manyEntries+"-but-") {
		return kind{From: manyEntries, Tells: true}
	}
	if name, is := strings.CutPrefix(ch.Kind, "alike-alone-"); is {
		return kind{From: "alike-but-" + name, Tells: true}
	}
	k := kinds[ch.Kind]
	k.Tells = k.Tells || strings.HasPrefix(ch.Kind, "alike-but-")
	k.Keeps = k.Keeps || strings.HasPrefix(ch.Kind, "value-")
	return k
}

// kindOf returns what is known of the change that a version has.
func kindOf(version string) kind {
	_, ch, _ := cutChange(version)
	return ch.kind()
}

// from returns the version that a change of another is played from, if it can be had.
func (ch change) from(base string) string {
	if of := ch.kind().From; of != "" {
		return change{ch.Path, of}.in(base)
	}
	return base
}

// differ reports whether a service has to tell two versions apart, or to refuse one: one has more than the other, and
// nothing else differs.
func differ(from, to string) bool {
	base, ch, ok := cutChange(to)
	return ok && ch.kind().Tells && from == ch.from(base)
}

// isLarge reports whether a change has so many entries that the time of the function may be too short for a fault.
func (v varied) isLarge() bool {
	_, ch, _ := cutChange(v.to)
	return ch.isLarge()
}

func (ch change) isLarge() bool {
	many, _, _ := strings.Cut(ch.Kind, "-but-")
	n, err := strconv.Atoi(many)
	return err == nil && n > sizes[0]
}

// isOneOfMany reports whether a change is of one entry among many: one way is enough for it.
func (v varied) isOneOfMany() bool { return strings.Contains(v.to, manyEntries+"-but-") }

// most is how many changes are played, of those that the handler accepts.
func (s *suite) most() int {
	switch {
	case s.RealTime:
		return 12
	case s.All:
		return math.MaxInt / 3
	}
	return 200
}

// ordered returns changes in the order in which they are played, always the same: the first ones, and then some of all
// others.
func (s *suite) ordered(all []varied) []varied {
	first := min(len(all), s.most()/5*4)
	seed := fnv.New64()
	_, _ = seed.Write([]byte(s.t.Name()))
	ordered := slices.Clone(all[:first])
	for _, i := range rand.New(rand.NewPCG(seed.Sum64(), 0)).Perm(len(all) - first) {
		ordered = append(ordered, all[first+i])
	}
	for i := range ordered {
		ordered[i].turn = i
	}
	return ordered
}
