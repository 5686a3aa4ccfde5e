package template

import (
	"errors"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/standin"
)

// selection is Fn::Select, or Fn::Cidr, which has no list: it fails if its argument has another form.
type selection struct {
	applied
	index, list expr
}

// cutText is Fn::Split.
type cutText struct {
	applied
	delimiter string
	text      expr
}

// failOf is fail for an error about a value. If the value comes from a stand-in's attribute, the error
// names it, and how to give it a value.
func (ev *evaluation) failOf(e expr, at *source.Node, format string, args ...any) error {
	failed := ev.report.NewError(at, format, args...)
	ev.budget.walk(e, ev.conditions, func(e expr) {
		a, ok := e.(attribute)
		// The first made-up value stands for all: given one, the next run names the next.
		switch {
		case !ok, !a.madeUp, failed.Give != nil:
			return
		}
		name, err := ev.text(a.name, a.at, "the attribute's name")
		if err != nil {
			return
		}
		path := ev.stack.Path + a.id + "." + source.Shorten(name)
		failed.Text += "; the attribute " + source.Shorten(name) + " of " + a.id + " is made up here: give it with --attribute " + path + "=VALUE"
		failed.Give = []string{source.Flag("--attribute", path, "VALUE")}
	})
	return failed
}

// shape makes up the attributes of stand-ins that an expression takes apart, in a form for that, or
// reports them.
func (p *planner) shape(e expr) {
	p.budget.walk(e, p.conditions, func(e expr) {
		taken, ok := e.(selection)
		if !ok || p.isGuess(taken) {
			return
		}
		ev := &evaluation{decisions: p.decisions, refs: madeUp{p}}
		_, err := ev.eval(taken)
		if failed, ok := errors.AsType[*Error](err); !ok || failed.Give == nil {
			return
		}
		if name, v := p.shaping(ev, taken); name != "" {
			p.shaped[name] = v
			_, err = ev.eval(taken)
		}
		if err != nil && p.stack.HasProgram != nil { // it is about to be deployed
			p.report.Add(err)
		}
	})
}

// shaping returns the attribute that Fn::Select takes apart, and the value to make up; "" if Fn::Select
// has more than an attribute, or one that is neither a list nor cut by Fn::Split.
func (p *planner) shaping(ev *evaluation, taken selection) (name string, shaped any) {
	if taken.list == nil {
		return "", nil
	}
	i, err := ev.number(taken.index, &source.Node{}, "", 0, maxShaped)
	if err != nil {
		return "", nil
	}
	// What is made up is the list itself, or the text that Fn::Split makes it from.
	list, origin := p.pick(taken.list), taken.list
	cut, isCut := list.(cutText)
	if isCut {
		origin = cut.text
	}
	id, attribute := p.named(origin)
	v, err := ev.eval(origin)
	if attribute == "" || err != nil {
		return "", nil
	}
	// It is made just long enough for the index, and keeps the parts that it has.
	text, _ := source.Text(v)
	items, isList := source.Slice(v)
	switch {
	case isCut:
		return id + "." + attribute, p.lengthened(text, id, cut.delimiter, i)
	case isList:
		for len(items) <= i {
			items = append(items, id+"."+attribute)
		}
		return id + "." + attribute, items
	}
	return "", nil
}

// maxShaped is how many parts are made up at most.
const maxShaped = 100

// lengthened returns a text that has a part i between delimiters: a URL or an ARN, if the delimiter
// suits one.
func (p *planner) lengthened(text, id, delimiter string, i int) string {
	switch {
	case delimiter == "/" && !strings.Contains(text, "/"):
		text = "https://" + strings.ToLower(id) + ".example.com"
	case delimiter == ":" && !strings.Contains(text, ":"):
		text = strings.Join([]string{"arn", p.pseudo["AWS::Partition"].(string), "service", p.pseudo["AWS::Region"].(string), p.pseudo["AWS::AccountId"].(string), text}, ":")
	}
	for strings.Count(text, delimiter) < i {
		text += delimiter + strings.ToLower(id)
	}
	return text
}

// madeUp answers references to stand-ins before they exist.
type madeUp struct{ *planner }

// errNotMadeUp is returned for values that are known only once resources exist.
var errNotMadeUp = errors.New("known later")

// Ref is not known.
func (madeUp) Ref(string) (string, error) { return "", errNotMadeUp }

// GetAtt returns the value that the stand-in will make up. A type that is not AWS's may have a handler.
func (p madeUp) GetAtt(id, attribute string) (any, error) {
	res := p.names.resources[id]
	switch {
	case !strings.HasPrefix(res.Type, "AWS::"), engine.IsCustomResource(res.Type):
		return nil, errNotMadeUp
	case p.pick(res.properties.get(attribute)) != nil, p.hasOwnTemplate(res):
		return nil, errNotMadeUp // the property, or the nested stack, says what it is
	}
	s := &engine.Stack{Name: p.stack.StackName, ID: p.stack.StackID, Options: engine.Options{Region: p.stack.Region, Account: p.stack.AccountID}}
	return standin.MadeUp(s, id, res.Type, attribute), nil
}
