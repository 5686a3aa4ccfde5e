package host

import (
	"slices"
	"strings"
	"testing"
)

// With an endpoint of CloudFormation's API, a function can ask it as in Lambda: it has the endpoint
// and credentials of nobody. What it was given of its own comes before them, however it was given.
func TestCloudFormationEndpoint(t *testing.T) {
	const endpoint = "http://127.0.0.1:4000"
	for _, test := range []struct {
		name                   string
		own                    map[string]string
		endpoint               string
		placeholderCredentials bool
	}{
		{"nothing of its own", nil, endpoint, true},
		{"another endpoint", map[string]string{"AWS_ENDPOINT_URL_CLOUDFORMATION": "http://127.0.0.1:5000"}, "http://127.0.0.1:5000", true},
		{"another endpoint of Lambda's", map[string]string{"AWS_ENDPOINT_URL_LAMBDA": "http://127.0.0.1:5000"}, endpoint, true},
		{"credentials", map[string]string{"AWS_ACCESS_KEY_ID": "AKIAOWN", "AWS_SECRET_ACCESS_KEY": "own"}, endpoint, false},
		{"a profile", map[string]string{"AWS_PROFILE": "own"}, endpoint, false},
		{"a file with credentials", map[string]string{"AWS_SHARED_CREDENTIALS_FILE": "/own"}, endpoint, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := Host{config: Config{CloudFormation: endpoint}}
			env := h.environment(&function{Function: Function{Env: test.own}}, "127.0.0.1:1")
			if want := "AWS_ENDPOINT_URL_CLOUDFORMATION=" + test.endpoint; !slices.Contains(env, want) {
				t.Errorf("there is no %s in %q", want, env)
			}
			for name, value := range placeholderCredentials {
				if got := slices.Contains(env, name+"="+value); got != test.placeholderCredentials {
					t.Errorf("%s is made up: %t, want %t", name, got, test.placeholderCredentials)
				}
			}
			for name, value := range test.own {
				if !slices.Contains(env, name+"="+value) {
					t.Errorf("the function's own %s is not in %q", name, env)
				}
			}
		})
	}
	for _, variable := range new(Host).environment(new(function), "127.0.0.1:1") {
		if strings.HasPrefix(variable, "AWS_ENDPOINT_URL_CLOUDFORMATION") {
			t.Errorf("without an endpoint: %s", variable)
		}
	}
}
