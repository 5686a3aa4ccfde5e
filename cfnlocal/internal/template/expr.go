package template

import (
	"strconv"
	"strings"
	"sync"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// expr is a value of the template, ready to be evaluated as often as the engine asks.
type expr interface {
	// eval computes the value: a string, bool, json.Number, []any, map[string]any, the engine's value of
	// an attribute, or noValue.
	eval(ev *evaluation) (any, error)
	// parts are the expressions that the value is made of, nil where one is missing, without the
	// branches of Fn::If that are not taken. With nil for the conditions both branches are there.
	parts(conditions map[string]bool) []expr
}

// noValue is the value of Ref AWS::NoValue: it removes the property or the list item that holds it.
type noValue struct{}

func (noValue) eval(*evaluation) (any, error) { return noValue{}, nil }
func (noValue) parts(map[string]bool) []expr  { return nil }

// applied is a call of a function: its arguments, as parts returns them, and the function.
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
		v, err := ev.eval(item)
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
		v, err := ev.eval(o.values[i])
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
	refs  engine.Refs // nil where references to resources are not allowed
	owner string      // a resource or an output while the stack runs, and before that planning
	spent int         // work of functions so far
	rules bool        // Rules are evaluated, in which a value may be unknown
}

// decisions has everything that Resolve has decided before any resource exists.
type decisions struct {
	report     *source.Report // to place errors; evaluation itself adds nothing to it
	parameters map[string]any
	guessed    map[string]bool   // parameters whose values are missing
	unstored   map[string]string // parameters whose values are not in the stand-in for Parameter Store, and the names there
	stack      Stack
	pseudo     map[string]any
	conditions map[string]bool
	open       map[string]bool // conditions that depend on unknown values
	budget     *budget
	attributes map[string]any // of stand-ins, from --attribute
	shaped     map[string]any // of stand-ins, made up in the form that the template takes apart
}

// early is an evaluation before any resource exists.
func (d *decisions) early() *evaluation { return &evaluation{decisions: d} }

// err returns the errors so far. If the work became too much, they say so: not everything was
// checked.
func (d *decisions) err() error {
	if d.budget.isExceeded() {
		d.report.Errorf(&source.Node{}, tooMuchWork, maxAll)
	}
	return d.report.Err()
}

func (ev *evaluation) fail(at *source.Node, format string, args ...any) error {
	return ev.report.NewError(at, format, args...)
}

// text evaluates an expression that must give a scalar; what names the place in messages.
func (ev *evaluation) text(e expr, at *source.Node, what string) (string, error) {
	v, err := ev.eval(e)
	if err != nil {
		return "", err
	}
	s, ok := source.Text(v)
	if !ok {
		return "", ev.fail(at, "%s must be a string, not %s", what, describe(v))
	}
	return s, nil
}

// number evaluates an expression that must give a whole number in bounds.
func (ev *evaluation) number(e expr, at *source.Node, what string, least, most int) (int, error) {
	word, err := ev.text(e, at, what)
	if err != nil {
		return 0, err
	}
	i, err := strconv.Atoi(strings.TrimSpace(word))
	if err != nil || i < least || i > most {
		return 0, ev.fail(at, "%s must be a whole number from %d to %d", what, least, most)
	}
	return i, nil
}

// list evaluates an expression that must give a list.
func (ev *evaluation) list(e expr, at *source.Node, what string) ([]any, error) {
	v, err := ev.eval(e)
	if err != nil {
		return nil, err
	}
	l, ok := source.Slice(v)
	if !ok {
		return nil, ev.failOf(e, at, "%s must be a list, not %s", what, describe(v))
	}
	return l, nil
}

// eval evaluates an expression, which counts as work.
func (ev *evaluation) eval(e expr) (any, error) {
	if !ev.budget.take(ev.owner, perStep) {
		return nil, ev.fail(&source.Node{}, tooMuchWork, maxAll)
	}
	return e.eval(ev)
}

// spend accounts for the work of a function, before it does it.
func (ev *evaluation) spend(units int, at *source.Node) error {
	if ev.spent += units; ev.spent > maxOne {
		return ev.fail(at, "the functions of this resource build more than %d bytes; CloudFormation's own limits are far lower: shorten the values", maxOne)
	}
	if !ev.budget.take(ev.owner, units) {
		return ev.fail(&source.Node{}, tooMuchWork, maxAll)
	}
	return nil
}

// copy returns a copy, since the engine may change the value that it gets, and accounts for it.
func (ev *evaluation) copy(v any, at *source.Node) (any, error) {
	copied, size := deepCopy(v)
	return copied, ev.spend(size, at)
}

// describe names the kind of a value, never the value.
func describe(v any) string {
	switch v.(type) {
	case noValue:
		return "AWS::NoValue"
	case []any, []string:
		return source.List.String()
	case map[string]any:
		return source.Object.String()
	case nil:
		return "nothing"
	}
	return source.Scalar.String()
}

// Bounds of this package, in units of work. A byte that a function makes costs one unit; evaluating or
// visiting an expression costs perStep. Without bounds, a small template could refer to a long value many
// times, through values that refer to others in turn.
const (
	perStep = 16
	// perPatternStep is the cost of each step of a compiled pattern. For each byte that the pattern is
	// compared with, a step costs one unit.
	perPatternStep = 64
	// maxOne bounds the work for one resource or output.
	maxOne = 8 << 20
	// maxAll bounds the work for a whole template: once before a deployment begins, and once while
	// it runs.
	maxAll = 64 << 20
)

const tooMuchWork = "the functions of this template build more than %d bytes, or take as much work; CloudFormation's own limits are far lower: shorten the values"

// budget bounds the work for the expressions of one template. Before a deployment begins all work
// adds up; while it runs, only the latest evaluation of each resource and output counts.
type budget struct {
	mu      sync.Mutex
	planned int
	by      map[string]int
	running int
}

// planning is the owner of the work before a deployment begins.
const planning = ""

// begin forgets what an earlier evaluation for the same owner cost.
func (b *budget) begin(owner string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running -= b.by[owner]
	delete(b.by, owner)
}

// take counts work for an owner, and reports whether there is room for it.
func (b *budget) take(owner string, units int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if owner == planning {
		b.planned += units
		return b.planned <= maxAll
	}
	if b.by == nil {
		b.by = map[string]int{}
	}
	b.by[owner] += units
	b.running += units
	return b.running <= maxAll
}

// step counts an expression that is visited before a deployment begins.
func (b *budget) step() bool { return b.take(planning, perStep) }

// isExceeded reports whether planning stopped early, so that its result means nothing.
func (b *budget) isExceeded() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.planned > maxAll
}

// walk visits an expression and all its parts, as far as the budget allows. With
// nil for the conditions it visits both branches of Fn::If.
func (b *budget) walk(e expr, conditions map[string]bool, visit func(expr)) {
	if e == nil || !b.step() {
		return
	}
	visit(e)
	for _, part := range e.parts(conditions) {
		b.walk(part, conditions, visit)
	}
}

// deepCopy is a copy of a value that shares nothing with it, and roughly its bytes.
func deepCopy(v any) (_ any, size int) {
	const each = 16
	switch v := v.(type) {
	case string:
		return v, each + len(v)
	case []any:
		out, size := make([]any, len(v)), each
		for i := range v {
			item, n := deepCopy(v[i])
			out[i], size = item, size+n
		}
		return out, size
	case map[string]any:
		out, size := make(map[string]any, len(v)), each
		for key := range v {
			value, n := deepCopy(v[key])
			out[key], size = value, size+n+len(key)
		}
		return out, size
	}
	return v, each
}
