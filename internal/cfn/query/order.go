package query

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An Operator starts the operations that clients order. Its methods are safe for
// concurrent use.
type Operator interface {
	// Start starts an operation, and returns the stack's ID once CloudFormation would
	// have taken it. It refuses with a *RefusalError, or with an engine.ValidationError.
	Start(ctx context.Context, o *Order) (stackID string, err error)
}

// An Order is an action that changes a stack, with the API's names.
type Order struct {
	Action, StackName           string // StackName may be an ARN
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

// A RefusalError is the answer to an Order that CloudFormation refuses with another code than
// ValidationError.
type RefusalError struct{ Code, Message string }

func (r *RefusalError) Error() string { return r.Message }

// maxTemplate is the length of a TemplateBody [D].
const maxTemplate = 51_200

// An orderParser reads what one action takes beside the stack's name.
type orderParser func(*call, *Order) error

// orders are the actions that change a stack.
var orders = map[string]orderParser{
	"CreateStack":            (*call).createStack,
	"UpdateStack":            (*call).updateStack,
	"DeleteStack":            func(c *call, o *Order) error { o.RetainResources = c.list("RetainResources"); return nil },
	"CancelUpdateStack":      func(*call, *Order) error { return nil },
	"ContinueUpdateRollback": func(c *call, o *Order) error { o.ResourcesToSkip = c.list("ResourcesToSkip"); return nil },
	"RollbackStack": func(c *call, o *Order) (err error) {
		o.RetainExceptOnCreate, err = c.flag("RetainExceptOnCreate")
		return err
	},
	"UpdateTerminationProtection": func(c *call, o *Order) (err error) {
		o.EnableTerminationProtection, err = c.flag("EnableTerminationProtection")
		return err
	},
}

// stackIDActions answer with the stack's ID; the others answer with nothing.
var stackIDActions = []string{"CreateStack", "UpdateStack", "RollbackStack", "UpdateTerminationProtection"}

type stackIDResult struct{ StackId string }

// order starts the operation that a call orders.
func (c *call) order(ctx context.Context, operator Operator, action string, parse orderParser) (any, error) {
	name, err := c.required("StackName")
	if err != nil {
		return nil, err
	}
	o := &Order{Action: action, StackName: name, ClientRequestToken: c.text("ClientRequestToken")}
	if err := parse(c, o); err != nil {
		return nil, err
	}
	id, err := operator.Start(ctx, o)
	if err != nil {
		return nil, err
	}
	if slices.Contains(stackIDActions, action) {
		return stackIDResult{id}, nil
	}
	return struct{}{}, nil
}

// newName is what the name of a new stack must look like [D].
var newName = regexp.MustCompile(`^[a-zA-Z][-a-zA-Z0-9]*$`)

func (c *call) createStack(o *Order) (err error) {
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
	o.EnableTerminationProtection, err = c.flag("EnableTerminationProtection")
	return err
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
func (c *call) deployment(o *Order) (err error) {
	if c.text("TemplateURL") != "" {
		return invalid("TemplateURL is not supported here: cfnlocal reads nothing from S3. Give TemplateBody")
	}
	if o.TemplateBody = c.text("TemplateBody"); len(o.TemplateBody) > maxTemplate {
		return invalidValue("…", "TemplateBody", "Member must have length less than or equal to "+strconv.Itoa(maxTemplate))
	}
	if o.UsePreviousTemplate, err = c.flag("UsePreviousTemplate"); err != nil {
		return err
	}
	if o.DisableRollback, err = c.flag("DisableRollback"); err != nil {
		return err
	}
	if o.RetainExceptOnCreate, err = c.flag("RetainExceptOnCreate"); err != nil {
		return err
	}
	o.Capabilities, o.Parameters = c.list("Capabilities"), map[string]string{}
	for _, p := range c.structures("Parameters", "ParameterKey") {
		key := c.text(p + "ParameterKey")
		previous, err := c.flag(p + "UsePreviousValue")
		switch {
		case err != nil:
			return err
		case previous:
			o.PreviousValues = append(o.PreviousValues, key)
		default:
			o.Parameters[key] = c.text(p + "ParameterValue")
		}
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

// flag returns a parameter that is true or false.
func (c *call) flag(name string) (bool, error) {
	switch text := strings.ToLower(c.text(name)); text {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	default:
		return false, invalid("1 validation error detected: Value at '%s' failed to satisfy constraint: Member must be a boolean", memberName(name)) // [?]
	}
}
