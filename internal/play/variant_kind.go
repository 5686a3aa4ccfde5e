package play

// Finds the other values that a property can have, by its type. Nothing here plays.

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource/schema"
)

// A walk through properties finds the other values that each of them can have.
type walk struct {
	found   map[string][]option
	handler handlerType
}

func (w *walk) add(path string, o option) { w.found[path] = append(w.found[path], o) }

// visit adds the other values of a property, and of the properties in it.
func (w *walk) visit(path string, p *schema.Property, value any) {
	p = w.resolve(p)
	text, _ := value.(string)
	switch {
	case p == nil:
	case p.Type == "" && len(p.Enum) == 0: // any type is allowed: it is that of the value
		w.visit(path, guessed(value), value)
	case p.Type == "array":
		list, _ := value.([]any)
		w.lists(path, p, list)
		if len(list) > 0 {
			w.visit(path+".0", p.Items, list[0])
		}
	case p.Type == "object" && p.Properties == nil:
		object, _ := value.(map[string]any)
		w.mappings(path, p, object)
		for _, name := range slices.Sorted(maps.Keys(object))[:min(1, len(object))] {
			w.visit(path+"."+name, mappedTo(p), object[name])
		}
	case p.Type == "object":
		object, _ := value.(map[string]any)
		for name, member := range p.Properties {
			if there, ok := object[name]; ok {
				w.add(path+"."+name, option{leftOut, func() any { return nil }})
				w.visit(path+"."+name, member, there)
			}
		}
	default:
		for _, o := range scalars(p, text) {
			if (allows(p, o[1]) || isBeyond(o[0])) && value != any(o[1]) {
				w.add(path, option{o[0], func() any { return o[1] }})
			}
		}
	}
}

// resolve follows a reference.
func (w *walk) resolve(p *schema.Property) *schema.Property {
	if p != nil && p.Ref != "" {
		return w.handler.Definitions[strings.TrimPrefix(p.Ref, "#/definitions/")]
	}
	return p
}

// mappedTo returns the type of a map's values.
func mappedTo(p *schema.Property) *schema.Property {
	for _, elem := range p.PatternProperties {
		return elem
	}
	return nil
}

// scalars returns other values for a property, by their kinds, the shortest change first.
func scalars(p *schema.Property, text string) (all [][2]string) {
	add := func(kind, value string) { all = append(all, [2]string{kind, value}) }
	for i, v := range append(p.Enum, p.Examples...) {
		add("value-"+strconv.Itoa(i+1), fmt.Sprint(v))
	}
	switch {
	case len(p.Enum) > 0 || p.Type == "":
	case p.Type == "boolean":
		add("turned", strconv.FormatBool(text != "true"))
	case p.Type == "integer" || p.Type == "number":
		n, _ := strconv.ParseInt(text, 10, 64)
		add("one-more", strconv.FormatInt(n+1, 10))
		add("one-less", strconv.FormatInt(n-1, 10))
		add("zero", "0")
		add("least", p.Minimum.String())
		add("most", p.Maximum.String())
		if least, err := p.Minimum.Int64(); err == nil {
			add("below", strconv.FormatInt(least-1, 10))
		}
		if most, err := p.Maximum.Int64(); err == nil {
			add("above", strconv.FormatInt(most+1, 10))
		}
		if p.Type == "number" {
			add("fraction", strconv.FormatInt(n, 10)+".5")
			add("cents", "0.28")
			add("cents-more", "0.29") // which is 28.999999999999996 hundredths
			add("fine", strconv.FormatInt(n, 10)+".0625")
			add("fine-other", strconv.FormatInt(n, 10)+".06252")
		}
		if standard := fmt.Sprint(p.Default); p.Default != nil && standard != "0" {
			add("zero-given", "0") // which is not none
		}
		add("hundredfold", strconv.FormatInt(100*max(n, 1), 10))
		add("hundredfold-one", strconv.FormatInt(100*max(n, 1)+1, 10))
		add("wide", strconv.FormatInt(n+1+1<<32, 10))
	default:
		longest := 255 // of many names
		if p.MaxLength > 0 {
			longest = p.MaxLength
		}
		long := text + strings.Repeat("x", max(longest-len([]rune(text)), 0))
		add("other", other(text))
		add("case", otherCase(text))
		add("empty", "")
		if d, err := time.ParseDuration(text); err == nil {
			add("tenfold", (10 * d).String())
			add("longer", (10*d + time.Second).String())
			add("half", (d / 2).String())
			add("no-time", "0s")
			add("half-second", (d + 500*time.Millisecond).String())
			add("hour-more", (d + time.Hour).String())
			add("wide-more", (d + 1<<32*time.Millisecond).String())
		}
		if t, err := time.Parse(time.RFC3339, text); err == nil {
			add("offset", t.Format("2006-01-02T15:04:05")+"+05:30")
		}
		add(allEndings, withEndings(text))
		add("spaces", " "+text+" ")
		add("long", long)
		add("long-other", strings.TrimSuffix(long, "x")+"y")
		if n := labelLength - len(text); n > 0 && p.MaxLength == 0 {
			add("long-63", text+strings.Repeat("x", n))
			add("long-63-other", text+strings.Repeat("x", n-1)+"y")
		}
		add("line", text+"\nx")
		add("line-other", text+"\ny")
		add("true", "true")
		add("true-one", "1")          // which is a text here, as that is
		add("digits", "123456789012") // as an account's ID
		add("digits-zero", "0123456789012")
		for kind, ending := range endings {
			add(kind, text+ending)
		}
		if p.MaxLength == 0 {
			add("huge", text+strings.Repeat("x", 10_000))
			add("huge-other", text+strings.Repeat("x", 10_000)+"y")
		}
		add("not-ascii", text+"é世")
		add("markup", text+`<&"'\>`)
	}
	return all
}

// labelLength is how long a name in DNS can be, and in many services.
const labelLength = 63

// isBeyond reports whether a kind is a number that the type does not allow, which Create and Update refuse.
func isBeyond(kind string) bool { return kind == "below" || kind == "above" }

// allows reports whether a type allows a text.
func allows(p *schema.Property, text string) bool {
	if p.Type == "integer" || p.Type == "number" {
		n, err := strconv.ParseFloat(text, 64)
		least, noLeast := p.Minimum.Float64()
		most, noMost := p.Maximum.Float64()
		return err == nil && (noLeast != nil || n >= least) && (noMost != nil || n <= most)
	}
	pattern, err := regexp.Compile(p.Pattern)
	length := len([]rune(text))
	return length >= p.MinLength && (p.MaxLength == 0 || length <= p.MaxLength) && (err != nil || pattern.MatchString(text))
}

// sizes are the numbers of entries at which services begin another page or batch.
var sizes = []int{11, 101, 1001}

// manyEntries is the kind of change that gives a list or a map the second of them.
const manyEntries = "101"

// lists adds the other values of a list. If the Contract has no list of two entries, it makes one to reverse.
func (w *walk) lists(path string, p *schema.Property, list []any) {
	add := func(kind string, list func() []any) {
		w.add(path, option{kind, func() any { return list() }})
	}
	add("empty", func() []any { return []any{} })
	size := func(n int) {
		if len(list) > 0 && (p.MaxItems == 0 || n <= p.MaxItems) {
			add(strconv.Itoa(n), func() []any { return w.entries(p.Items, list, n) })
		}
	}
	size(sizes[0])
	if len(list) > 0 { // two that are alike but for one member
		first, _ := list[0].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(first)) {
			if !writable.MatchString(name) {
				continue
			}
			alike := func() any {
				other, items := maps.Clone(first), w.resolve(p.Items)
				if items == nil {
					items = &schema.Property{}
				}
				other[name] = w.unlike(items.Properties[name], first[name], len(list))
				return other
			}
			add("alike-but-"+name, func() []any { return append(slices.Clone(list), alike()) })
			add("alike-alone-"+name, func() []any { return append([]any{alike()}, list[1:]...) })
		}
	}
	if n := len(list); n > 1 {
		add("reversed", func() []any { return reversed(list) })
		add("without-first", func() []any { return list[1:] })
		add("without-last", func() []any { return list[:n-1] })
		if text, is := joined(list); is && allows(w.resolve(p.Items), text) {
			add("joined", func() []any { return []any{text} })
		}
	} else if n == 1 {
		add("two", func() []any { return w.entries(p.Items, list, 2) })
		add("two-reversed", func() []any { return reversed(w.entries(p.Items, list, 2)) })
		if text, is := joined(w.entries(p.Items, list, 2)); is && allows(w.resolve(p.Items), text) {
			add("two-joined", func() []any { return []any{text} })
		}
	}
	if len(list) > 0 && !p.UniqueItems {
		add("doubled", func() []any { return slices.Concat(list, list) })
	}
	size(sizes[1])
	if len(list) > 0 && (p.MaxItems == 0 || p.MaxItems >= sizes[1]) {
		for _, i := range edges { // one of them is another
			add(manyEntries+"-but-"+strconv.Itoa(i), func() []any {
				many := w.entries(p.Items, list, sizes[1])
				many[i] = w.another(p.Items, many[i], sizes[2])
				return many
			})
		}
	}
	size(sizes[2])
}

// edges are places in a list at which a page or a batch of a service ends, or the next one begins.
var edges = []int{9, 10, 24, 25, 49, 50, 99, 100}

// joined returns the texts of a list, joined, and whether it is a list of texts.
func joined(list []any) (text string, is bool) {
	texts := make([]string, len(list))
	for i, entry := range list {
		if texts[i], is = entry.(string); !is {
			return "", false
		}
	}
	return strings.Join(texts, ","), true
}

func reversed(list []any) []any {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// entries returns a list with entries like those that it has added, until it has n.
func (w *walk) entries(p *schema.Property, list []any, n int) []any {
	names := keys(list)
	all := slices.Clone(list)
	for i := len(list); i < n; i++ {
		like := list[i%len(list)]
		next := w.another(p, like, i)
		if object, is := like.(map[string]any); is && len(names) > 0 {
			changed, _ := next.(map[string]any)
			next = maps.Clone(object)
			for _, name := range names {
				next.(map[string]any)[name] = changed[name]
			}
		}
		all = append(all, next)
	}
	return all
}

// keys returns the names of the members that tell objects of a list apart: one whose name says so, or else the texts that
// differ in all of them. The other members may have few possible values.
func keys(list []any) (names []string) {
	first, _ := list[0].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(first)) {
		seen := map[string]bool{}
		for _, entry := range list {
			object, _ := entry.(map[string]any)
			if text, is := object[name].(string); is {
				seen[text] = true
			}
		}
		switch {
		case len(seen) == len(list) && keyName.MatchString(name):
			return []string{name}
		case len(seen) == len(list) && len(list) > 1:
			names = append(names, name)
		}
	}
	return names
}

// keyName matches the names of members that tell one entry from another.
var keyName = regexp.MustCompile(`(?i)^(name|key|id|path|host|hostname|endpoint|address|email|url|arn|.+(name|id|arn))$`)

// mappings adds the other values of a map.
func (w *walk) mappings(path string, p *schema.Property, object map[string]any) {
	add := func(kind string, change func(m map[string]any)) {
		w.add(path, option{kind, func() any {
			m := maps.Clone(object)
			change(m)
			return m
		}})
	}
	names := slices.Sorted(maps.Keys(object))
	if len(names) == 0 {
		return
	}
	first, last := names[0], names[len(names)-1]
	size := func(n int) {
		add(strconv.Itoa(n), func(m map[string]any) {
			for i := len(m); i < n; i++ {
				m[first+"-"+strconv.Itoa(i)] = w.another(mappedTo(p), object[first], i)
			}
		})
	}
	add("empty", func(m map[string]any) { clear(m) })
	if of := mappedTo(p); of != nil && of.Type == "string" && allows(of, "") {
		add("one-empty", func(m map[string]any) { m[first+"-0"] = "" }) // a name that is there and holds nothing
	}
	add(allEndings, func(m map[string]any) { m[withEndings(first)] = m[first] })
	size(sizes[0])
	add("without-first", func(m map[string]any) { delete(m, first) })
	add("without-last", func(m map[string]any) { delete(m, last) })
	add("cases", func(m map[string]any) { m[otherCase(first)] = m[first] }) // two names that differ only in case
	for kind, ending := range endings {
		add(kind, func(m map[string]any) { m[first+ending] = m[first] })
	}
	add("aws", func(m map[string]any) { m["aws-"+first] = m[first] }) // of tags, "aws:" alone is AWS's own
	size(sizes[1])
	size(sizes[2])
}
