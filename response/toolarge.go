package response

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

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
