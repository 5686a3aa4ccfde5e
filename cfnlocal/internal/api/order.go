package api

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An Operator starts the operations that clients order. Its methods are safe for concurrent use.
type Operator interface {
	// Start starts an operation, and returns the stack's ID once CloudFormation would
	// have taken it. It refuses with a *RefusalError, or with an engine.ValidationError.
	Start(ctx context.Context, o *Order) (stackID string, err error)
}

// An Order is an action that changes a stack, with the API's names.
type Order struct {
	Action, StackName           string
	TemplateBody                string // "" with UsePreviousTemplate
	UsePreviousTemplate         bool
	Parameters                  map[string]string
	PreviousValues              []string // the parameters with UsePreviousValue
	Capabilities                []string
	Tags                        []Tag
	OnFailure                   string
	DisableRollback             bool
	RetainExceptOnCreate        bool
	EnableTerminationProtection bool
	RetainResources             []string
	ResourcesToSkip             []string
	ClientRequestToken          string
}

// A Tag is a stack's tag, with the API's names.
type Tag struct{ Key, Value string }

// maxTemplate is the length of a TemplateBody [D].
const maxTemplate = 51_200

// An orderAction is an action that changes a stack.
type orderAction struct {
	// missing is the error if there is no stack of the name; "" if none is needed.
	missing  string
	tellsID  bool                      // the answer has the stack's ID, and otherwise nothing
	optional func(*call, *Order) error // reads and checks what it takes beside names and lists; or nil
}

var orders = map[string]orderAction{
	"CreateStack":                 {"", true, (*call).createStack},
	"UpdateStack":                 {"Stack [%s] does not exist", true, (*call).updateStack},
	"DeleteStack":                 {"", false, nil},
	"CancelUpdateStack":           {"Stack [%s] does not exist", false, nil},
	"ContinueUpdateRollback":      {"Stack [%s] does not exist", false, nil},
	"RollbackStack":               {"Stack [%s] does not exist", true, (*call).rollbackStack},
	"UpdateTerminationProtection": {"Stack [%s] does not exist", true, (*call).protect},
}

type stackIDResult struct{ StackId string }

// order starts the operation that a call orders.
func (c *call) order(ctx context.Context, operator Operator, name string, a orderAction) (any, error) {
	// Read the parameters.
	stack, err := c.required("StackName")
	if err != nil {
		return nil, err
	}
	o := &Order{Action: name, StackName: stack, ClientRequestToken: c.text("ClientRequestToken"),
		RetainResources: c.list("RetainResources"), ResourcesToSkip: c.list("ResourcesToSkip")}
	if a.optional != nil {
		if err := a.optional(c, o); err != nil {
			return nil, err
		}
	}

	// Find the stack.
	var s *Stack
	if a.missing != "" {
		s, err = c.stack(a.missing)
	} else {
		s, err = c.find(stack)
	}
	switch {
	case err != nil:
		return nil, err
	case name == "DeleteStack" && (s == nil || s.deleted()): // [O] what is not there is deleted
		return struct{}{}, nil
	case s != nil:
		o.StackName = s.Name
	}

	// Start the operation.
	id, err := operator.Start(ctx, o)
	if err != nil {
		return nil, err
	}
	if a.tellsID {
		return stackIDResult{id}, nil
	}
	return struct{}{}, nil
}

// newName is what the name of a new stack must look like [D].
var newName = regexp.MustCompile(`^[a-zA-Z][-a-zA-Z0-9]*$`)

func (c *call) createStack(o *Order) error {
	if !newName.MatchString(o.StackName) {
		return invalidValue(o.StackName, "StackName", "Member must satisfy regular expression pattern: [a-zA-Z][-a-zA-Z0-9]*")
	}
	if len(o.StackName) > maxName {
		return invalidValue(o.StackName, "StackName", "Member must have length less than or equal to 128")
	}
	if err := c.deployment(o); err != nil {
		return err
	}
	o.OnFailure = c.text("OnFailure")
	switch {
	case o.UsePreviousTemplate || o.TemplateBody == "":
		return invalid("Either Template URL or Template Body must be specified.") // [O]
	case o.OnFailure != "" && c.values.Has("DisableRollback"):
		return invalid("Only one of OnFailure and DisableRollback can be specified") // [D] the rule, [?] the words
	case !slices.Contains([]string{"", "DO_NOTHING", "ROLLBACK", "DELETE"}, o.OnFailure):
		return invalidValue(o.OnFailure, "OnFailure", "Member must satisfy enum value set: [ROLLBACK, DELETE, DO_NOTHING]")
	}
	return c.protect(o)
}

func (c *call) rollbackStack(o *Order) error {
	return c.flags(map[string]*bool{"RetainExceptOnCreate": &o.RetainExceptOnCreate})
}

func (c *call) protect(o *Order) error {
	return c.flags(map[string]*bool{"EnableTerminationProtection": &o.EnableTerminationProtection})
}

func (c *call) updateStack(o *Order) error {
	if err := c.deployment(o); err != nil {
		return err
	}
	if o.UsePreviousTemplate == (o.TemplateBody != "") {
		return invalid("Either Template URL or Template Body must be specified.") // [O]
	}
	return nil
}

// deployment reads what CreateStack and UpdateStack have in common.
func (c *call) deployment(o *Order) error {
	if c.text("TemplateURL") != "" {
		return invalid("TemplateURL is not supported here: cfnlocal reads nothing from S3. Give TemplateBody")
	}
	if o.TemplateBody = c.text("TemplateBody"); len(o.TemplateBody) > maxTemplate {
		return invalidValue("…", "TemplateBody", "Member must have length less than or equal to "+strconv.Itoa(maxTemplate))
	}
	if err := c.flags(map[string]*bool{
		"UsePreviousTemplate": &o.UsePreviousTemplate, "DisableRollback": &o.DisableRollback, "RetainExceptOnCreate": &o.RetainExceptOnCreate,
	}); err != nil {
		return err
	}
	// A parameter has a value, or keeps its previous one.
	o.Capabilities, o.Parameters = c.list("Capabilities"), map[string]string{}
	for _, p := range c.structures("Parameters", "ParameterKey") {
		key := c.text(p + "ParameterKey")
		previous := false
		if err := c.flags(map[string]*bool{p + "UsePreviousValue": &previous}); err != nil {
			return err
		}
		if previous {
			o.PreviousValues = append(o.PreviousValues, key)
			continue
		}
		o.Parameters[key] = c.text(p + "ParameterValue")
	}
	for _, t := range c.structures("Tags", "Key") {
		o.Tags = append(o.Tags, Tag{c.text(t + "Key"), c.text(t + "Value")})
	}
	return nil
}

// structures returns the prefixes of a list's structures: NAME.member.1., and so on,
// until one has no key.
func (c *call) structures(name, key string) (prefixes []string) {
	for i := 1; ; i++ {
		prefix := name + ".member." + strconv.Itoa(i) + "."
		if !c.values.Has(prefix + key) {
			return prefixes
		}
		prefixes = append(prefixes, prefix)
	}
}

// flags reads parameters that are true or false.
func (c *call) flags(into map[string]*bool) error {
	for _, name := range slices.Sorted(maps.Keys(into)) { // so that the same error is first each time
		switch strings.ToLower(c.text(name)) {
		case "", "false":
		case "true":
			*into[name] = true
		default:
			return invalid("1 validation error detected: Value at '%s' failed to satisfy constraint: Member must be a boolean", memberName(name)) // [?]
		}
	}
	return nil
}
