package main

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
)

// leftOut says why scenarios have no meaning over the API that is public.
var leftOut = map[string]string{
	"n13-no-template":              "what is said of a template that is not there is the engine's test's own",
	"s05g-control-characters":      "nobody can read the stack's events after it",
	"s29b-function-replaced":       "a function needs code and a role",
	"x-invocation-refused":         "a topic takes every message",
	"x-invocation-refused-nothing": "a topic takes every message",
	"x-review":                     "it makes a change set, and no stack",
	"x-review-deleted":             "it makes a change set, and no stack",
	"x-stand-in-fails":             "a native resource does not fail because somebody asks it to",
}

// leftOutAtEndpoint says why others are not played against serve --deploy.
var leftOutAtEndpoint = map[string]string{
	"n16-forced":           "it takes no DeletionMode",
	"n17-express":          "it takes no DeploymentConfig",
	"s43-update-times-out": "it waits for a handler that is late, and never for an hour",
	"s64-force":            "it takes no DeletionMode",
	"x-express":            "it takes no DeploymentConfig",
	"x-express-rollback":   "it takes no DeploymentConfig",
}

// slow is how long a scenario may take in an account without -slow.
const slow = 10 * time.Minute

// why says why a scenario is left out, or returns "".
func (p *plan) why(account, slowToo bool) string {
	nested := slices.ContainsFunc(slices.Collect(maps.Values(p.Texts)), func(text string) bool { return strings.Contains(text, engine.StackType) })
	switch {
	case leftOut[p.Name] != "":
		return leftOut[p.Name]
	case !account:
		return leftOutAtEndpoint[p.Name]
	case nested:
		return "the templates of nested stacks would need a bucket"
	case p.takes() > slow && !slowToo:
		return "it takes " + p.takes().String() + ": -slow"
	}
	return ""
}

// takes is how long the scenario takes by its own clock.
func (p *plan) takes() time.Duration {
	return p.run.Player.Now.Sub(enginetest.Start).Round(time.Second)
}
