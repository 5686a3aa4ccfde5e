package response

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A URL is the signed address that one request's answer goes to: its ResponseURL. It never shows
// its query, which holds the signature: not when printed with any verb, logged, or encoded as JSON.
// The zero URL is no address.
type URL struct {
	// A func, since what prints a URL that is an unexported field of something
	// else cannot call the methods below, and follows pointers.
	get func() *url.URL
}

func hide(u *url.URL) URL {
	u.Fragment, u.RawFragment = "", "" // never sent
	return URL{func() *url.URL { return u }}
}

// ParseURL reads a request's ResponseURL: an absolute http or https URL. Whether an answer may be
// sent there is for [HTTPSender.Check] to say. The error never holds any part of raw.
func ParseURL(raw string) (URL, error) {
	if raw == "" {
		return URL{}, errors.New("response: the ResponseURL is empty")
	}
	u, err := url.Parse(raw)
	if err != nil { // its text holds raw
		return URL{}, errors.New("response: the ResponseURL is not a valid URL")
	}
	if u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" {
		return URL{}, errors.New("response: the ResponseURL is not an https URL with a host")
	}
	return hide(u), nil
}

// Host returns the host, with the port if the URL names one.
func (u URL) Host() string {
	if u.get == nil {
		return ""
	}
	return u.get().Host
}

// urlLife is how long after it was signed a URL can be used.
const urlLife = 2 * time.Hour

// SignedAt returns when CloudFormation signed the URL, which is when it sent the request: the
// query's X-Amz-Date, or, for the older kind of signature, two hours before its Expires, to within
// about a minute. It reports false if the query holds neither.
func (u URL) SignedAt() (time.Time, bool) {
	if u.get == nil {
		return time.Time{}, false
	}
	var date, expires string
	for pair := range strings.SplitSeq(u.get().RawQuery, "&") {
		switch name, value, _ := strings.Cut(pair, "="); name {
		case "X-Amz-Date":
			date = value
		case "Expires":
			expires = value
		}
	}
	if signed, err := time.Parse("20060102T150405Z", date); err == nil {
		return signed, true
	}
	const year9999 = 253402300799
	end, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || end <= int64(urlLife/time.Second) || end > year9999 {
		return time.Time{}, false
	}
	return time.Unix(end, 0).Add(-urlLife).UTC(), true
}

// String returns the scheme, the host and the path, and "?…" for the query.
func (u URL) String() string {
	if u.get == nil {
		return ""
	}
	whole := u.get()
	shown := (&url.URL{Scheme: whole.Scheme, Host: whole.Host, Path: whole.Path, RawPath: whole.RawPath}).String()
	if whole.RawQuery != "" {
		shown += "?…"
	}
	return shown
}

// GoString returns what String returns, as a Go expression.
func (u URL) GoString() string { return fmt.Sprintf("response.URL(%q)", u.String()) }

// Format prints what String returns, whatever the verb; %q quotes it.
func (u URL) Format(f fmt.State, verb rune) {
	shown := u.String()
	switch {
	case verb == 'q':
		shown = strconv.Quote(shown)
	case verb == 'v' && f.Flag('#'):
		shown = u.GoString()
	}
	_, _ = io.WriteString(f, shown)
}

// LogValue returns what String returns.
func (u URL) LogValue() slog.Value { return slog.StringValue(u.String()) }

// MarshalText returns what String returns.
func (u URL) MarshalText() ([]byte, error) { return []byte(u.String()), nil }
