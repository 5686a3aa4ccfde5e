package template

import (
	"maps"
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
	"github.com/cfnresource/sdk-go/internal/cfn/resourcetype"
)

// checkValue checks the value of a property of an AWS type: its kind, and the names below it. It does not
// check values that are only known later, required properties below it, or which words and numbers are
// allowed.
func (p *planner) checkValue(takes resourcetype.Takes, e expr, at *source.Node, owner *awsType) {
	e, at = p.chosen(e, at)
	kind, known := p.kindOf(e, at)
	// A value that is known later is the engine's to check.
	switch {
	case takes == "", !known, !p.budget.step():
		return
	}
	// Its parts, if it has any.
	item, list := takes.Items()
	members, object := takes.Members()
	text, isWritten := p.written(e)
	isOther := isWritten && !isScalar(takes, text)
	// Kinds come first: only a value of the right one has parts to check.
	switch fits := fitsKind(takes, kind); {
	case !fits, isOther:
		is := at.Describe()
		if fits {
			is = "other text"
		}
		p.report.Checkf(at, "%s takes %s here, and this is %s%s", owner.name, wanted(takes), is, asOf())
	case list:
		written, _ := e.(listExpr)
		for i, value := range written.items {
			p.checkValue(item, value, at.Items[i], owner)
		}
	case object:
		written, _ := e.(objectExpr)
		for i, name := range written.names {
			field := at.Fields[i]
			below, has := members[name]
			// An object without listed members is free, and AWS::NoValue removes the property.
			unlisted := members != nil && !has
			if unlisted && p.pick(written.values[i]) != nil {
				p.report.Checkf(field.Value, "%s has no property %s here%s%s", owner.name, source.Shorten(name), source.DidYouMean(name, maps.Keys(members)), asOf())
			}
			p.checkValue(below, written.values[i], field.Value, owner)
		}
	}
}

// fitsKind reports whether a property takes a kind of value. The path of a local file can stand where
// packaging writes an object.
func fitsKind(takes resourcetype.Takes, kind result) bool {
	if _, list := takes.Items(); list {
		return kind == aList
	}
	if members, object := takes.Members(); object && kind == anObject {
		return true
	} else if object {
		return kind == aString && isLocation(members)
	}
	return kind == aString
}

// wanted names the kind of value that a property takes.
func wanted(takes resourcetype.Takes) string {
	switch takes {
	case resourcetype.TakesText:
		return "text"
	case resourcetype.TakesNumber:
		return "a number"
	case resourcetype.TakesBoolean:
		return "true or false"
	}
	if _, list := takes.Items(); list {
		return "a list"
	}
	return "an object"
}

// isLocation reports whether "aws cloudformation package" may write an object over the path of a
// local file.
func isLocation(members map[string]resourcetype.Takes) bool {
	_, s3bucket := members["S3Bucket"]
	_, bucket := members["Bucket"]
	return s3bucket || bucket
}

// chosen is the branch of Fn::If that is taken, and its place.
func (p *planner) chosen(e expr, at *source.Node) (expr, *source.Node) {
	for {
		choice, is := e.(ifElse)
		if !is {
			return e, at
		}
		branches := at.Fields[0].Value.Items
		if e, at = choice.no, branches[2]; p.conditions[choice.condition] {
			e, at = choice.yes, branches[1]
		}
	}
}

// kindOf is whether a value is a scalar, a list or an object, if that is known.
func (p *planner) kindOf(e expr, at *source.Node) (kind result, known bool) {
	switch e := e.(type) {
	case noValue, invalidExpr:
		return anything, false
	case parameterRef:
		// A guessed value shows no kind, except that a list stays a list.
		switch p.parameters[e.name].(type) {
		case string:
			return aString, !p.guessed[e.name]
		case []any, []string:
			return aList, true
		}
		return anything, false
	}
	if at.Kind == source.Scalar && (at.Value == nil || isDynamic(at.Value)) {
		return anything, false
	}
	kind = (&compiler{Report: p.report}).gives(at, e)
	return kind, kind != anything
}

// isListAttribute reports whether an attribute of an AWS type is a list.
func (n names) isListAttribute(a attribute) bool {
	name, _ := a.name.(literal)
	text, _ := source.Text(name.value)
	owner := n.resources[a.id]
	return owner != nil && owner.spec != nil && owner.spec.Attributes[text] == resourcetype.List
}

// isDynamic reports whether a value has a dynamic reference.
func isDynamic(v any) bool {
	text, _ := v.(string)
	return strings.Contains(text, "{{resolve:")
}

// written is the text of a literal scalar, or of a parameter's value.
func (p *planner) written(e expr) (text string, ok bool) {
	switch e := e.(type) {
	case literal:
		return source.Text(e.value)
	case parameterRef:
		return source.Text(p.parameters[e.name])
	}
	return "", false
}

// isScalar reports whether CloudFormation may convert a text to the type of a property.
func isScalar(takes resourcetype.Takes, text string) bool {
	switch {
	case text == "" || isDynamic(text):
		return true
	case takes == resourcetype.TakesNumber:
		_, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		return err == nil
	case takes == resourcetype.TakesBoolean:
		_, err := strconv.ParseBool(strings.ToLower(text))
		isWord := strings.EqualFold(text, "yes") || strings.EqualFold(text, "no") // as YAML 1.1 has them
		return err == nil || isWord
	}
	return true
}
