package cdk

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/cfnresource/sdk-go/cfnresource"
)

const customPrefix = "Custom::"

func (p *provider) Resource(scope constructs.Construct, id *string, resourceType *string, properties any) awscdk.CustomResource {
	typ, mistakes := checkType(resourceType)
	if len(mistakes) > 0 {
		typ = customPrefix + "Refused" // synthesis fails
	} else if !p.provides(typ) {
		mistakes = append(mistakes, fmt.Sprintf("the handler has no type %s: it has %s", typ, strings.Join(p.types(), ", ")))
	}
	values, more := p.check(typ, properties)
	mistakes = append(mistakes, more...)
	if p.settings.phases && *awscdk.Stack_Of(scope).Node().Path() != *awscdk.Stack_Of(p).Node().Path() {
		mistakes = append(mistakes, "the resource is in another stack than its provider, which asks for the phases of its own stack alone: make a provider in each stack")
	}

	resource := awscdk.NewCustomResource(scope, id, &awscdk.CustomResourceProps{
		ResourceType:   &typ,
		ServiceToken:   p.function.FunctionArn(),
		ServiceTimeout: awscdk.Duration_Seconds(jsii.Number(p.settings.serviceTimeout)),
		Properties:     &values,
	})
	refuse(resource, mistakes)
	// Its Delete needs all of the provider: the settings for a process that dies, and what is granted later.
	resource.Node().AddDependency(p)
	if p.network != nil {
		resource.Node().AddDependency(p.network)
	}
	return resource
}

var typeName = regexp.MustCompile(`^Custom::[A-Za-z0-9_@-]+$`)

// checkType returns the name of a type, and what is wrong with it.
func checkType(resourceType *string) (typ string, mistakes []string) {
	if resourceType != nil {
		typ = *resourceType
	}
	if !typeName.MatchString(typ) || len(typ) > 60 {
		return typ, []string{fmt.Sprintf("%.100q is no type of a custom resource: write Custom:: and a name of letters, digits and _@-, of 60 characters together", typ)}
	}
	return typ, nil
}

// provides reports whether the handler has a type, as far as it is known.
func (p *provider) provides(typ string) bool {
	if p.handler == nil {
		return true
	}
	_, ok := p.typeOf(typ)
	return ok || p.handler.Err() != nil
}

// typeOf returns what the handler has for a type, or for all types.
func (p *provider) typeOf(name string) (typ cfnresource.ResourceType, ok bool) {
	if p.handler == nil {
		return typ, false
	}
	for _, t := range p.handler.ResourceTypes() {
		switch t.Name {
		case name:
			return t, true
		case "":
			typ, ok = t, true
		}
	}
	return typ, ok
}

func (p *provider) types() (names []string) {
	for _, t := range p.handler.ResourceTypes() {
		names = append(names, t.Name)
	}
	return names
}

// A validation is what a construct answers when it is validated.
type validation struct{ mistakes []string }

// Validate returns the mistakes.
func (v *validation) Validate() *[]*string { return jsii.Strings(v.mistakes...) }

// refuse lets synthesis fail if there are mistakes.
func refuse(c constructs.IConstruct, mistakes []string) {
	if len(mistakes) > 0 {
		c.Node().AddValidation(&validation{mistakes})
	}
}
