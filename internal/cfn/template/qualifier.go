package template

import (
	"slices"
	"strings"
)

// adviseQualifier warns if a custom resource invokes a function by another qualifier than its EventInvokeConfig is for:
// what is configured for one is for no other [D].
func (p *planner) adviseQualifier(res *resource, f Function) {
	token := res.properties.get("ServiceToken")
	by := p.qualifierOf(token)
	if by == "" || len(f.configured) == 0 || slices.Contains(f.configured, by) || slices.Contains(f.configured, "") {
		return
	}
	p.report.Warnf(p.place(res, "ServiceToken"), "the EventInvokeConfig of the function %s is for %s, and this invokes %s: events are tried as Lambda does by default, and there is no on-failure destination; refer to what it is for",
		f.LogicalID, strings.Join(f.configured, " and "), by)
}

// qualifierOf is the version or the alias by which a ServiceToken names a function, $LATEST if by none, and "" if that
// is not known.
func (p *planner) qualifierOf(token expr) string {
	if p.functionOf(token) == "" {
		return ""
	}
	if ref, ok := p.pick(token).(resourceRef); ok && p.names.resources[ref.id].Type == "AWS::Lambda::Alias" {
		return p.predictText(p.names.resources[ref.id].properties.get("Name"))
	}
	arn := p.predictText(token)
	switch parts := strings.Split(arn, ":"); {
	case arn == "":
		return ""
	case len(parts) == 8:
		return parts[7]
	}
	return latest
}

const latest = "$LATEST"
