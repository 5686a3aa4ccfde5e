package template

import (
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// expr is a value of the template, ready to be evaluated as often as the engine asks.
type expr interface {
	// eval computes the value: a string, bool, json.Number, []any, map[string]any, what the engine
	// gave for an attribute, or noValue.
	eval(ev *evaluation) (any, error)
	// parts are the expressions that the value is made of, nil where one is missing, without the
	// branches of Fn::If that are not taken. With nil for the conditions both branches are there.
	parts(conditions map[string]bool) []expr
}

// noValue is what Ref of AWS::NoValue gives: the property or the list item that holds it is
// removed.
type noValue struct{}

func (noValue) eval(*evaluation) (any, error) { return noValue{}, nil }
func (noValue) parts(map[string]bool) []expr  { return nil }

// walk visits an expression and everything that it is made of.
func walk(e expr, conditions map[string]bool, visit func(expr)) {
	if e == nil {
		return
	}
	visit(e)
	for _, part := range e.parts(conditions) {
		walk(part, conditions, visit)
	}
}

// applied is a call of a function: its arguments, as parts has them, and what it makes of them.
type applied struct {
	arguments []expr
	value     func(ev *evaluation) (any, error)
}

func (a applied) eval(ev *evaluation) (any, error) { return a.value(ev) }
func (a applied) parts(map[string]bool) []expr     { return a.arguments }

type literal struct{ value any }

func (l literal) eval(*evaluation) (any, error) { return l.value, nil }
func (literal) parts(map[string]bool) []expr    { return nil }

type listExpr struct{ items []expr }

func (l listExpr) eval(ev *evaluation) (any, error) {
	out := make([]any, 0, len(l.items))
	for _, item := range l.items {
		v, err := item.eval(ev)
		if err != nil {
			return nil, err
		}
		if v != any(noValue{}) {
			out = append(out, v)
		}
	}
	return out, nil
}

func (l listExpr) parts(map[string]bool) []expr { return l.items }

type objectExpr struct {
	names  []string
	values []expr
}

func (o objectExpr) eval(ev *evaluation) (any, error) {
	out := make(map[string]any, len(o.names))
	for i, name := range o.names {
		v, err := o.values[i].eval(ev)
		if err != nil {
			return nil, err
		}
		if v != any(noValue{}) {
			out[name] = v
		}
	}
	return out, nil
}

func (o objectExpr) parts(map[string]bool) []expr { return o.values }

// get is the expression under a name, or nil.
func (o objectExpr) get(name string) expr {
	for i, n := range o.names {
		if n == name {
			return o.values[i]
		}
	}
	return nil
}

// evaluation is one evaluation of one resource's properties, or of one output.
type evaluation struct {
	*decisions
	refs  engine.Refs // nil where nothing of a resource may be asked for
	built int         // bytes made by functions so far
	owner string      // of what the engine keeps: a resource or an output
	rules bool        // Rules are evaluated, in which a value may be unknown
}

// decisions are what Resolve has settled before any resource exists.
type decisions struct {
	report     *source.Report // to place errors; evaluation itself adds nothing to it
	parameters map[string]any
	guessed    map[string]bool // parameters whose values are missing
	stack      Stack
	pseudo     map[string]any
	conditions map[string]bool
	budget     *budget
	attributes map[string]any // of stand-ins, that are given
}

func (ev *evaluation) fail(at *source.Node, format string, args ...any) error {
	return ev.report.NewError(at, format, args...)
}
