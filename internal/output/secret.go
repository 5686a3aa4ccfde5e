package output

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Holds reports whether a text contains one of the secrets, as it is or in a common encoding.
func Holds(text string, secrets []string) bool {
	for _, secret := range secrets {
		raw := []byte(secret)
		quoted := strconv.Quote(secret)
		escaped, _ := json.Marshal(secret) // a string can be encoded
		var plain strings.Builder          // without the escapes for HTML
		enc := json.NewEncoder(&plain)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(secret)
		for _, form := range []string{
			secret, quoted[1 : len(quoted)-1], string(escaped[1 : len(escaped)-1]), plain.String()[1 : plain.Len()-2],
			url.QueryEscape(secret), url.PathEscape(secret), hex.EncodeToString(raw),
			strings.TrimRight(base32.StdEncoding.EncodeToString(raw), "="), strings.TrimRight(base64.StdEncoding.EncodeToString(raw), "="), base64.RawURLEncoding.EncodeToString(raw),
			strings.Trim(fmt.Sprintf("%d", raw), "[]"),
		} {
			if strings.Contains(text, form) {
				return true
			}
		}
	}
	return false
}
