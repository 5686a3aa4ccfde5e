package template

import (
	"cmp"
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// Parameter is one entry of a template's Parameters section.
type Parameter struct {
	source.Position
	Name        string
	Type        string // as written: String, Number, List<Number>, CommaDelimitedList, AWS::EC2::VPC::Id, …
	Description string
	Default     *string // nil if a value must be given
	NoEcho      bool    // the value is never shown

	at *source.Node
	// Constraints of the value; nil and empty if there are none.
	allowedValues         []string
	allowedPattern        string
	pattern               *regexp.Regexp // nil also if Go cannot read the pattern
	patternSteps          int
	constraintDescription string // CloudFormation's message when it refuses a value, in place of its own
	minLength, maxLength  *int
	minValue, maxValue    *float64
}

// CloudFormation's quotas.
const (
	maxParameters = 200
	maxValue      = 4096 // bytes
)

var parameterKeys = []string{
	"Type", "Default", "Description", "NoEcho", "AllowedValues", "AllowedPattern", "ConstraintDescription",
	"MinLength", "MaxLength", "MinValue", "MaxValue",
}

// accountTypes are the types whose values CloudFormation looks up in the account. There is no
// account here, so any value will do.
var accountTypes = []string{
	"AWS::EC2::AvailabilityZone::Name", "AWS::EC2::Image::Id", "AWS::EC2::Instance::Id", "AWS::EC2::KeyPair::KeyName",
	"AWS::EC2::SecurityGroup::GroupName", "AWS::EC2::SecurityGroup::Id", "AWS::EC2::Subnet::Id", "AWS::EC2::VPC::Id",
	"AWS::EC2::Volume::Id", "AWS::Route53::HostedZone::Id",
}

// readParameters reads the section, and each default against its own constraints.
func readParameters(section *source.Node, r *source.Report, work *budget) (map[string]*Parameter, []*Parameter) {
	all := map[string]*Parameter{}
	var order []*Parameter
	fields := r.Fields(section)
	if len(fields) > maxParameters {
		r.Errorf(section, "a template has at most %d parameters, and this one has %d", maxParameters, len(fields))
	}
	for _, f := range fields {
		r.CheckName(f.Key, "a parameter")
		d := &Parameter{Position: r.Position(f.Key), Name: f.Name(), at: f.Key}
		all[d.Name] = d // even a wrong one, so that references to it are no further errors
		order = append(order, d)
		if f.Value.Kind != source.Object {
			r.Errorf(f.Value, "a parameter must be an object, not %s; write %s: {Type: String}", f.Value.Describe(), source.Shorten(d.Name))
			continue
		}
		d.read(f.Value, r, work)
	}
	return all, order
}

func (d *Parameter) read(n *source.Node, r *source.Report, work *budget) {
	before := len(r.Errors)
	r.CheckKeys(n, "a parameter", parameterKeys)
	d.Description = r.Description(n.Get("Description"))
	d.constraintDescription, _ = r.Literal(n.Get("ConstraintDescription"))
	d.readType(n, r)
	d.NoEcho = literalBool(n.Get("NoEcho"), r)
	d.readConstraints(n, r, work)
	if at := n.Get("Default"); at != nil && len(r.Errors) == before {
		text, ok := r.Literal(at)
		d.Default = &text
		if problem := d.check(text, work); ok && problem != "" {
			r.Errorf(at, "the default does not satisfy the parameter's own rules: %s", problem)
		}
	}
}

func (d *Parameter) readType(n *source.Node, r *source.Report) {
	const types = "String, Number, CommaDelimitedList, List<Number>"
	t := n.Get("Type")
	if t == nil {
		r.Errorf(n, "a parameter needs a Type: %s, or a type of AWS such as AWS::EC2::VPC::Id; write Type: String", types)
		return
	}
	d.Type, _ = r.Literal(t)
	element := d.elementType()
	known := append([]string{"String", "Number"}, accountTypes...)
	switch {
	case slices.Contains(known, element), d.Type == "CommaDelimitedList", d.Type == "AWS::SSM::Parameter::Name":
	case d.fromStore() && element == "CommaDelimitedList":
	default:
		known = append(known, "CommaDelimitedList", "List<Number>", "AWS::SSM::Parameter::Name")
		hint := cmp.Or(source.DidYouMean(d.Type, slices.Values(known)), "; choose from "+types+", and types of AWS such as AWS::EC2::VPC::Id")
		r.Errorf(t, "%s is not a parameter type%s", source.Shorten(d.Type), hint)
	}
}

// elementType is the type of a value, or of each item of a list.
func (d *Parameter) elementType() string {
	t := d.Type
	for _, wrap := range []string{"AWS::SSM::Parameter::Value<", "List<"} {
		if inner, ok := strings.CutPrefix(t, wrap); ok && strings.HasSuffix(inner, ">") {
			t = strings.TrimSuffix(inner, ">")
		}
	}
	return t
}

// fromStore reports whether the given value is the name of a parameter in Parameter Store, whose value
// Ref gives.
func (d *Parameter) fromStore() bool {
	return strings.HasPrefix(d.Type, "AWS::SSM::Parameter::Value<")
}

// isList reports whether Ref gives a list of strings.
func (d *Parameter) isList() bool {
	return d.Type == "CommaDelimitedList" || strings.Contains(d.Type, "List<") || strings.Contains(d.Type, "<CommaDelimitedList>")
}

func (d *Parameter) readConstraints(n *source.Node, r *source.Report, work *budget) {
	// The allowed values.
	if allowed := n.Get("AllowedValues"); allowed != nil {
		if allowed.Kind != source.List || len(allowed.Items) == 0 {
			r.Errorf(allowed, "AllowedValues must be a list of at least one value; write AllowedValues: [one, two]")
		}
		for _, item := range allowed.Items {
			s, _ := r.Literal(item)
			d.allowedValues = append(d.allowedValues, s)
		}
	}
	if at := n.Get("AllowedPattern"); at != nil {
		d.allowedPattern, _ = r.Literal(at)
		// The pattern must match the whole value. CloudFormation's dialect is Java's; Go's has no
		// look-around.
		whole := `^(?:` + d.allowedPattern + `)$`
		parsed, err := syntax.Parse(whole, syntax.Perl)
		if unknown, ok := errors.AsType[*syntax.Error](err); ok {
			r.Warnf(at, "the pattern is not checked here: Go's regular expressions do not know all of Java's (%v)", unknown.Code)
		} else if d.patternSteps = steps(parsed); !work.take(planning, perPatternStep*d.patternSteps) {
			r.Errorf(at, "the patterns of this template, with their repetitions written out, are too long to check; shorten this one")
		} else {
			d.pattern, _ = regexp.Compile(whole) // it has been parsed
		}
	}
	// The bounds, each of which applies to some types only.
	const length, value = "a whole number from 0", "a number"
	d.minLength, d.maxLength = readConstraint(n.Get("MinLength"), r, length, readLength), readConstraint(n.Get("MaxLength"), r, length, readLength)
	d.minValue, d.maxValue = readConstraint(n.Get("MinValue"), r, value, readNumber), readConstraint(n.Get("MaxValue"), r, value, readNumber)
	for _, key := range []string{"MinLength", "MaxLength", "MinValue", "MaxValue"} {
		at, isNumber := n.Get(key), d.elementType() == "Number"
		switch length := strings.HasSuffix(key, "Length"); {
		case at == nil || d.Type == "":
		case length && isNumber:
			r.Errorf(at, "%s applies to text, and this parameter is of type %s; remove it", key, source.Shorten(d.Type))
		case !length && d.Type != "Number":
			r.Errorf(at, "%s applies to Type Number, and this parameter is of type %s; remove it", key, source.Shorten(d.Type))
		case length && d.isList():
			r.Warnf(at, "it is not known how CloudFormation measures the length of a list; cfnlocal takes the length of the whole text")
		}
	}
	// Bounds that leave no value.
	if d.minLength != nil && d.maxLength != nil && *d.minLength > *d.maxLength {
		r.Errorf(n.Get("MinLength"), "MinLength is greater than MaxLength, so that no value is allowed")
	}
	if d.minValue != nil && d.maxValue != nil && *d.minValue > *d.maxValue {
		r.Errorf(n.Get("MinValue"), "MinValue is greater than MaxValue, so that no value is allowed")
	}
}

// steps is roughly how many steps a pattern has with its repetitions written out, as it is compiled.
func steps(re *syntax.Regexp) int {
	n := 1
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, part := range re.Sub {
		n += steps(part)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return n
}

func literalBool(n *source.Node, r *source.Report) bool {
	s, ok := r.Literal(n)
	if ok && s != "true" && s != "false" {
		r.Errorf(n, "%s must be true or false; write %s: true", n.Name, n.Name)
	}
	return s == "true"
}

// readConstraint reads the value of a constraint, or nil if it is missing. A value that read refuses is reported.
func readConstraint[T any](n *source.Node, r *source.Report, is string, read func(string) (T, error)) *T {
	s, ok := r.Literal(n)
	if !ok {
		return nil
	}
	v, err := read(s)
	if err != nil {
		r.Errorf(n, "%s must be %s; write %s: 1", n.Name, is, n.Name)
		return nil
	}
	return &v
}

func readLength(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if n < 0 {
		return 0, strconv.ErrRange
	}
	return n, err
}

func readNumber(s string) (float64, error) {
	if !numberPattern.MatchString(s) {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(s, 64)
}
