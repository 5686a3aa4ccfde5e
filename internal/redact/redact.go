// Package redact strikes secret values out of texts.
package redact

import (
	"encoding/json"
	"fmt"
	"net/url"
	"sort"
	"strconv"
	"strings"
)

// minLength is the length in bytes of the shortest value that is struck out:
// a shorter one would blank out too much.
const minLength = 4

// Strike replaces every one of the secrets in text by "***", also in the forms
// that an error is likely to quote it in: as a JSON or Go string, as a part of a
// URL, or as bytes in decimal or hexadecimal. Secrets of fewer than four bytes
// stay.
func Strike(text string, secrets []string) string {
	var forms []string
	for _, secret := range secrets {
		if len(secret) < minLength {
			continue
		}
		quoted, _ := json.Marshal(secret) // a string always marshals
		forms = append(forms, secret, inner(string(quoted)), inner(strconv.Quote(secret)), inner(strconv.QuoteToASCII(secret)),
			url.QueryEscape(secret), url.PathEscape(secret),
			inner(fmt.Sprintf("%d", []byte(secret))), fmt.Sprintf("%x", secret), fmt.Sprintf("%X", secret))
	}
	// The longest first: one secret may be a part of another.
	sort.Slice(forms, func(i, j int) bool { return len(forms[i]) > len(forms[j]) })
	for _, form := range forms {
		text = strings.ReplaceAll(text, form, "***")
	}
	return text
}

// inner is a quoted string without its quotes, or a list without its brackets.
func inner(quoted string) string { return quoted[1 : len(quoted)-1] }
