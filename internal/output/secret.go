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
		for _, form := range append(inBase64(raw),
			secret, quoted[1:len(quoted)-1], string(escaped[1:len(escaped)-1]), plain.String()[1:plain.Len()-2],
			url.QueryEscape(secret), url.PathEscape(secret), hex.EncodeToString(raw), fmt.Sprintf("%X", raw),
			strings.TrimRight(base32.StdEncoding.EncodeToString(raw), "="),
			strings.Trim(fmt.Sprintf("%d", raw), "[]"),
		) {
			if strings.Contains(text, form) {
				return true
			}
		}
	}
	return false
}

// inBase64 returns what base64 writes of a text, also where it is a part of another, as a password
// is in the header of basic authentication: one form for each place among three bytes, without the
// characters that hold bits of what is around it.
func inBase64(text []byte) (forms []string) {
	for place := range 3 {
		placed := append(make([]byte, place), text...)
		first, end := (place*8+5)/6, len(placed)*8/6
		forms = append(forms, base64.RawStdEncoding.EncodeToString(placed)[first:end], base64.RawURLEncoding.EncodeToString(placed)[first:end])
	}
	return forms
}
