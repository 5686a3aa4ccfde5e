package play

// Makes the values of a kind of which two are what counts: they change places, or are joined. Nothing here plays.

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// exchanged has two values that are there change places: properties, members, entries, and a member of two entries.
func exchanged(at place) []option {
	names := slices.Sorted(maps.Keys(at.mapping()))
	switch {
	case at.of&(objects|whole) != 0:
		return at.eachPair(at.mayExchange, func(name, other string) []option { return one(at.exchangedMembers(name, other)) })
	case len(names) > 1:
		return one(at.exchangedMembers(names[0], names[len(names)-1]))
	case len(at.list()) == 0:
		return nil
	}
	list := at.list()
	if len(list) == 1 {
		list = at.entries(2)
	}
	all := fromOne(list, exchange(list))
	if name := at.memberToExchange(list); name != "" {
		all = append(all, called(written(name), fromOne(list, exchangeMember(list, name)))...)
	}
	return all
}

// eachPair returns the options for each member with the next one that is its mate: of three, that is two pairs.
func (at place) eachPair(areMates func(name, other string) bool, of func(name, other string) []option) (all []option) {
	names := slices.Sorted(maps.Keys(at.mapping()))
	for i, name := range names {
		next := slices.IndexFunc(names[i+1:], func(other string) bool { return areMates(name, other) })
		if next >= 0 {
			other := names[i+1+next]
			all = append(all, called(written(name)+","+written(other), of(name, other))...)
		}
	}
	return all
}

// exchange returns a list whose first and last entry have changed places.
func exchange(list []any) []any {
	list = slices.Clone(list)
	last := len(list) - 1
	list[0], list[last] = list[last], list[0]
	return list
}

// exchangeMember returns a list whose first and last entry have each other's value of a member.
func exchangeMember(list []any, name string) []any {
	last := len(list) - 1
	at := func(i int) any { entry, _ := list[i].(map[string]any); return entry[name] }
	path := func(i int) []string { return []string{strconv.Itoa(i), name} }
	changed, _ := replaced(replaced(list, path(0), at(last)), path(last), at(0)).([]any)
	return changed
}

// memberToExchange returns the member of a list's entries that tells them apart, or "" if nothing else differs: then that
// would exchange the entries.
func (at place) memberToExchange(list []any) (name string) {
	first, _ := list[0].(map[string]any)
	last, _ := list[len(list)-1].(map[string]any)
	different := differentKeys(first, last)
	if len(different) < 2 {
		return ""
	}
	for _, name := range slices.Concat(keys([]any{first, last}), different) {
		_, isText := first[name].(string)
		_, areTexts := last[name].(string)
		switch {
		case !isText, !areTexts, at.isKept(inPath(at.path+".0", name)):
		default:
			return name
		}
	}
	return ""
}

func (at place) exchangedMembers(one, other string) map[string]any {
	m := maps.Clone(at.mapping())
	m[one], m[other] = m[other], m[one]
	return m
}

// mayExchange reports whether two members are of one type, and each may have the other's value.
func (at place) mayExchange(one, other string) bool {
	a, b := at.member(one, at.mapping()[one]), at.member(other, at.mapping()[other])
	switch {
	case a.of != b.of, a.of&(numbers|texts) == 0, at.isKept(a.path), at.isKept(b.path):
		return false
	}
	return a.allowsText(b.value) && b.allowsText(a.value)
}

// isKept reports whether a place must not get another place's value: it is a secret, or part of the identity.
func (c *Contract) isKept(path string) bool {
	return c.isFixed(path) || isTagged(slices.Concat(c.handler.WriteOnly, c.handler.CreateOnly), path, strings.HasPrefix)
}

// joinedAlike returns values that are the same when their texts are joined, by nothing or by the character between them:
// two entries of a list, which people join by a comma, and two members of an object, by a dash.
func joinedAlike(at place) []option {
	if at.of&lists == 0 {
		return at.eachPair(at.mayJoin, func(name, other string) []option {
			border := func(one, two string) map[string]any {
				m := maps.Clone(at.mapping())
				m[name], m[other] = one, two
				return m
			}
			one, two := at.member(name, at.mapping()[name]).text(), at.member(other, at.mapping()[other]).text()
			return joining(border(one+"-", two), border(one, "-"+two), one+"-", two)
		})
	}
	if len(at.list()) == 0 {
		return nil
	}
	entry, rest := at.element(), at.list()[min(2, len(at.list())):]
	text := entry.text()
	// Only where no secret or identity is spoilt, and the schema allows the separator.
	mayHold := entry.isFree() && entry.allowsAll(","+text, text+",")
	if !mayHold {
		return nil
	}
	return joining(slices.Concat([]any{text, "," + text}, rest), slices.Concat([]any{text + ",", text}, rest), text, ","+text)
}

// joining returns the option of a value that is the same as another one when the parts are joined.
func joining(from, to any, parts ...string) []option {
	all := fromOne(from, to)
	copy(all[0].parts[:], parts)
	return all
}

// mayJoin reports whether two members are texts that may begin and end with another character.
func (at place) mayJoin(one, other string) bool {
	a, b := at.member(one, at.mapping()[one]), at.member(other, at.mapping()[other])
	switch {
	case !a.isFree(), !b.isFree():
		return false
	}
	return a.allowsAll(a.text()+"-") && b.allowsAll("-"+b.text())
}

// isFree reports whether a place has a text that may be any other one, and is no secret.
func (at place) isFree() bool {
	switch {
	case at.of != texts, at.text() == "", at.isFixed(at.path):
		return false
	}
	return !at.handler.isSecret(at.path)
}

func (at place) allowsAll(texts ...string) bool {
	for _, text := range texts {
		if !at.allowsText(text) {
			return false
		}
	}
	return true
}
