package template

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Parameter is one entry of a template's Parameters section.
type Parameter struct {
	Position
	Name        string
	Type        string // as written: String, Number, List<Number>, CommaDelimitedList, AWS::EC2::VPC::Id, …
	Description string
	Default     *string // nil if a value must be given
	NoEcho      bool    // the value is never shown
	// What a value must satisfy; nil and empty where nothing is asked.
	AllowedValues         []string
	AllowedPattern        string
	ConstraintDescription string // what CloudFormation says in place of its own words when a value is refused
	MinLength, MaxLength  *int
	MinValue, MaxValue    *float64

	pattern *regexp.Regexp
	at      *node
}

var parameterKeys = []string{
	"Type", "Default", "Description", "NoEcho", "AllowedValues", "AllowedPattern", "ConstraintDescription",
	"MinLength", "MaxLength", "MinValue", "MaxValue",
}

// accountTypes are the types whose values CloudFormation looks up in the account. Here there is none: any value will do.
var accountTypes = []string{
	"AWS::EC2::AvailabilityZone::Name", "AWS::EC2::Image::Id", "AWS::EC2::Instance::Id", "AWS::EC2::KeyPair::KeyName",
	"AWS::EC2::SecurityGroup::GroupName", "AWS::EC2::SecurityGroup::Id", "AWS::EC2::Subnet::Id", "AWS::EC2::VPC::Id",
	"AWS::EC2::Volume::Id", "AWS::Route53::HostedZone::Id",
}

// readParameters reads the section, and each default against its own constraints.
func readParameters(section *node, r *report) (map[string]*Parameter, []*Parameter) {
	all := map[string]*Parameter{}
	var order []*Parameter
	fields := fieldsOf(section, r)
	if len(fields) > maxParameters {
		r.errorf(section, "a template has at most %d parameters, and this one has %d", maxParameters, len(fields))
	}
	for _, f := range fields {
		checkName(f.key, "a parameter", r)
		p := &Parameter{Position: r.position(f.key), Name: f.name(), at: f.key}
		all[p.Name] = p // also a broken one, so that references to it are no further errors
		order = append(order, p)
		if f.value.kind != object {
			r.errorf(f.value, "a parameter is an object, and here is %s; write %s: {Type: String}", kindOf(f.value), shorten(p.Name))
			continue
		}
		p.read(f.value, r)
	}
	return all, order
}

func (p *Parameter) read(n *node, r *report) {
	before := len(r.errors)
	checkKeys(n, "a parameter", parameterKeys, r)
	p.Description = description(n.get("Description"), r)
	p.ConstraintDescription, _ = literalText(n.get("ConstraintDescription"), r)
	p.readType(n, r)
	p.NoEcho = literalBool(n.get("NoEcho"), r)
	p.readConstraints(n, r)
	if d := n.get("Default"); d != nil && len(r.errors) == before {
		text, ok := literalText(d, r)
		p.Default = &text
		if problem := p.check(text); ok && problem != "" {
			r.errorf(d, "the default does not satisfy the parameter's own rules: %s", problem)
		}
	}
}

func (p *Parameter) readType(n *node, r *report) {
	const types = "String, Number, CommaDelimitedList, List<Number>"
	t := n.get("Type")
	if t == nil {
		r.errorf(n, "a parameter needs a Type: %s, or a type of AWS such as AWS::EC2::VPC::Id; write Type: String", types)
		return
	}
	p.Type, _ = literalText(t, r)
	element := p.elementType()
	known := append([]string{"String", "Number"}, accountTypes...)
	switch {
	case slices.Contains(known, element), p.Type == "CommaDelimitedList", p.Type == "AWS::SSM::Parameter::Name":
	case p.fromStore() && element == "CommaDelimitedList":
	default:
		known = append(known, "CommaDelimitedList", "List<Number>", "AWS::SSM::Parameter::Name")
		hint := didYouMean(p.Type, slices.Values(known))
		if hint == "" {
			hint = "; there is " + types + ", and types of AWS such as AWS::EC2::VPC::Id"
		}
		r.errorf(t, "%s is no type of parameter%s", shorten(p.Type), hint)
	}
}

// elementType is the type of a value, or of each item of a list.
func (p *Parameter) elementType() string {
	t := p.Type
	for _, wrap := range []string{"AWS::SSM::Parameter::Value<", "List<"} {
		if inner, ok := strings.CutPrefix(t, wrap); ok && strings.HasSuffix(inner, ">") {
			t = strings.TrimSuffix(inner, ">")
		}
	}
	return t
}

// fromStore says that the value given is the name of a parameter in Parameter Store, whose value Ref gives.
func (p *Parameter) fromStore() bool { return strings.HasPrefix(p.Type, "AWS::SSM::Parameter::Value<") }

// isList says that Ref gives a list of strings.
func (p *Parameter) isList() bool {
	return p.Type == "CommaDelimitedList" || strings.Contains(p.Type, "List<") || strings.Contains(p.Type, "<CommaDelimitedList>")
}

func (p *Parameter) readConstraints(n *node, r *report) {
	if allowed := n.get("AllowedValues"); allowed != nil {
		if allowed.kind != list || len(allowed.items) == 0 {
			r.errorf(allowed, "AllowedValues is a list of at least one value; write AllowedValues: [one, two]")
		}
		for _, item := range allowed.items {
			s, _ := literalText(item, r)
			p.AllowedValues = append(p.AllowedValues, s)
		}
	}
	if at := n.get("AllowedPattern"); at != nil {
		p.AllowedPattern, _ = literalText(at, r)
		// The pattern must match the whole value. CloudFormation's dialect is Java's; Go's has no look-around.
		if pattern, err := regexp.Compile(`^(?:` + p.AllowedPattern + `)$`); err == nil {
			p.pattern = pattern
		} else {
			r.warnf(at, "the pattern is not checked here: Go's regular expressions do not know all of Java's (%v)", patternError(err))
		}
	}
	p.MinLength, p.MaxLength = literalInt(n.get("MinLength"), r), literalInt(n.get("MaxLength"), r)
	p.MinValue, p.MaxValue = literalNumber(n.get("MinValue"), r), literalNumber(n.get("MaxValue"), r)
	for _, key := range []string{"MinLength", "MaxLength", "MinValue", "MaxValue"} {
		at, isNumber := n.get(key), p.elementType() == "Number"
		switch length := strings.HasSuffix(key, "Length"); {
		case at == nil || p.Type == "":
		case length && isNumber:
			r.errorf(at, "%s goes with texts, and this parameter is of type %s; remove it", key, shorten(p.Type))
		case !length && p.Type != "Number":
			r.errorf(at, "%s goes with Type Number, and this parameter is of type %s; remove it", key, shorten(p.Type))
		case length && p.isList():
			r.warnf(at, "what CloudFormation takes for the length of a list is not known; here it is that of the whole text")
		}
	}
	if p.MinLength != nil && p.MaxLength != nil && *p.MinLength > *p.MaxLength {
		r.errorf(n.get("MinLength"), "MinLength is greater than MaxLength, so that no value can be right")
	}
	if p.MinValue != nil && p.MaxValue != nil && *p.MinValue > *p.MaxValue {
		r.errorf(n.get("MinValue"), "MinValue is greater than MaxValue, so that no value can be right")
	}
}

// patternError is what is wrong with a regular expression, without the wrapping that was put around it.
func patternError(err error) string {
	message := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	kind, _, _ := strings.Cut(message, ":")
	return kind
}

// literalText is the text of a scalar, for the places where CloudFormation allows no function.
func literalText(n *node, r *report) (string, bool) {
	if n == nil {
		return "", false
	}
	if n.kind == scalar {
		return text(n.value)
	}
	r.errorf(n, "%s must be a literal value, and here is %s; functions are not allowed here", shorten(n.name), kindOf(n))
	return "", false
}

func literalBool(n *node, r *report) bool {
	s, ok := literalText(n, r)
	if ok && s != "true" && s != "false" {
		r.errorf(n, "%s is true or false; write %s: true", n.name, n.name)
	}
	return s == "true"
}

func literalInt(n *node, r *report) *int {
	s, ok := literalText(n, r)
	if !ok {
		return nil
	}
	i, err := strconv.Atoi(s)
	if err != nil || i < 0 {
		r.errorf(n, "%s is a whole number from 0; write %s: 1", n.name, n.name)
		return nil
	}
	return &i
}

func literalNumber(n *node, r *report) *float64 {
	s, ok := literalText(n, r)
	if !ok {
		return nil
	}
	f, err := json.Number(s).Float64()
	if err != nil {
		r.errorf(n, "%s is a number; write %s: 1", n.name, n.name)
		return nil
	}
	return &f
}
