package template

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// checkCustom checks the properties of a custom resource that CloudFormation itself reads: ServiceToken
// and ServiceTimeout. A resource with a condition is checked only once its condition holds: a template
// needs at least one resource, so published templates have one without a ServiceToken whose
// condition never holds.
func (c *compiler) checkCustom(res *resource) {
	if !engine.IsCustomResource(res.Type) {
		return
	}

	// Its ServiceToken.
	at := res.place("ServiceToken")
	switch token := res.properties.get("ServiceToken").(type) {
	case nil:
		if near := source.Nearest("ServiceToken", slices.Values(res.properties.names)); near != "" {
			c.Errorf(res.at.Get("Properties").Get(near), "a custom resource needs the property ServiceToken, not %s; write ServiceToken", near)
			break
		}
		c.Errorf(res.key, "a custom resource needs the property ServiceToken, the ARN of the function or topic that provides it; write ServiceToken: !GetAtt %s.Arn", c.likelyFunction(res))
	case noValue:
		c.Errorf(at, "a custom resource needs the property ServiceToken, and AWS::NoValue removes it; write ServiceToken: !GetAtt %s.Arn", c.likelyFunction(res))
	case literal:
		arn, _ := source.Text(token.value)
		if isARN := strings.HasPrefix(arn, "arn:") || ssmReference.MatchString(arn); !isARN {
			c.Errorf(at, "ServiceToken must be an ARN; write ServiceToken: !GetAtt %s.Arn", c.likelyFunction(res))
		}
	case resourceRef:
		if c.resources[token.id].Type == typeFunction {
			c.Errorf(at, "ServiceToken is the function's name, which Ref gives, and must be its ARN; write ServiceToken: !GetAtt %s.Arn", token.id)
		}
	default:
		if gives := c.gives(at, token); gives == aList || gives == anObject {
			c.Errorf(at, "ServiceToken must be an ARN, not %s; write ServiceToken: !GetAtt %s.Arn", at.Describe(), c.likelyFunction(res))
		}
	}

	// Its ServiceTimeout, its policies, and its properties.
	c.checkServiceTimeout(res)
	for _, key := range []string{"DeletionPolicy", "UpdateReplacePolicy"} {
		if policy := res.at.Get(key); policy != nil && policy.Value == "Snapshot" {
			c.Warnf(policy, "custom resources have no snapshots; write Retain to keep the resource, or Delete")
		}
	}
	for i, value := range res.properties.values {
		c.checkSecretReferences(value, res, res.properties.names[i], res.at.Get("Properties").Fields[i].Value)
	}
}

// likelyFunction returns the function that is probably meant, for the example in a message: the beginning of
// its logical ID resembles the resource's the most.
func (c *compiler) likelyFunction(res *resource) string {
	best, most := "Function", -1
	for _, id := range slices.Sorted(maps.Keys(c.resources)) {
		if same := samePrefix(id, res.LogicalID); c.resources[id].Type == typeFunction && same > most {
			best, most = id, same
		}
	}
	return best
}

func samePrefix(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// checkServiceTimeout checks a literal timeout: whole seconds from 1 to 3600. CloudFormation passes
// a ServiceTimeout in another case on to the handler, and waits for an hour.
func (c *compiler) checkServiceTimeout(res *resource) {
	for _, name := range res.properties.names {
		if name != "ServiceTimeout" && strings.EqualFold(name, "ServiceTimeout") {
			c.Warnf(res.at.Get("Properties").Get(name), "%s is passed to the handler, and CloudFormation waits for an hour; did you mean ServiceTimeout?", name)
		}
	}
	value, ok := res.properties.get("ServiceTimeout").(literal)
	if !ok {
		return
	}
	if !isTimeout(value.value) {
		c.Errorf(res.at.Get("Properties").Get("ServiceTimeout"), "ServiceTimeout must be a whole number of seconds from 1 to 3600; write ServiceTimeout: 300")
	}
}

// isTimeout reports whether CloudFormation accepts a value as a ServiceTimeout.
func isTimeout(v any) bool {
	s, _ := source.Text(v)
	seconds, err := strconv.Atoi(s)
	return err == nil && seconds >= 1 && seconds <= 3600
}

// checkSecretReferences refuses a dynamic reference to a secure string, as CloudFormation does for
// custom resources too (observed), and warns of one to Secrets Manager, which it does not resolve for them.
func (c *compiler) checkSecretReferences(e expr, res *resource, property string, at *source.Node) {
	c.budget.walk(e, nil, func(e expr) {
		var written string
		switch e := e.(type) {
		case literal:
			written, _ = source.Text(e.value)
		case sub:
			written = e.written()
		}
		if strings.Contains(written, "{{resolve:ssm-secure:") {
			c.Checkf(at, "SSM Secure reference is not supported in: [%s/Properties/%s]; pass the parameter's name and let the handler read it", res.Type, source.Shorten(property))
		}
		if strings.Contains(written, "{{resolve:secretsmanager:") {
			c.Warnf(at, "CloudFormation does not resolve references to secrets in custom resources: the handler receives the text of the reference; unless it resolves that itself, pass the secret's ARN and let the handler read it")
		}
	})
}

// Custom is a custom resource of a plan as far as it is known before anything is deployed.
type Custom struct {
	Position        // of its logical ID
	Path            string
	LogicalID, Type string
	// Function is the logical ID of the function behind its ServiceToken, or the ARN of a function outside
	// this template; "" if the ServiceToken is a topic of several functions, hidden, or not known yet.
	Function   string
	Properties Value // an object
}

// Attribute is a reference of a plan to an attribute of a custom resource.
type Attribute struct {
	Position
	Path            string
	LogicalID, Name string
}

func (p *planner) customResources(active []*resource, subscriptions []Subscription) (all []Custom) {
	for _, res := range active {
		if !engine.IsCustomResource(res.Type) {
			continue
		}
		p.checkToken(res)
		p.checkARN(res)
		c := Custom{Position: p.report.Position(res.key), Path: res.at.Path(), LogicalID: res.LogicalID, Type: res.Type}
		// A topic with several functions has no one that describes the resource.
		if ids := p.providers(res.properties.get("ServiceToken"), subscriptions); len(ids) == 1 {
			c.Function = ids[0]
		} else if s := p.subscribersOf(res.properties.get("ServiceToken"), subscriptions); len(s) == 1 {
			c.Function = s[0].Endpoint
		}
		c.Properties = Value{Position: c.Position, Path: c.Path, Form: Object}
		if n := res.at.Get("Properties"); n != nil {
			c.Properties, _ = p.valueOf(res.properties, n)
		}
		if token := c.Properties.member("ServiceToken"); c.Function == "" && !p.ofSecret(res.properties.get("ServiceToken")) {
			c.Function, _ = p.resolveText(token.Text)
		}
		all = append(all, c)
	}
	return all
}

// checkARN refuses an ARN that is none, or of another service or Region, as CloudFormation does [D].
func (p *planner) checkARN(res *resource) {
	token := p.pick(res.properties.get("ServiceToken"))
	if token == nil {
		return // checkCustom reports it
	}
	arn, err := p.early().text(p.given(token), res.place("ServiceToken"), "ServiceToken")
	arn, missing := p.resolveText(arn)
	parts := strings.Split(arn, ":")
	region := p.pseudo["AWS::Region"].(string)
	// Nothing is said of a value that is not known yet, or must not be shown.
	switch {
	case err != nil, missing != "", p.isGuess(token), p.ofSecret(token), len(parts) < 6:
		return
	case source.Hidden(arn):
		p.refuseHidden(res.place("ServiceToken"), arn)
		return
	case !isProvider(arn):
		p.refuseService(res.place("ServiceToken"), arn)
		return
	}
	if why := OtherRegion(arn, region); why != "" {
		p.report.Checkf(res.place("ServiceToken"), "%s; refer to one there, or deploy another stack with --region %s", why, source.Shorten(parts[3]))
	}
}

// OtherRegion returns why CloudFormation refuses a ServiceToken in a stack of a Region, or "" if it is of that Region, or no ARN [D].
func OtherRegion(token, region string) string {
	parts := strings.Split(token, ":")
	if len(parts) < 6 || parts[3] == region {
		return ""
	}
	return "the ServiceToken is in the Region " + source.Shorten(parts[3]) + ", and the stack in " + region + ": CloudFormation invokes functions and topics of its own Region only"
}

// attributesOf are the references to attributes of custom resources, each once, in the order of the
// file.
func (p *planner) attributesOf(active []*resource) (all []Attribute) {
	note := func(e expr) {
		a, ok := e.(attribute)
		if isCustom := ok && engine.IsCustomResource(p.names.resources[a.id].Type); !isCustom {
			return
		}
		if name, err := p.early().text(a.name, a.at, "the attribute's name"); err == nil {
			all = append(all, Attribute{p.report.Position(a.at), a.at.Path(), a.id, name})
		}
	}
	// Whatever refers to an attribute needs it, also the metadata and the outputs.
	for _, res := range active {
		p.budget.walk(res.properties, p.conditions, note)
		p.budget.walk(res.metadata, p.conditions, note)
	}
	for _, o := range p.template.outputs {
		if p.includes(o.condition) {
			p.budget.walk(o.value, p.conditions, note)
		}
	}
	slices.SortStableFunc(all, func(a, b Attribute) int { return a.Position.Compare(b.Position) })
	return slices.Compact(all)
}

// Value is a value of a template as far as it is known, with its place.
type Value struct {
	source.Position
	Path string
	Form Form
	Text string // of a Scalar; it belongs in no message
	// Parameter is the name of the parameter whose value it is, or "".
	Parameter string
	Items     []Value  // of a List
	Members   []Member // of an Object, in the order of the file
}

// Member is one entry of an object.
type Member struct {
	source.Position // of its name
	Path            string
	Name            string
	Value           Value
}

// Form is what a value is.
type Form int

// The forms.
const (
	Unknown Form = iota // until resources exist, or until CloudFormation resolves a dynamic reference
	Scalar
	List
	Object
)

// member returns the value of a member; it is Unknown if there is none.
func (v Value) member(name string) Value {
	for _, m := range v.Members {
		if m.Name == name {
			return m.Value
		}
	}
	return Value{}
}

// withComputed returns the computed value of an expression at this place.
func (v Value) withComputed(computed any) Value {
	// CloudFormation resolves a dynamic reference when it sends the request, so its text is not the value.
	if s, ok := source.Text(computed); ok {
		if !strings.Contains(s, "{{resolve:") {
			v.Form, v.Text = Scalar, s
		}
		return v
	}
	if items, ok := source.Slice(computed); ok {
		v.Form = List
		for i, item := range items {
			below := Value{Position: v.Position, Path: v.Path + "/" + strconv.Itoa(i), Parameter: v.Parameter}
			v.Items = append(v.Items, below.withComputed(item))
		}
		return v
	}
	// The members of a computed object have no order in the file, so they are sorted.
	if members, ok := computed.(map[string]any); ok {
		v.Form = Object
		for _, name := range slices.Sorted(maps.Keys(members)) {
			below := Value{Position: v.Position, Path: v.Path + "/" + source.Shorten(name)}
			v.Members = append(v.Members, Member{v.Position, below.Path, name, below.withComputed(members[name])})
		}
	}
	return v
}

// valueOf returns the value of an expression as far as it is known; n is its place. There is no value if
// AWS::NoValue removes it.
func (p *planner) valueOf(e expr, n *source.Node) (_ Value, there bool) {
	e, n = p.chosen(e, n)
	v := Value{Position: p.report.Position(n), Path: n.Path()}
	switch e := e.(type) {
	// References that need no evaluation.
	case noValue:
		return v, false
	case parameterRef:
		v.Parameter = e.name
	// Lists and objects: each part has its place.
	case listExpr:
		if n.Kind != source.List || len(n.Items) != len(e.items) {
			return v, true
		}
		v.Form = List
		for i, item := range e.items {
			if item, there := p.valueOf(item, n.Items[i]); there {
				v.Items = append(v.Items, item)
			}
		}
		return v, true
	case objectExpr:
		if n.Kind != source.Object || len(n.Fields) != len(e.names) {
			return v, true
		}
		v.Form = Object
		for i, name := range e.names {
			if value, there := p.valueOf(e.values[i], n.Fields[i].Value); there {
				v.Members = append(v.Members, Member{p.report.Position(n.Fields[i].Key), n.Fields[i].Value.Path(), name, value})
			}
		}
		return v, true
	}
	// Other expressions are evaluated.
	computed, err := p.early().eval(e)
	if err != nil {
		return v, true // it refers to a resource, or the deployment reports the mistake
	}
	if computed == any(noValue{}) {
		return v, false
	}
	return v.withComputed(computed), true
}
