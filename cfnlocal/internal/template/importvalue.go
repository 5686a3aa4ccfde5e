package template

import "github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"

// imported is Fn::ImportValue: what another stack exports under a name.
type imported struct {
	at   *source.Node
	name expr
}

func (imported) compile(c *compiler, f call) expr {
	if c.section.early() {
		c.Errorf(f.at, "Fn::ImportValue is not allowed among conditions and rules; take the value from a parameter")
		return invalidExpr{}
	}
	i := imported{f.at, c.textual(f.argument, "the name of an export")}
	walk(i.name, nil, func(e expr) {
		switch e.(type) {
		case attribute, resourceRef:
			c.Errorf(f.argument, "the name of an export must be known before the deployment begins, so it cannot depend on a resource; write it out, or make it of parameters")
		}
	})
	return i
}

func (i imported) eval(ev *evaluation) (any, error) {
	name, err := ev.text(i.name, i.at, "the name of an export")
	if err != nil {
		return nil, err
	}
	value, ok := ev.stack.Exports[name]
	if !ok {
		return nil, ev.fail(i.at, "no other stack here exports what Fn::ImportValue asks for; deploy the stack that does first, or give the value with --import NAME=VALUE")
	}
	return value, ev.spend(len(value), i.at)
}

func (i imported) parts(map[string]bool) []expr { return []expr{i.name} }

// importing notes the use of an export, which must be there before the deployment begins.
func (p *planner) importing(i imported) {
	ev := &evaluation{decisions: p.decisions}
	name, err := ev.text(i.name, i.at, "the name of an export")
	shown := source.Shorten(name)
	if p.ofSecret(i.name) {
		shown = "NAME"
	}
	switch _, known := p.stack.Exports[name]; {
	case err != nil:
		p.report.Add(err)
	case !known && p.isGuess(i.name): // what it is called is not known
	case !known:
		p.report.Missing(i.at, []string{source.Flag("--import", shown, "VALUE")}, "no other stack here exports %s; deploy the stack that does first, or give the value with --import %s=VALUE", shown, shown)
	default:
		p.imports[name] = true
	}
}
