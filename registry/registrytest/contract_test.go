package registrytest

import "testing"

// Inputs with which an update would be none, or a replacement, are refused: the
// checks would pass and say nothing, or fail for another reason.
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
