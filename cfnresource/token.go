package cfnresource

import (
	"encoding/json"

	"github.com/google/uuid"
)

// tokenNamespace is the UUID under which tokens are made. Another one would give other
// tokens to the deliveries that are under way.
var tokenNamespace = uuid.MustParse("b4f6d1f4-1f0a-5d43-8f0e-6a4f5f2f7d11")

// tokenOf returns a UUID that is the same for the same parts, and only for them.
func tokenOf(parts ...string) string {
	text, _ := json.Marshal(parts) // strings always marshal
	return uuid.NewSHA1(tokenNamespace, text).String()
}
