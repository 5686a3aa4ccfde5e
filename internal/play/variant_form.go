package play

// Changes texts, and values that hold some, and keeps the form that they seem to have: a number goes where one can stand.

import (
	"fmt"
	"math/big"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/cfnresource/sdk-go/cfnresource/schema"
)

// other returns another text, one character longer if its form allows that.
func other(text string) string {
	if next := numbered(text, 1); next != text+"-1" {
		return next
	}
	return text + "x"
}

// numbered returns a text of the same form that differs by a number: another address, day, mailbox or host.
func numbered(text string, i int) string {
	n := strconv.Itoa(i)
	if addr, err := netip.ParseAddr(text); err == nil {
		return plus(addr, i, 0).String()
	}
	if prefix, err := netip.ParsePrefix(text); err == nil {
		host := prefix.Addr().BitLen() - prefix.Bits()
		return netip.PrefixFrom(plus(prefix.Addr(), i, host), prefix.Bits()).String()
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if day, err := time.Parse(layout, text); err == nil {
			return day.AddDate(0, 0, i).Format(layout)
		}
	}
	if d, err := time.ParseDuration(text); err == nil && text != "0" {
		unit := time.Second
		if d%time.Minute == 0 {
			unit = time.Minute // of which many services take whole ones only
		}
		return (d + time.Duration(i)*unit).String()
	}
	if local, domain, is := strings.Cut(text, "@"); is && hostName.MatchString(domain) && local != "" {
		return local + "-" + n + "@" + domain
	}
	if first, rest, _ := strings.Cut(text, "."); hostName.MatchString(text) {
		return first + "-" + n + "." + rest
	}
	if end, is := strings.CutSuffix(text, "/"); is && end != "" {
		return end + "-" + n + "/"
	}
	return text + "-" + n
}

// hostName matches a name of several labels, the last of which has no digits.
var hostName = regexp.MustCompile(`^([a-zA-Z0-9_]([a-zA-Z0-9_-]*[a-zA-Z0-9])?\.)+[a-zA-Z]{2,}\.?$`)

// plus returns the address n networks of so many bits further on, and begins again after the last.
func plus(addr netip.Addr, n, bits int) netip.Addr {
	sum := new(big.Int).SetBytes(addr.AsSlice())
	sum.Add(sum, new(big.Int).Lsh(big.NewInt(int64(n)), uint(bits)))
	sum.Mod(sum, new(big.Int).Lsh(big.NewInt(1), uint(addr.BitLen())))
	next, _ := netip.AddrFromSlice(sum.FillBytes(make([]byte, addr.BitLen()/8)))
	return next
}

// allEndings is the kind of change with all of the endings.
const allEndings = "endings"

// endings yields endings of a text that mean something elsewhere: characters with which people join texts, escapes of a
// JSON pointer or a URL, and characters that end the path in a URL.
func endings(yield func(kind, ending string) bool) {
	for _, e := range [][2]string{{"colon", ":x"}, {"slash", "/x"}, {"pipe", "|x"}, {"dot", ".x"}, {"comma", ",x"}, {"dash", "-x"}, {"escaped", "~1%41+x"}, {"reserved", "?x=x&y#z"}} {
		if !yield(e[0], e[1]) {
			return
		}
	}
}

// withEndings returns a text with all of the endings.
func withEndings(text string) string {
	for _, ending := range endings {
		text += ending
	}
	return text
}

// otherCase turns the case of the last letter, so that the text keeps most of its form.
func otherCase(text string) string {
	runes := []rune(text)
	for i, r := range slices.Backward(runes) {
		if upper := unicode.ToUpper(r); upper != r {
			runes[i] = upper
			break
		}
		if lower := unicode.ToLower(r); lower != r {
			runes[i] = lower
			break
		}
	}
	return string(runes)
}

// another returns a value like a given one, with a number at the end of its texts if their type allows that.
func (w *walk) another(p *schema.Property, like any, i int) any {
	p = w.resolve(p)
	if p == nil {
		p = &schema.Property{}
	}
	switch like := like.(type) {
	case map[string]any:
		other := map[string]any{}
		for name, member := range like {
			other[name] = w.another(p.Properties[name], member, i)
		}
		return other
	case string:
		next := numbered(like, i)
		if n, err := strconv.ParseInt(like, 10, 64); err == nil && p.Type == "integer" {
			next = strconv.FormatInt(n+int64(i), 10)
		}
		if len(p.Enum) == 0 && p.Type != "boolean" && allows(p, next) {
			return next
		}
	}
	return like
}

// unlike returns another value than a given one, even if the type has few.
func (w *walk) unlike(p *schema.Property, value any, i int) any {
	text, isText := value.(string)
	if p = w.resolve(p); p == nil || !isText {
		return w.another(p, value, i)
	}
	if p.Type == "boolean" {
		return strconv.FormatBool(text != "true")
	}
	for _, v := range p.Enum {
		if fmt.Sprint(v) != text {
			return fmt.Sprint(v)
		}
	}
	return w.another(p, value, i)
}
