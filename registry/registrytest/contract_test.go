package registrytest

import "testing"

// Inputs whose update changes nothing, or replaces the resource, are refused: with them
// the checks would prove nothing, or fail for another reason.
func TestInputsThatAreNoUpdate(t *testing.T) {
	for name, in := range map[string]Inputs[props]{
		"the same":                {Create: inputs.Create, Update: inputs.Create},
		"another createOnly Name": {Create: inputs.Create, Update: props{Name: "b", Size: 2}},
	} {
		if _, err := wireOf(in); err == nil {
			t.Errorf("%s: there is no error", name)
		}
	}
}
