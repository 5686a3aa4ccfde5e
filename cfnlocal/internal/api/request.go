package query

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
)

// maxBody is how long a request may be. What is asked for here has a name, an
// ARN and a token; the limit is for those who send something else.
const maxBody = 1 << 20

// A request is what a client asks for: the parameters of the Query protocol.
type request struct {
	values url.Values
	body   []byte
}

// read takes the parameters from the URL of a GET or the form of a POST.
func read(w http.ResponseWriter, r *http.Request) (*request, error) {
	if r.URL.Path != "/" {
		return nil, errUnknownPath
	}
	text, body := r.URL.RawQuery, []byte(nil)
	switch r.Method {
	case http.MethodGet:
	case http.MethodPost:
		kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if err != nil || kind != "application/x-www-form-urlencoded" {
			return nil, errNoForm
		}
		body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if errors.As(err, new(*http.MaxBytesError)) {
			return nil, errTooLong
		} else if err != nil {
			return nil, errMalformed
		}
		if text != "" {
			text += "&"
		}
		text += string(body)
	default:
		return nil, errMethod
	}
	values, err := url.ParseQuery(text)
	if err != nil {
		return nil, errMalformed
	}
	return &request{values, body}, nil
}

// text returns a parameter, or "" if it is not given or empty.
func (r *request) text(name string) string { return r.values.Get(name) }

// required returns a parameter, or an error if it is missing or empty.
func (r *request) required(name string) (string, error) {
	if !r.values.Has(name) {
		return "", missingParameter(name)
	}
	value := r.text(name)
	if value == "" {
		return "", invalidValue(value, name, "Member must have length greater than or equal to 1")
	}
	return value, nil
}

// list returns the members of a list: NAME.member.1, NAME.member.2, and so on until one is missing.
func (r *request) list(name string) (all []string) {
	for i := 1; ; i++ {
		key := name + ".member." + strconv.Itoa(i)
		if !r.values.Has(key) {
			return all
		}
		all = append(all, r.text(key))
	}
}
