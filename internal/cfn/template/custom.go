package template

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// checkCustom checks what CloudFormation itself reads of a custom resource: ServiceToken and ServiceTimeout. One with a
// condition is checked once the condition is known to hold: published templates have one without ServiceToken that never
// does, since a template needs a resource.
func (c *compiler) checkCustom(res *resource) {
	if !engine.IsCustomResource(res.Type) {
		return
	}
	token := res.properties.get("ServiceToken")
	at := res.at.get("Properties").get("ServiceToken")
	if at == nil {
		at = res.key
	}
	switch token := token.(type) {
	case nil:
		if near := nearest("ServiceToken", slices.Values(res.properties.names)); near != "" {
			c.errorf(res.at.get("Properties").get(near), "a custom resource needs the property ServiceToken, and here is %s; write ServiceToken", near)
			break
		}
		c.errorf(res.key, "a custom resource needs the property ServiceToken, the ARN of the function or topic that provides it; write ServiceToken: !GetAtt %s.Arn", c.providerOf(res))
	case noValue:
		c.errorf(at, "a custom resource needs the property ServiceToken, and AWS::NoValue removes it; write ServiceToken: !GetAtt %s.Arn", c.providerOf(res))
	case literal:
		if arn, _ := text(token.value); !strings.HasPrefix(arn, "arn:") {
			c.errorf(at, "ServiceToken must be an ARN; write ServiceToken: !GetAtt %s.Arn", c.providerOf(res))
		}
	case listExpr, objectExpr, split:
		c.errorf(at, "ServiceToken must be an ARN, and here is %s; write ServiceToken: !GetAtt %s.Arn", kindOf(at), c.providerOf(res))
	case resourceRef:
		if c.resources[token.id].Type == typeFunction {
			c.errorf(at, "Ref of a function is its name, and ServiceToken must be its ARN; write ServiceToken: !GetAtt %s.Arn", token.id)
		}
	}
	c.checkServiceTimeout(res)
	for _, key := range []string{"DeletionPolicy", "UpdateReplacePolicy"} {
		if policy := res.at.get(key); policy != nil && policy.value == "Snapshot" {
			c.warnf(policy, "custom resources have no snapshots; write Retain to keep the resource, or Delete")
		}
	}
	for i, name := range res.properties.names {
		c.warnDynamic(res.properties.values[i], res.at.get("Properties").get(name))
	}
}

// providerOf is the function that is probably meant, for the example in a message: its logical ID begins as the
// resource's own.
func (c *compiler) providerOf(res *resource) string {
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

// checkServiceTimeout checks a literal timeout: whole seconds from 1 to 3600. Written in another case it is a property that
// CloudFormation passes on, and waits for an hour.
func (c *compiler) checkServiceTimeout(res *resource) {
	for _, name := range res.properties.names {
		if name != "ServiceTimeout" && strings.EqualFold(name, "ServiceTimeout") {
			c.warnf(res.at.get("Properties").get(name), "%s is passed to the handler, and CloudFormation waits for an hour; did you mean ServiceTimeout?", name)
		}
	}
	value, ok := res.properties.get("ServiceTimeout").(literal)
	if !ok {
		return
	}
	s, _ := text(value.value)
	if seconds, err := strconv.Atoi(s); err != nil || seconds < 1 || seconds > 3600 {
		c.errorf(res.at.get("Properties").get("ServiceTimeout"), "ServiceTimeout is a whole number of seconds from 1 to 3600; write ServiceTimeout: 300")
	}
}

// warnDynamic warns of dynamic references to secrets, which CloudFormation does not resolve for custom resources.
func (c *compiler) warnDynamic(e expr, at *node) {
	walk(e, nil, func(e expr) {
		var written string
		switch e := e.(type) {
		case literal:
			written, _ = text(e.value)
		case sub:
			for _, p := range e.pieces {
				written += p.text
			}
		}
		if strings.Contains(written, "{{resolve:secretsmanager:") || strings.Contains(written, "{{resolve:ssm-secure:") {
			c.warnf(at, "dynamic references to secrets are not supported in custom resources: the handler receives the text of the reference; pass the secret's ARN and let the handler read it")
		}
	})
}
