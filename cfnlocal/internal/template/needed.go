package template

import (
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// adviseOrder warns of custom resources that CloudFormation may delete after what their function needs for the Delete:
// the policies of its role, its on-failure destination, and its way to the network, as far as they are resources of
// their own (observed: aws/aws-cdk#9840, #5336). customs are those of the function; one warning tells of all.
func (p *planner) adviseOrder(f *Function, customs []*resource, active []*resource, plan *Plan) {
	needed := p.neededBy(f, active)
	if len(customs) == 0 || len(needed) == 0 {
		return
	}
	needs := map[string][]string{}
	for _, r := range plan.Resources {
		needs[r.LogicalID] = r.DependsOn
	}
	// The first resource that does not depend on all of that, and how many there are.
	var first *resource
	var missing []string
	count := 0
	for _, res := range customs {
		reached := map[string]bool{}
		p.reach(res.LogicalID, needs, reached)
		lacks := slices.DeleteFunc(slices.Clone(needed), func(id string) bool {
			seen := map[string]bool{}
			p.reach(id, needs, seen)
			return reached[id] || seen[res.LogicalID] // the other way round would be a cycle
		})
		if len(lacks) == 0 {
			continue
		}
		if count++; first == nil {
			first, missing = res, lacks
		}
	}
	if first == nil {
		return
	}
	// The line to write: what DependsOn has, and the rest.
	others := ""
	if count > 1 {
		others = ", and at the other custom resources of the function"
	}
	for _, n := range first.at.Get("DependsOn").Listed() {
		if text, _ := n.Text(); text != "" {
			missing = append([]string{text}, missing...)
		}
	}
	p.report.Warnf(first.key, "CloudFormation may delete what the function %s needs before this resource's Delete; write DependsOn: [%s]%s", f.LogicalID, strings.Join(missing, ", "), others)
}

// reach adds to a set what a resource depends on, directly or not.
func (p *planner) reach(id string, needs map[string][]string, reached map[string]bool) {
	for _, next := range needs[id] {
		if !reached[next] && p.budget.step() {
			reached[next] = true
			p.reach(next, needs, reached)
		}
	}
}

// networkTypes are what leads from a function's subnets to the network: a type, its property that names what it belongs
// to, and the property that names what further ones belong to, or "". They are in the order of that way.
var networkTypes = []struct{ typ, of, further string }{
	{"AWS::EC2::SubnetRouteTableAssociation", "SubnetId", "RouteTableId"},
	{"AWS::EC2::VPCEndpoint", "SubnetIds", ""},
	{"AWS::EC2::Route", "RouteTableId", ""},
	{"AWS::EC2::VPCEndpoint", "RouteTableIds", ""},
}

// neededBy are the resources that a function needs for its work, and that it does not depend on itself.
func (p *planner) neededBy(f *Function, active []*resource) (all []string) {
	function := p.names.resources[f.LogicalID]
	add := func(res *resource) {
		if !slices.Contains(all, res.LogicalID) {
			all = append(all, res.LogicalID)
		}
	}
	// The policies of its role.
	role, _ := p.predict(function.properties.get("Role")).(string)
	if id, _, _ := strings.Cut(strings.TrimPrefix(role, predictedAttribute), "."); strings.HasPrefix(role, predictedAttribute) {
		for _, policy := range p.attachedTo(id, active) {
			add(policy)
		}
	}
	// What answers for it if it dies.
	for _, res := range active {
		if res.Type == typeEventInvoke && p.functionOf(res.properties.get("FunctionName")) == f.LogicalID && p.onFailureOf(res) != nil {
			add(res)
		}
	}
	// Its way to the network.
	network, _ := p.pick(function.properties.get("VpcConfig")).(objectExpr)
	belongs := p.referencedIDs(network.get("SubnetIds"))
	for _, kind := range networkTypes {
		for _, res := range active {
			if res.Type != kind.typ || !slices.ContainsFunc(p.referencedIDs(res.properties.get(kind.of)), func(id string) bool { return slices.Contains(belongs, id) }) {
				continue
			}
			add(res)
			if kind.further != "" {
				belongs = append(belongs, p.referencedIDs(res.properties.get(kind.further))...)
			}
		}
	}
	return all
}

// attachedTo are the policies that are resources of their own and name a role.
func (p *planner) attachedTo(role string, active []*resource) (all []*resource) {
	for _, res := range active {
		var roles any
		switch res.Type {
		case "AWS::IAM::Policy", "AWS::IAM::ManagedPolicy":
			roles = p.predict(res.properties.get("Roles"))
		case "AWS::IAM::RolePolicy":
			roles = p.predict(res.properties.get("RoleName"))
		}
		if slices.Contains(source.Listed(roles), any(predictedRef+role)) {
			all = append(all, res)
		}
	}
	return all
}
