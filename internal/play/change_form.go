package play

// Changes texts, and values that hold some, and keeps the form that they seem to have: a number goes where one can stand.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/cfnresource/sdk-go/cfnresource/schema"
)

// other returns another text, one character longer if its form allows that.
func other(text string) string {
	if next := numbered(text)(1); next != text+"-1" {
		return next
	}
	return text + "x"
}

// numbered returns what makes texts of the same form that differ by a number: other addresses, days, mailboxes or hosts.
func numbered(text string) func(i int) string {
	// Addresses and times.
	if addr, err := netip.ParseAddr(text); err == nil {
		return func(i int) string { return plus(addr, i, 0).String() }
	}
	if prefix, err := netip.ParsePrefix(text); err == nil {
		host := prefix.Addr().BitLen() - prefix.Bits()
		return func(i int) string {
			return netip.PrefixFrom(plus(prefix.Addr(), i, host), prefix.Bits()).String()
		}
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if day, err := time.Parse(layout, text); err == nil {
			return func(i int) string { return day.AddDate(0, 0, i).Format(layout) }
		}
	}
	if d, is := asDuration(text); is {
		unit := time.Second
		if d%time.Minute == 0 {
			unit = time.Minute // of which many services take whole ones only
		}
		return func(i int) string { return (d + time.Duration(i)*unit).String() }
	}

	// Names.
	between := func(before, after string) func(i int) string {
		return func(i int) string { return before + "-" + strconv.Itoa(i) + after }
	}
	if local, domain, _ := strings.Cut(text, "@"); local != "" && hostName.MatchString(domain) {
		return between(local, "@"+domain)
	}
	if first, rest, _ := strings.Cut(text, "."); hostName.MatchString(text) {
		return between(first, "."+rest)
	}
	if end, is := strings.CutSuffix(text, "/"); is && end != "" {
		return between(end, "/")
	}
	return between(text, "")
}

// hostOf returns a network as people write it who have the address of a host in it.
func hostOf(text string) (host string, is bool) {
	network, err := netip.ParsePrefix(text)
	if err != nil || network.IsSingleIP() {
		return "", false
	}
	return netip.PrefixFrom(network.Addr().Next(), network.Bits()).String(), true
}

// hostName matches a name of several labels, the last of which has no digits.
var hostName = regexp.MustCompile(`^([a-zA-Z0-9_]([a-zA-Z0-9_-]*[a-zA-Z0-9])?\.)+[a-zA-Z]{2,}\.?$`)

// plus returns the address n networks of so many bits further on, and begins again after the last.
func plus(addr netip.Addr, n, bits int) netip.Addr {
	sum := new(big.Int).SetBytes(addr.AsSlice())
	sum.Add(sum, new(big.Int).Lsh(big.NewInt(int64(n)), uint(bits)))
	sum.Mod(sum, new(big.Int).Lsh(big.NewInt(1), uint(addr.BitLen())))
	next, _ := netip.AddrFromSlice(sum.FillBytes(make([]byte, addr.BitLen()/8)))
	return next
}

// withEndings returns a text with endings that mean something elsewhere: characters with which people join texts, escapes
// of a JSON pointer or a URL, and characters that end the path in a URL; of these, what the schema allows.
func withEndings(text string, p *schema.Property) string {
	for _, ending := range []string{":x", "/x", "|x", ".x", ",x", "-x", "~1", "%41", "+x", "?x=x", "&y", "#"} {
		if p == nil || allows(p, text+ending+"x") {
			text += ending
		}
	}
	return text
}

// otherCase turns the case of the last letter, so that the text keeps most of its form.
func otherCase(text string) string {
	runes := []rune(text)
	for i, r := range slices.Backward(runes) {
		if upper := unicode.ToUpper(r); upper != r {
			runes[i] = upper
			break
		}
		if lower := unicode.ToLower(r); lower != r {
			runes[i] = lower
			break
		}
	}
	return string(runes)
}

// another returns what makes values like a given one, with a number at the end of its texts if their type allows that. What the
// texts are is read once.
func (h handlerType) another(p *schema.Property, like any) func(i int) any {
	p = h.resolve(p)
	switch like := like.(type) {
	case map[string]any:
		members := map[string]func(i int) any{}
		for name, member := range like {
			members[name] = h.another(p.Properties[name], member)
		}
		return func(i int) any {
			other := map[string]any{}
			for name, member := range members {
				other[name] = member(i)
			}
			return other
		}
	case string:
		next := numbered(like)
		switch n, err := strconv.ParseInt(like, 10, 64); {
		case len(p.Enum) > 0, p.Type == "boolean":
			next = func(int) string { return like }
		case p.Type == "integer" && err == nil:
			next = func(i int) string { return strconv.FormatInt(n+int64(i), 10) }
		}
		return func(i int) any {
			if other := next(i); allows(p, other) {
				return other
			}
			return like
		}
	}
	return func(int) any { return like }
}

// unlike returns another value than a given one, even if the type has few.
func (h handlerType) unlike(p *schema.Property, value any, i int) any {
	text, isText := value.(string)
	switch p = h.resolve(p); {
	case !isText:
		return h.another(p, value)(i)
	case p.Type == "boolean":
		return strconv.FormatBool(text != "true")
	}
	for _, v := range p.Enum {
		if fmt.Sprint(v) != text {
			return fmt.Sprint(v)
		}
	}
	return h.another(p, value)(i)
}

// allows reports whether a type allows a text.
func allows(p *schema.Property, text string) bool {
	switch p.Type {
	case "integer", "number":
		n, err := strconv.ParseFloat(text, 64)
		return err == nil && n >= bound(p.Minimum, -1) && n <= bound(p.Maximum, 1)
	}
	length, longest := len([]rune(text)), cmp.Or(p.MaxLength, math.MaxInt)
	if length < p.MinLength || length > longest {
		return false
	}
	if p.Pattern == "" {
		return true
	}
	pattern, err := regexp.Compile(p.Pattern)
	return err != nil || pattern.MatchString(text)
}

// bound returns a bound of a schema, or infinity if it has none.
func bound(n json.Number, sign int) float64 {
	if bound, err := n.Float64(); err == nil {
		return bound
	}
	return math.Inf(sign)
}

// asMoment and asDuration return the time, or the duration, that a text is.
func asMoment(text string) (t time.Time, is bool) {
	t, err := time.Parse(time.RFC3339, text)
	return t, err == nil
}

func asDuration(text string) (d time.Duration, is bool) {
	d, err := time.ParseDuration(text)
	return d, err == nil && text != "0"
}

// grown returns a list or a map with entries like those that it has added, until it has so few, and until it has more.
func (at place) grown(few, many int) (fewer, more any) {
	if at.of&lists != 0 {
		all := at.entries(many)
		few = max(few, len(at.list()))
		return all[:few:few], all
	}
	first := slices.Min(slices.Collect(maps.Keys(at.mapping())))
	other := at.handler.another(mappedTo(at.schema), at.mapping()[first])
	m := maps.Clone(at.mapping())
	for i := len(m); i < many; i++ {
		if i == few {
			fewer = maps.Clone(m)
		}
		m[first+"-"+strconv.Itoa(i)] = other(i)
	}
	if fewer == nil { // it has as many already
		fewer = maps.Clone(m)
	}
	return fewer, m
}

// entries returns a list with entries like those that it has added, until it has n.
func (at place) entries(n int) []any {
	list := at.list()
	names, all := keys(list), slices.Clone(list)
	like := list[0] // so that each is as large as the others
	other := at.handler.another(at.schema.Items, like)
	for i := len(list); i < n; i++ {
		next := other(i)
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

// memberNames returns the names of the members of a list's first entry, if it is an object.
func (at place) memberNames() (names []string) {
	if list := at.list(); len(list) > 0 {
		first, _ := list[0].(map[string]any)
		names = slices.Sorted(maps.Keys(first))
	}
	return names
}

// unlikeFirst returns an object that differs from the first of a list in one member.
func (at place) unlikeFirst(name string) map[string]any {
	first, _ := at.list()[0].(map[string]any)
	items, changed := at.handler.resolve(at.schema.Items), maps.Clone(first)
	changed[name] = at.handler.unlike(items.Properties[name], first[name], len(at.list()))
	return changed
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
		case len(seen) < len(list):
		case keyName.MatchString(name):
			return []string{name}
		case len(list) > 1:
			names = append(names, name)
		}
	}
	return names
}

// keyName matches the names of members that tell one entry from another.
var keyName = regexp.MustCompile(`(?i)^(name|key|id|path|host|hostname|endpoint|address|email|url|arn|.+(name|id|arn))$`)

// guessed returns the type that a value seems to have.
func guessed(value any) *schema.Property {
	p := &schema.Property{Type: "string"}
	switch value := value.(type) {
	case map[string]any:
		p.Type, p.Properties = "object", map[string]*schema.Property{}
		for name, member := range value {
			p.Properties[name] = guessed(member)
		}
	case []any:
		p.Type = "array"
		if len(value) > 0 {
			p.Items = guessed(likeAll(value))
		}
	case string:
		_, err := strconv.ParseInt(value, 10, 64)
		switch {
		case err == nil:
			p.Type = "integer"
		case value == "true", value == "false":
			p.Type = "boolean"
		}
	}
	return p
}

// likeAll returns the first entry of a list, with the members that only other ones have: they could be in the first.
func likeAll(list []any) any {
	all := map[string]any{}
	for _, entry := range slices.Backward(list) {
		object, is := entry.(map[string]any)
		if !is {
			return list[0]
		}
		maps.Copy(all, object)
	}
	return all
}

// formOf returns the form of a value by its type, and by what a text looks like.
func formOf(p *schema.Property, value any) form {
	switch {
	case len(p.Enum) > 0:
		return listed
	case p.Type == "object" && p.Properties == nil && p.PatternProperties != nil:
		return mappings
	case p.Type != "string":
		return map[string]form{"boolean": booleans, "integer": integers, "number": fractions, "array": lists, "object": objects}[p.Type]
	}
	text, _ := value.(string)
	_, isMoment := asMoment(text)
	_, isDuration := asDuration(text)
	switch {
	case isMoment:
		return texts | moments
	case isDuration:
		return texts | durations
	}
	return texts
}

// mappedTo returns the type of a map's values.
func mappedTo(p *schema.Property) *schema.Property {
	for _, elem := range p.PatternProperties {
		return elem
	}
	return nil
}
