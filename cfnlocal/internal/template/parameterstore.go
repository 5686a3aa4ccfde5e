package template

import (
	"cmp"
	"regexp"
)

// ssmReference is a dynamic reference to a parameter of Parameter Store, with or
// without a version, as CloudFormation recognises it. Those to secrets it leaves
// in custom resources as they are written.
var ssmReference = regexp.MustCompile(`\{\{resolve:ssm:([A-Za-z0-9_./-]+)(?::([0-9]+))?\}\}`)

// ParameterStore stands in for Parameter Store: values by NAME:VERSION and by NAME.
type ParameterStore map[string]string

// resolve resolves the dynamic references in a value, as CloudFormation does before it sends a
// request. missing is the name of the first that is not here, or "".
func (s ParameterStore) resolve(v any) (resolved any, missing string) {
	switch v := v.(type) {
	case string:
		out := ssmReference.ReplaceAllStringFunc(v, func(written string) string {
			reference := ssmReference.FindStringSubmatch(written)
			if value, ok := s[reference[1]+":"+reference[2]]; ok {
				return value
			}
			if value, ok := s[reference[1]]; ok {
				return value
			}
			missing = cmp.Or(missing, reference[1])
			return written
		})
		return out, missing
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			var none string
			if out[i], none = s.resolve(e); missing == "" {
				missing = none
			}
		}
		return out, missing
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			var none string
			if out[name], none = s.resolve(e); none != "" && (missing == "" || none < missing) {
				missing = none
			}
		}
		return out, missing
	}
	return v, ""
}
