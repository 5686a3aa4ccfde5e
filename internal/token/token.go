// Package token makes idempotency tokens.
package token

import (
	"encoding/json"

	"github.com/google/uuid"
)

// space is the UUID under which tokens are made. Another one would give other
// tokens to the deliveries that are under way.
var space = uuid.MustParse("b4f6d1f4-1f0a-5d43-8f0e-6a4f5f2f7d11")

// Of returns a UUID that is the same for the same parts, and only for them.
func Of(parts ...string) string {
	text, _ := json.Marshal(parts) // strings always marshal
	return uuid.NewSHA1(space, text).String()
}
