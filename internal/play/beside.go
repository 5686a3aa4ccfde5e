package play

// What else is in the stack: resources of the handler's type, or of another one of its function's, beside the one that
// is judged. After a plus sign an operation has what they get in it:
//
//	v0 +v0 v1+v1 +out
//
// A version is one of the Contract's, for a resource of the handler's type. A type is one of Contract.Others. "out" takes
// the resource out of the template. A second plus sign is followed by what a third resource gets. What the others get
// alone has nothing before the plus sign: the judged resource stays as it is. A line of a check says v0 for whatever
// can be made beside Properties: see lineWithOthers.

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// besideIDs are the logical IDs of the other resources. Each begins with the judged resource's, for which a search that
// compares no whole name takes it.
var besideIDs = []string{theResource + "Two", theResource + "Three"}

// cutBeside cuts an operation at the first plus sign that is not in a change.
func cutBeside(text string) (own, besides string, ok bool) {
	inside := 0
	for i, c := range text {
		switch c {
		case '[':
			inside++
		case ']':
			inside--
		case '+':
			if inside == 0 {
				return text[:i], text[i+1:], true
			}
		}
	}
	return text, "", false
}

// checkBeside returns what is wrong with what the others get, and its offset. They stand in the text at an offset.
func (op operation) checkBeside(at int) (offset int, err error) {
	if !op.hasTemplate() {
		return at, fmt.Errorf("%s deploys no template: the other resources get nothing in it", op.What)
	}
	if op.Beside == "" {
		return at + 1, errors.New(`another resource cannot get "": use v0, v1, v2, out, or a type of the Contract's Others`)
	}
	// Their words, from the left.
	for i, gets := range op.besides() {
		switch {
		case i == len(besideIDs):
			return at + 1, fmt.Errorf("there are %d other resources at most", len(besideIDs))
		case isBesideVersion(gets), gets == takesOut, engine.IsCustomResource(gets):
		default:
			return at + 1, fmt.Errorf("another resource cannot get %q: use v0, v1, v2, out, or a type of the Contract's Others", gets)
		}
	}
	return 0, nil
}

// isBesideVersion reports whether a word is a version that another resource can get.
func isBesideVersion(word string) bool {
	base, ch, changed := cutChange(word)
	if changed && ch.in(base) != word {
		return false
	}
	return slices.Contains([]string{original, inPlace, replacing}, base)
}

// besides returns what the other resources get, in the order of their logical IDs.
func (op operation) besides() []string {
	if op.Beside == "" {
		return nil
	}
	all := []string{""}
	for rest, ok := op.Beside, true; ok; {
		all[len(all)-1], rest, ok = cutBeside(rest)
		if ok {
			all = append(all, "")
		}
	}
	return all
}

// versionsBeside returns the versions that other resources get in a history.
func (h history) versionsBeside() (all []string) {
	for _, op := range h {
		for _, gets := range op.besides() {
			if isBesideVersion(gets) && lacks(all, gets) {
				all = append(all, gets)
			}
		}
	}
	return all
}

// besideProperties returns the type and the properties of another resource, or nil.
func (c *Contract) besideProperties(gets string) (resourceType string, props map[string]any) {
	resourceType = c.ResourceType
	if engine.IsCustomResource(gets) {
		resourceType = gets
	}
	return resourceType, c.properties(gets)
}

// besideAfter returns what the other resources have when an operation has succeeded.
func (h *historyRun) besideAfter(op operation) []string {
	return slices.Concat(op.besides(), h.beside[min(len(op.besides()), len(h.beside)):])
}

// besideTemplate returns the part of a template that is about the other resources.
func (h *historyRun) besideTemplate(op operation) simulate.Template {
	t := simulate.Template{}
	for i, has := range h.besideAfter(op) {
		if has != takesOut {
			resourceType, props := h.c.besideProperties(has)
			t[besideIDs[i]] = simulate.Resource{Type: resourceType, Properties: props}
		}
	}
	return t
}

// noteBeside notes what the other resources are after an operation.
func (h *historyRun) noteBeside(op operation) {
	maps.DeleteFunc(h.others, func(_ string, o othersThing) bool { return o.isBeside })
	switch h.stack.Status() {
	case lifecycle.StackCreateComplete, lifecycle.StackUpdateComplete:
		h.beside = h.besideAfter(op)
	case lifecycle.StackRollbackComplete, lifecycle.StackDeleteComplete:
		h.beside = nil
	}
	for i, has := range h.beside {
		if id := h.stack.PhysicalID(besideIDs[i]); id != "" && has != takesOut {
			h.others[id] = othersThing{whose: "another resource's", touched: siblingTouched, isBeside: true, version: has, want: h.wantedBeside(has, id)}
		}
	}
	if op.What == asItIs && h.Version == "" {
		h.lookAround() // in which they have a part
	}
}

// wantedBeside returns what says which State another resource should have. nil is not known.
func (h *historyRun) wantedBeside(has, id string) func() any {
	if !engine.IsCustomResource(has) {
		return func() any { return h.learned.want[has] }
	}
	// Of another type nothing is learned: it stays as it was when it was made.
	was := h.besideStates[id]
	if was == nil {
		was = h.stateOf(id)
		h.besideStates[id] = was
	}
	if isNothing(was) && h.service.Around == nil {
		h.unseen = fmt.Sprintf("neither State nor Around shows a %s, so this check cannot see whether it is left alone", has)
	}
	return func() any { return was }
}

// judgeBesideMade judges that the Contract's Others can be made.
func (h *historyRun) judgeBesideMade(op operation, r simulate.Request) bool {
	switch {
	case h.c.Others[r.ResourceType] == nil, r.Type != "Create", r.Outcome == string(engine.Succeeded):
		return false
	}
	h.record(wrongContract, op, "The Contract's Others has %s, but its Create %s. Give it properties that its handler accepts.", r.ResourceType, failureText(r))
	return true
}

// besideVersions returns the versions of a resource that might be made beside Properties, the likeliest first: the same, the
// same but for another text in one property that may be of the identity, and Replacing.
func (c *Contract) besideVersions() []string {
	all := []string{original}
	for _, ch := range c.changes(original) {
		if ch.Kind == "other" && c.mayBeOfIdentity(ch.Path) {
			all = append(all, ch.in(original))
		}
	}
	if c.Replacing != nil {
		all = append(all, replacing)
	}
	return all
}

// mayBeOfIdentity reports whether the identity may have a property, as far as the function tells.
func (c *Contract) mayBeOfIdentity(path string) bool {
	if c.handler.isTold() {
		return c.handler.isCreateOnly(path)
	}
	return true
}

// linesWithOthers returns the lines that one with other resources stands for: one with the first version that can be made
// beside Properties, and, if they stay as they are, one with each type of the Contract's Others. If there is none, the
// finding says why.
func (x *explorer) linesWithOthers(line history) (lines []history, none *finding) {
	at := slices.IndexFunc(line, func(op operation) bool { return op.Beside != "" })
	none = &finding{harm: unplayable, history: line, at: line[at],
		detail: "Two resources of one stack cannot be created beside each other. If both need one name, set the Contract's Replacing to another name"}

	// Of the same type.
	for _, version := range x.c.besideVersions() {
		switch f := x.learn(version); {
		case f != nil && version == original:
			return nil, f
		case f != nil:
			continue
		}
		pair := x.known(history{{What: original}, {What: asItIs, Beside: version}})
		isOneForBoth := pair.does(oneForResources) && line.needsTwoThings()
		if isOneForBoth || pair.does(failsWithoutCause) {
			continue
		}
		lines, none = x.c.withOthers(line, version), nil
		break
	}

	// Of the function's other types.
	for _, name := range slices.Sorted(maps.Keys(x.c.Others)) {
		if len(line.alone()) < len(line) {
			lines = append(lines, x.c.withOthers(line, name)...)
		}
	}
	return lines, none
}

// needsTwoThings reports whether a history says something only about two resources that have an ID each: if they share one,
// a history in which nothing comes at once, in new processes, says so.
func (h history) needsTwoThings() bool {
	return h.processes() > 0 || slices.ContainsFunc(h, operation.isAtOnce)
}

// withOthers returns a line in which the other resources are a version, or of a type; or none if they cannot get what the
// line says.
func (c *Contract) withOthers(line history, version string) (lines []history) {
	_, ch, changed := cutChange(version)
	// What the words of the line become.
	become := map[string]string{original: version, takesOut: takesOut}
	switch {
	case version == original:
		become[inPlace], become[replacing] = inPlace, replacing
	case changed && c.version(ch.in(inPlace)) != nil:
		become[inPlace] = ch.in(inPlace)
	}

	// The line with them.
	var with history
	for _, op := range line {
		gets := op.besides()
		for i, word := range gets {
			gets[i] = become[word]
		}
		isOfThird := len(gets) > 1 && version != original
		lacks := slices.Contains(gets, "")
		switch {
		case isOfThird, op.What == replacing && version == replacing: // two would need one name
			return nil
		case lacks && op.What == asItIs && op.Beside != replacing: // they stay as they are
			continue
		case lacks:
			return nil
		}
		op.Beside = strings.Join(gets, "+")
		with = append(with, op)
	}
	return []history{with}
}
