package play_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/schema"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

type shelfProps struct {
	Name   string `cfn:"createOnly,required"`
	Wood   wood
	Boards []board
	Tags   map[string]string
	Narrow uint8
	Locked bool
	Every  time.Duration
	Policy any
	Odd    []map[string]string
}

type board struct{ Depth int }

type wood string

func (wood) DescribeProperty(p *schema.Property) { p.Enum = []any{"oak", "pine"} }

// keeps is a handler of properties of a type, which is all that is asked of it here.
type keeps[P any] struct{}

func (keeps[P]) Create(context.Context, *cfnresource.CreateRequest[P]) (none struct{}, err error) {
	return none, nil
}

func (keeps[P]) Update(context.Context, *cfnresource.UpdateRequest[P]) (none struct{}, err error) {
	return none, nil
}

func (keeps[P]) Delete(context.Context, *cfnresource.DeleteRequest[P]) error { return nil }

// ofType makes services whose handler has properties of a type.
func ofType[P any](testing.TB) play.Service {
	return play.Service{Function: func() simulate.Function { return cfnresource.New(keeps[P]{}) }}
}

var shelf = play.Contract{
	New:        ofType[shelfProps],
	Properties: shelfProps{Name: "hall/1", Wood: "oak", Boards: []board{{10}, {20}}, Tags: map[string]string{"a": "x"}, Narrow: 7, Every: time.Minute, Policy: map[string]any{"Allow": []string{"a", "b"}}, Odd: []map[string]string{{"no word": "x"}}},
	InPlace:    shelfProps{Name: "hall/1", Wood: "pine"},
	Draw:       func(r *rand.Rand) any { return shelfProps{Name: strings.Repeat("n", 1+r.IntN(9)), Wood: "oak"} },
	Fixed:      []string{"Wood"},
}

// What a property can be instead is what its type says, and what InPlace has.
func TestEachPropertyHasTheChangesOfItsType(t *testing.T) {
	want := map[string]string{
		"*":               "left-out zero",
		"Name":            "left-out other empty case spaces endings endings:line least most most:huge",
		"Boards":          "left-out empty exchanged doubled alike:Depth entries:11 entries:101 entries:1001",
		"Boards.0.Depth":  "left-out zero other least most most:exact",
		"Tags":            "left-out empty case endings entries:11 entries:101 entries:1001",
		"Tags.a":          "other empty case spaces endings endings:line least most most:huge",
		"Narrow":          "value:v1 left-out left-out:v1 other least most",
		"Locked":          "left-out other",
		"Every":           "value:v1 value:1 left-out left-out:v1 other least least:second most most:days",
		"Odd":             "left-out empty exchanged doubled alike:no%20word entries:11 entries:101 entries:1001",
		"Odd.0":           "empty case endings entries:11 entries:101 entries:1001",
		"Odd.0.no%20word": "other empty case spaces endings endings:line least most most:huge",
		"Policy":          "left-out",
		"Policy.Allow":    "left-out empty exchanged joined doubled entries:11 entries:101 entries:1001",
		"Policy.Allow.0":  "other empty case spaces endings endings:line least most most:huge",
	}
	got := map[string]string{}
	for _, word := range play.Changes(t, shelf, "v0") {
		path, kind, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(word, "v0["), "]"), "=")
		got[path] = strings.TrimSpace(got[path] + " " + kind)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What is made of a text is of its form, so that what takes the one takes the other.
func TestAnotherTextIsOfItsForm(t *testing.T) {
	for text, want := range map[string]string{
		"ada":                       "adax",
		"192.0.2.255":               "192.0.3.0",
		"10.0.0.0/24":               "10.0.1.0/24",
		"2001:db8::/32":             "2001:db9::/32",
		"2027-03-01T02:00:00+02:00": "2027-03-02T02:00:00+02:00",
		"2027-02-28":                "2027-03-01",
		"2h0m0s":                    "2h1m0s",
		"90s":                       "1m31s",
		"ada@example.com":           "ada-1@example.com",
		"www.example.com":           "www-1.example.com",
		"example.com.":              "example-1.com.",
		"/shop/":                    "/shop-1/",
		"https://example.com/a":     "https://example.com/ax",
		"":                          "x",
		"/":                         "/x",
		"1.2":                       "1.2x",
	} {
		c := play.Contract{Properties: map[string]any{"P": text}}
		props, _ := play.Version(t, c, "v0[P=other]").(map[string]any)
		if props["P"] != want {
			t.Errorf("%q becomes %q, want %q", text, props["P"], want)
		}
	}
}

// An entry more differs in what tells entries apart: the other members may be of few values.
func TestAnotherEntryHasAnotherName(t *testing.T) {
	type entry = map[string]any
	for _, test := range []struct {
		list []any
		want entry
	}{
		{[]any{entry{"Name": "www", "Type": "A"}, entry{"Name": "mail", "Type": "MX"}}, entry{"Name": "www-2", "Type": "A"}},
		{[]any{entry{"Side": "left", "Type": "A"}, entry{"Side": "right", "Type": "A"}}, entry{"Side": "left-2", "Type": "A"}},
		{[]any{entry{"Side": "left", "Type": "A"}}, entry{"Side": "left-2", "Type": "A-2"}},
	} {
		c := play.Contract{Properties: entry{"L": test.list}}
		list, _ := play.Version(t, c, "v0[L=entries:11]").(map[string]any)["L"].([]any)
		if diff := cmp.Diff(any(test.want), list[2]); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// A change is of one property, and the others stay as they are.
func TestAChangeIsOfOneProperty(t *testing.T) {
	boards := func(depths ...string) (all []any) {
		all = []any{}
		for _, d := range depths {
			all = append(all, map[string]any{"Depth": d})
		}
		return all
	}
	for word, want := range map[string]any{
		"v0[Name=case]":                        boards("10", "20"),
		"v0[Boards=exchanged]":                 boards("20", "10"),
		"v0[Boards=empty]":                     boards(),
		"v0[Boards.0.Depth=other]":             boards("11", "20"),
		"v0[Boards=doubled]":                   boards("10", "20", "10", "20"),
		"v0[Boards=left-out]":                  nil,
		"v0[Boards.0.Depth=enormous]":          "there is no such change",
		"v0[Wood=value:2]":                     "there is no such change", // it is fixed
		"v0[Boards=entries:101]":               101,
		"refused[Boards=empty]":                "there is no such change", // the Contract has no Refused
		"v0[Name=draw:7]":                      boards("10", "20"),
		"v0[Boards=draw:18446744073709551616]": "there is no such change",
	} {
		var got any = "there is no such change"
		if props, ok := play.Version(t, shelf, word).(map[string]any); ok {
			got = props["Boards"]
			if list, ok := got.([]any); ok && len(list) > 100 {
				got = len(list)
			}
			if name := props["Name"]; (name != "hall/1") != strings.Contains(word, "Name") {
				t.Errorf("%s has the Name %v", word, name)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", word, diff)
		}
	}
}

// Properties without a type are taken for what they look like.
func TestAMapVariesAsItLooks(t *testing.T) {
	c := play.Contract{Properties: map[string]any{"On": true, "Size": 3, "In": map[string]any{"Door": "red"}}}
	got := strings.Join(play.Changes(t, c, "v0"), " ")
	for _, want := range []string{"v0[On=other]", "v0[Size=zero]", "v0[In.Door=case]", "v0[In=left-out]"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
}

type bareList []map[string]string

func (bareList) DescribeProperty(p *schema.Property) { p.Items = nil }

// A list whose schema does not say of what has entries that are what they are.
func TestAListOfAnythingVaries(t *testing.T) {
	c := play.Contract{Properties: map[string]any{"L": []any{map[string]any{"Name": "a"}}}, New: ofType[struct{ L bareList }]}
	list, _ := play.Version(t, c, "v0[L=from:alike:Name]").(map[string]any)
	if diff := cmp.Diff(any([]any{map[string]any{"Name": "a"}, map[string]any{"Name": "a-1"}}), list["L"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
