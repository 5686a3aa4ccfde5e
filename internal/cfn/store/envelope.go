package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// Schema is the version of the files that this package writes. A change of what
// is in a state that older programs would misread raises it.
const Schema = 1

// An envelope is a file's content.
type envelope struct {
	Schema int
	Stack  string
	SHA256 string // of State, compacted
	State  json.RawMessage
}

// encode returns a file's content.
func encode(stack string, state any) ([]byte, error) {
	raw, err := json.Marshal(state)
	if err != nil {
		return nil, err
	}
	return json.MarshalIndent(envelope{Schema, stack, checksum(raw), raw}, "", "\t")
}

// decode returns the state in a file's content. The error is without the file.
func decode(stack string, data []byte) (json.RawMessage, error) {
	var version struct{ Schema int }
	if err := json.Unmarshal(data, &version); err != nil {
		return nil, errors.New(describe(err))
	}
	var e envelope
	switch err := json.Unmarshal(data, &e); {
	case version.Schema > Schema:
		return nil, &newerError{version.Schema}
	case err != nil:
		return nil, errors.New(describe(err))
	case e.Schema < 1:
		return nil, errors.New("it is no stack's state: it has no Schema")
	case e.Stack != stack:
		return nil, fmt.Errorf("it is the state of the stack %.40q; where upper and lower case are one to the file system, they must be one in the names of stacks", e.Stack)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, e.State); err != nil || checksum(compact.Bytes()) != e.SHA256 {
		return nil, errors.New("its state is not the one that was saved: the checksum differs")
	}
	return compact.Bytes(), nil
}

func checksum(compact []byte) string {
	sum := sha256.Sum256(compact)
	return hex.EncodeToString(sum[:])
}

// describe says what is wrong with JSON without repeating any of it.
func describe(err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return "it is not JSON after " + strconv.FormatInt(syntax.Offset, 10) + " bytes, as if it had been cut off or edited"
	case errors.As(err, &kind):
		return "its field " + kind.Field + " is of another type"
	default:
		return "it cannot be decoded"
	}
}

// A newerError is a file that a newer version of this package has written.
type newerError struct{ schema int }

func (e *newerError) Error() string {
	return fmt.Sprintf("it is of schema %d, and this program knows schemas up to %d: use the newer program that wrote it", e.schema, Schema)
}
