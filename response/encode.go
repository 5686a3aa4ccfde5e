package response

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/cfnresource/sdk-go/internal/redact"
)

// noReason is the Reason of a failure that gives none.
const noReason = "The custom resource provider failed and gave no reason."

// ellipsis marks where a text was cut.
const ellipsis = "…"

// body is the answer as CloudFormation reads it. An absent Reason is left out, never null.
type body struct {
	Status            Status
	Reason            string         `json:",omitempty"`
	PhysicalID        string         `json:"PhysicalResourceId"`
	StackID           string         `json:"StackId"`
	RequestID         string         `json:"RequestId"`
	LogicalResourceID string         `json:"LogicalResourceId"`
	NoEcho            bool           `json:",omitempty"`
	Data              map[string]any `json:",omitempty"`
}

// Encode returns the body to send: valid UTF-8 JSON of at most [MaxBytes].
//
// A Reason that does not leave room is shortened: its start and the LogPointer are kept, and "…"
// marks the cut. If Data is too large beside an empty Reason the error is a [*TooLargeError]. It is
// an error as well if Status is neither Success nor Failed, if an ID is empty or is not valid
// UTF-8, if a value in Data cannot be encoded, and if the IDs alone take up the room. No error
// holds a value of Data.
func (a Answer) Encode() ([]byte, error) {
	if err := a.validate(); err != nil {
		return nil, err
	}
	b := body{
		Status: a.Status, PhysicalID: a.PhysicalResourceID,
		StackID: a.StackID, RequestID: a.RequestID, LogicalResourceID: a.LogicalResourceID,
	}
	reason, pointer := clean(a.Reason), clean(a.LogPointer)
	if a.Status == Failed && reason == "" {
		reason = noReason
	}
	if a.Status == Success {
		b.NoEcho, b.Data = a.NoEcho, a.Data
	}

	// Data is never cut: an answer that is too large without a Reason is an error.
	out, err := b.encode()
	if err != nil {
		return nil, err
	}
	if len(out) > MaxBytes {
		return nil, b.tooLarge(len(out))
	}
	if reason == "" {
		return out, nil
	}

	// The Reason takes the room that is left. CloudFormation requires one of a failure.
	if !b.fitReason(reason, pointer) && a.Status == Failed {
		return nil, fmt.Errorf("response: the IDs of the request and the resource leave no room for a Reason within the %d bytes that CloudFormation accepts: use a shorter physical ID", MaxBytes)
	}
	return b.encode()
}

func (a Answer) validate() error {
	if a.Status != Success && a.Status != Failed {
		return fmt.Errorf("response: the answer's Status is %q; CloudFormation accepts %s and %s", a.Status, Success, Failed)
	}
	for _, id := range []struct{ name, value string }{
		{"PhysicalResourceID", a.PhysicalResourceID}, {"StackID", a.StackID},
		{"RequestID", a.RequestID}, {"LogicalResourceID", a.LogicalResourceID},
	} {
		if id.value == "" {
			return fmt.Errorf("response: the answer's %s is empty; CloudFormation does not accept an answer without it", id.name)
		}
		if !utf8.ValidString(id.value) {
			return fmt.Errorf("response: the answer's %s is not valid UTF-8 and would not reach CloudFormation unchanged", id.name)
		}
	}
	return nil
}

// fitReason sets the longest Reason that leaves the body within MaxBytes, and
// reports whether there is room for any. The pointer gives way only where there
// is no room for it beside the reason's first character.
func (b *body) fitReason(reason, pointer string) bool {
	full := reason
	if pointer != "" {
		full += " " + pointer
	}
	if len(full) <= MaxBytes && b.fits(full) {
		return true
	}
	if pointer != "" {
		if n := b.room(reason, " "+pointer); n > 0 && b.fits(shorten(reason, n)+" "+pointer) {
			return true
		}
	}
	if b.fits(reason) || b.fits(shorten(reason, b.room(reason, ""))) {
		return true
	}
	b.Reason = ""
	return false
}

// room returns how many bytes of a reason fit if it is cut, before the mark of the
// cut and tail.
func (b *body) room(reason, tail string) int {
	// A longer start never has a shorter encoding.
	return sort.Search(min(len(reason)-1, MaxBytes), func(n int) bool {
		return !b.fits(shorten(reason, n+1) + tail)
	})
}

// fits sets the Reason and reports whether the body is within MaxBytes.
func (b *body) fits(reason string) bool {
	b.Reason = reason
	return b.size() <= MaxBytes
}

func (b *body) size() int {
	out, _ := b.encode() // it did not fail before
	return len(out)
}

// encode returns an error if there is something in Data that cannot be encoded.
func (b *body) encode() ([]byte, error) {
	out, err := marshal(b)
	if err != nil {
		return nil, blame(b.Data)
	}
	return out, nil
}

// shorten returns at most the first n bytes of s, cut between two characters,
// with the mark of the cut.
func shorten(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.TrimRight(s[:n], " ") + ellipsis
}

// clean makes s one line of characters that XML, in which DescribeStackEvents answers, can hold.
func clean(s string) string { return redact.OneLine(s, math.MaxInt) }

// blame returns why data cannot be encoded: the error names the key. The
// encoder's own text can quote the value.
func blame(data map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(data)) {
		if _, err := marshal(data[key]); err != nil {
			return fmt.Errorf("response: the value of %q in Data, of Go type %T, cannot be encoded as JSON", shorten(key, maxKeyText), data[key])
		}
	}
	return errors.New("response: Data cannot be encoded as JSON")
}

// lineEnds undoes the escapes of U+2028 and U+2029. An escaped backslash stays what it is.
var lineEnds = strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029")

// marshal is json.Marshal with three differences: it leaves <, >, &, U+2028 and U+2029 alone,
// which take six bytes each when escaped; a MarshalJSON that panics is an error; and bytes from
// such a method that are not valid UTF-8 become U+FFFD.
func marshal(v any) (out []byte, err error) {
	defer func() {
		if recover() != nil {
			out, err = nil, errors.New("its MarshalJSON or MarshalText method panicked")
		}
	}()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	out = bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
	if bytes.Contains(out, []byte(`\u202`)) {
		out = []byte(lineEnds.Replace(string(out)))
	}
	if !utf8.Valid(out) {
		out = bytes.ToValidUTF8(out, []byte("\ufffd"))
	}
	return out, nil
}

// A TooLargeError reports Data that leaves the answer above [MaxBytes], even without its Reason.
type TooLargeError struct {
	Size int       // of the whole answer without its Reason, in bytes
	Keys []KeySize // Data's keys, largest first
}

// A KeySize is the size of one entry of Data.
type KeySize struct {
	Key   string
	Bytes int // of the encoded key and value
}

const (
	maxKeys    = 8  // in the text of an error
	maxKeyText = 64 // bytes
)

// Error names the sizes of the largest entries by their keys, never a value.
func (e *TooLargeError) Error() string {
	var out strings.Builder
	fmt.Fprintf(&out, "response: the answer has %d bytes, %d more than CloudFormation accepts; Data has", e.Size, e.Size-MaxBytes)
	for i, k := range e.Keys[:min(len(e.Keys), maxKeys)] {
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, " %d bytes in %q", k.Bytes, shorten(k.Key, maxKeyText))
	}
	if more := len(e.Keys) - maxKeys; more > 0 {
		fmt.Fprintf(&out, " and %d smaller entries", more)
	}
	out.WriteString(": return less, for example the name of an SSM parameter or an S3 object that holds it")
	return out.String()
}

// tooLarge returns why the body has size bytes without a Reason, which are more than MaxBytes.
func (b *body) tooLarge(size int) error {
	// If the IDs alone are too large, to return less Data does not help.
	ids := *b
	ids.NoEcho, ids.Data = false, nil
	if size := ids.size(); size > MaxBytes {
		return fmt.Errorf("response: the IDs of the request and the resource take up %d bytes, and CloudFormation accepts an answer of %d: use a shorter physical ID", size, MaxBytes)
	}
	e := &TooLargeError{Size: size}
	for key, data := range b.Data {
		name, _ := marshal(key)
		value, _ := marshal(data)
		e.Keys = append(e.Keys, KeySize{Key: key, Bytes: len(name) + len(":") + len(value)})
	}
	slices.SortFunc(e.Keys, func(a, b KeySize) int { return cmp.Or(b.Bytes-a.Bytes, strings.Compare(a.Key, b.Key)) })
	return e
}
