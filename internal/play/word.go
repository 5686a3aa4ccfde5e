package play

// The words of histories. A row of the tables below is all that is known of a word: a new one is a row, and the function
// that plays it. docs/checks.md is written from the rows.

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/simulate"
)

// The words that code goes by.
const (
	original     = "v0"
	inPlace      = "v1"
	replacing    = "v2"
	refused      = "refused"
	notUpdatable = "not-updatable"
	again        = "again"
	takesOut     = "out"
	rollsBack    = "rollback"
	deletesStack = "delete"
	asItIs       = "" // the settled template, with what the other resources get

	removed      = "gone"
	twin         = "twin"
	namesakes    = "namesakes"
	occupied     = "occupied"
	otherDeletes = "other-deletes"
	uses         = "use"
	usesMuch     = "use-1001"
	hours        = "2h"
	aMonth       = "30d"
	crowd        = "crowd"
	largeCrowd   = "crowd-1001"

	warm      = "warm"
	warmPair  = "warm-2"
	before    = "before"
	foreignID = "foreign-id"
	nativeID  = "native-id"
	longName  = "long-name"
	slowly    = "slowly"
	sameIDs   = "same-ids"
)

// aged is what all words have in common by which time passes.
const aged = "age"

const day = 24 * time.Hour

// A word is an operation of a history, or a circumstance in which all of its operations are played.
type word struct {
	name  string
	means string
	needs need
	like  string // the sign that it has in common with words like it, by which cause.go goes; "" if with none

	// How it is played: CloudFormation is asked for it, or it passes without CloudFormation. A circumstance has neither.
	asks  func(h *historyRun, op operation) error
	plays func(h *historyRun, t testing.TB, op operation)

	surrounds  bool // a line without it is one of another check
	takesFault bool // though it passes without CloudFormation

	field      string                // of a version: its properties are this field of the Contract
	properties func(c *Contract) any // and this returns them

	lasts time.Duration // how much time passes: so much that a token, a stored record, or a date in the properties may have expired
	times int           // how often it does what it does

	options func(o *simulate.Options) // of a circumstance: it sets the stack's options
	begins  func(s *simulate.Stack)   // or does something before the first operation
}

// A wordTable holds all words, in the order in which they are listed.
type wordTable struct {
	once   sync.Once
	rows   []word
	byName map[string]*word
}

var theWords wordTable

// words returns the table. It is made when it is first asked for, since the functions in its rows ask for words.
func words() []word {
	theWords.once.Do(func() {
		theWords.rows, theWords.byName = allWords(), map[string]*word{}
		for i := range theWords.rows {
			w := &theWords.rows[i]
			theWords.byName[w.name] = w
		}
	})
	return theWords.rows
}

// wordNamed returns the row of a word, or an empty one.
func wordNamed(name string) *word {
	words()
	if w := theWords.byName[name]; w != nil {
		return w
	}
	return &word{}
}

// wordsThat returns the names of the words that are of a kind.
func wordsThat(is func(w *word) bool) (names []string) {
	all := words()
	for i := range all {
		if is(&all[i]) {
			names = append(names, all[i].name)
		}
	}
	return names
}

// allWords returns the rows.
func allWords() []word {
	return slices.Concat(wordsOfCloudFormation(), wordsOfOthers(), wordsOfCircumstances())
}

// wordsOfCloudFormation are what CloudFormation is asked for. A version deploys properties of the Contract.
func wordsOfCloudFormation() []word {
	return []word{
		{name: original, means: "deploys Properties", field: "Properties", properties: func(c *Contract) any { return c.Properties }, asks: (*historyRun).deploy},
		{name: inPlace, means: "deploys InPlace", needs: needInPlace, field: "InPlace", properties: func(c *Contract) any { return c.InPlace }, asks: (*historyRun).deploy},
		{name: replacing, means: "deploys Replacing", needs: needReplacing, field: "Replacing", properties: func(c *Contract) any { return c.Replacing }, asks: (*historyRun).deploy},
		{name: refused, means: "deploys Refused", field: "Refused", properties: func(c *Contract) any { return c.Refused }, asks: (*historyRun).deploy},
		{name: notUpdatable, means: "deploys NotUpdatable", field: "NotUpdatable", properties: func(c *Contract) any { return c.NotUpdatable }, asks: (*historyRun).deploy},

		{name: again, means: "updates the resource to the properties that it has, half a minute later", asks: (*historyRun).deployAgain},
		{name: takesOut, means: "deploys a template without the resource", asks: (*historyRun).deploy},
		{name: asItIs, asks: (*historyRun).deploy},
		{name: rollsBack, means: "is RollbackStack", asks: (*historyRun).rollBack},
		{name: deletesStack, means: "is DeleteStack, with which each history ends whether it says so or not", asks: (*historyRun).destroy},
	}
}

// wordsOfOthers are what other people do, and time, without CloudFormation. A bubble begins in the year 2000: after the
// longest time, a date of today is past.
func wordsOfOthers() []word {
	return []word{
		{name: removed, means: "has somebody remove the resource", needs: needState, surrounds: true, plays: (*historyRun).removeThing},
		{name: twin, means: "has another delivery of the resource's Create make a second thing of the same StableID: after the resource or, as in `twin v0`, before it and unseen by the searches of its Create", plays: (*historyRun).makeTwin},
		{name: namesakes, means: "has two stacks, of the same name and of one that begins with it, make the same resource, delete it and make it again; with a fault, the second one has only begun when the history goes on", surrounds: true, takesFault: true, plays: (*historyRun).makeNamesakes},
		{name: occupied, means: "has the Service's Occupy make a thing under the ID that the next operation's Create gives, if two stacks want the same, and before any other operation under one that begins with the resource's ID", needs: needState, surrounds: true, plays: (*historyRun).occupy},
		{name: otherDeletes, means: "delivers Deletes of what is gone: once more those of the IDs that the resource had before, and those of IDs with which the resource's begins", needs: needState, surrounds: true, plays: (*historyRun).deliverOtherDeletes},

		{name: uses, means: "calls the Service's Use, which puts something into the resource", needs: needUse | needState, like: uses, surrounds: true, times: 1, plays: (*historyRun).putInto},
		{name: usesMuch, means: "calls Use 1,001 times, so that a thing's contents fill more than a page", needs: needUse | needState | needVirtualTime, like: uses, surrounds: true, times: 1001, plays: (*historyRun).putInto},

		{name: hours, means: "lets two hours pass, except in RealTime", needs: needVirtualTime, like: aged, surrounds: true, lasts: 2 * time.Hour, plays: (*historyRun).letPass},
		{name: aMonth, means: "lets thirty days pass", needs: needVirtualTime, like: aged, surrounds: true, lasts: 30 * day, plays: (*historyRun).letPass},
		{name: "2y", means: "lets two years pass", needs: needVirtualTime, like: aged, surrounds: true, lasts: 2 * 365 * day, plays: (*historyRun).letPass},
		{name: "50y", means: "lets fifty years pass", needs: needVirtualTime, like: aged, surrounds: true, lasts: 50 * 365 * day, plays: (*historyRun).letPass},

		// more than a page of most lists, before the resource's in a list by name; a fifth as many come after it
		{name: crowd, means: "adds other people's things: it calls the Service's Crowd, and if the handler can make things of the same properties for other stacks, it makes 121", like: crowd, surrounds: true, times: 101, plays: (*historyRun).gather},
		{name: largeCrowd, means: "makes 1,201 in the same way", like: crowd, surrounds: true, times: 1001, plays: (*historyRun).gather},
	}
}

// wordsOfCircumstances stand before the operations, and say how all of them are played.
func wordsOfCircumstances() []word {
	return []word{
		{name: warm, means: "has one process handle all events, as long as it lives", like: warm, surrounds: true, options: func(o *simulate.Options) { o.Warm = 1 }},
		{name: warmPair, means: "has two processes handle the events in turn", like: warm, surrounds: true, options: func(o *simulate.Options) { o.Warm = 2 }},
		{name: before, means: "has the Service's Before make the thing of the first operation, as the former program did", needs: needBefore},
		{name: foreignID, means: "has the former program make it under an ID that this one would not give, as the Service's Occupy does if there is one"},
		{name: nativeID, means: "has the former program make it under an ID that this one could have given"},
		{name: longName, means: "gives the stack a name so long that StableIDs reach their limit of 63 characters", options: func(o *simulate.Options) { o.Name = strings.Repeat("a-stack-of-a-long-name-", 5) + "1" }},
		{name: slowly, means: "has each Step take a while", needs: needVirtualTime, surrounds: true, begins: (*simulate.Stack).SlowSteps},
		{name: sameIDs, means: "gives a request that repeats an earlier one its RequestId, as has been seen of CloudFormation", surrounds: true, begins: (*simulate.Stack).ReuseRequestIDs},
	}
}

// isOperation reports whether a word is an operation by itself; isCircumstance, whether it only says how all others are played.
func (w *word) isOperation() bool {
	if w.name == asItIs {
		return false
	}
	return w.asks != nil || w.plays != nil
}

func (w *word) isCircumstance() bool { return w.name != asItIs && !w.isOperation() }

// isVersion reports whether a word deploys properties of the Contract.
func (w *word) isVersion() bool { return w.properties != nil }

// versions returns the words that deploy properties of the Contract.
func versions() []string { return wordsThat((*word).isVersion) }

// listedWords returns the words that a line can have, the circumstances last.
func listedWords() []string {
	return wordsThat(func(w *word) bool { return w.name != asItIs })
}

// The variants of an operation.
const (
	noVariant        = ""
	siblingFails     = "sibling-fails"
	cancelled        = "cancelled"
	rollbackDisabled = "kept"
	unreadable       = "unreadable"
	oldUnreadable    = "old-unreadable"
	native           = "native"
)

// A variant is a way in which an operation is played. Each operation that deploys some properties has all of them.
type variant struct {
	name, means string
	also        string // another operation that can be played in it, or ""

	siblingFails    bool // another resource fails when this one is done
	disableRollback bool

	// rewrites returns what each event of the resource becomes; nil if it stays as it is. props are what the operation deploys.
	rewrites func(requestType string, event []byte, props any) []byte
}

var variants = []variant{
	{name: siblingFails, means: "another resource fails when this one is done, and the stack is rolled back", siblingFails: true},
	{name: cancelled, means: "another resource fails while the handler works, and the stack is rolled back"},
	{name: rollbackDisabled, means: "is `/sibling-fails` with DisableRollback", siblingFails: true, disableRollback: true},
	{name: unreadable, means: "the properties of each Delete have another shape", also: deletesStack, rewrites: hideFromDelete},
	{name: oldUnreadable, means: "the old properties of each Update have another shape, as if an older program had deployed them", also: again, rewrites: hideOld},
	{name: native, means: "numbers and booleans are not sent as texts", rewrites: sendNative},
}

// variantNamed returns the row of a variant, or an empty one.
func variantNamed(name string) variant {
	i := slices.IndexFunc(variants, func(v variant) bool { return v.name == name })
	if i < 0 {
		return variant{}
	}
	return variants[i]
}

// variantNames returns the names of all variants.
func variantNames() (names []string) {
	for _, v := range variants {
		names = append(names, v.name)
	}
	return names
}

func hideFromDelete(requestType string, event []byte, _ any) []byte {
	if requestType != "Delete" {
		return event
	}
	return simulate.Unreadable(event, "ResourceProperties")
}

func hideOld(_ string, event []byte, _ any) []byte {
	return simulate.Unreadable(event, "OldResourceProperties")
}

func sendNative(requestType string, event []byte, props any) []byte {
	if requestType == "Delete" {
		return event
	}
	return simulate.NativeValues(event, props)
}
