package record

import (
	"slices"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/mask"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// Secrets returns the values to hide: those of parameters with NoEcho, values that the template
// derives from them, and the Data of answers with NoEcho, including those of earlier deployments.
func (r *Record) Secrets() mask.Secrets {
	all := slices.Clone(r.Former)
	for _, s := range r.Stack.All() {
		all = append(all, r.secretsIn(s)...)
	}
	return mask.Of(all)
}

// secretsIn returns the secrets of one stack without its nested stacks.
func (r *Record) secretsIn(s *engine.Stack) []string {
	all, plans := r.secretParameters(s)
	for _, q := range s.Requests {
		all = append(all, secretsOf(q, plans)...)
	}
	for _, res := range slices.Concat(s.Resources, s.Leaving) {
		all = append(all, secretProperties(res.LogicalID, plans, res.Properties, res.Old)...)
	}
	return all
}

// secretParameters returns the secret parameter values of a stack, and its plans.
func (r *Record) secretParameters(s *engine.Stack) (all []string, plans []*template.Plan) {
	for _, rev := range r.RevisionsOf(s) {
		plan, err := rev.Plan(s)
		if err != nil {
			continue // Plan succeeded when it was deployed
		}
		all, plans = append(all, plan.NoEcho...), append(plans, plan)
	}
	return all, plans
}

// secretsOf returns the values to hide in a request and its answers.
func secretsOf(q *engine.Request, plans []*template.Plan) []string {
	all := secretProperties(q.LogicalID, plans, q.Properties, q.OldProperties)
	for _, answer := range slices.Concat([]string{q.Answer}, q.Late, q.Lost) {
		for _, value := range mask.SecretsOf(answer) {
			if !slices.Contains(shownBeside(q, answer), value) {
				all = append(all, value)
			}
		}
	}
	return all
}

// shownBeside returns the texts that are shown beside the Data of an answer with NoEcho: the resource's physical ID, and its
// properties. NoEcho is of all Data, and often only a part is secret. What else makes a property secret hides it anyway.
func shownBeside(q *engine.Request, answer string) []string {
	return append(mask.Values(q.Properties.Map()), q.PhysicalID, mask.PhysicalIDOf(answer))
}

// secretProperties returns the values in properties that the plans derive from NoEcho parameters.
func secretProperties(logicalID string, plans []*template.Plan, properties ...engine.Properties) (all []string) {
	for _, plan := range plans {
		paths := plan.Secrets[logicalID]
		if len(paths) == 0 {
			continue
		}
		for _, p := range properties {
			all = append(all, template.SecretValues(p.Exact(), paths)...)
		}
	}
	return all
}

// PatchSecrets returns the secrets in what a patch has changed of a stack.
func (r *Record) PatchSecrets(s *engine.Stack, p *engine.Patch) (all []string) {
	_, plans := r.secretParameters(s)
	for _, q := range p.Requests {
		all = append(all, secretsOf(q, plans)...)
	}
	for _, res := range p.Resources {
		all = append(all, secretProperties(res.LogicalID, plans, res.Properties, res.Old)...)
	}
	for i, change := range p.Nested {
		if change.Patch != nil {
			all = append(all, r.PatchSecrets(s.Nested[i], change.Patch)...)
			continue
		}
		for _, nested := range s.Nested[i].All() {
			all = append(all, r.secretsIn(nested)...)
		}
	}
	return all
}

// SecretPaths returns where a resource's properties hold values derived from NoEcho parameters.
func (r *Record) SecretPaths(s *engine.Stack, logicalID string) (all []template.SecretPath) {
	_, plans := r.secretParameters(s)
	for _, plan := range plans {
		all = append(all, plan.Secrets[logicalID]...)
	}
	return all
}

// Shown returns a copy of the stack in which secrets and signatures are hidden in rows and reasons.
// Requests are unchanged: [mask.JSON] hides those in them.
func (r *Record) Shown() *engine.Stack { return mask.Stack(r.Stack, r.Secrets()) }
