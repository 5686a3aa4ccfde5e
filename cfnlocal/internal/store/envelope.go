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

// Schema is the version of the files that this package reads and writes. A
// change that older programs would misread raises it.
const Schema = 2

// An envelope is the content of the file of a state.
type envelope struct {
	Schema int
	Stack  string
	Save   uint64 // the number of the save, from 1
	SHA256 string // of State, compacted
	State  json.RawMessage
}

// encode returns a file's content, and the first line of the journal that goes on from it.
func encode(stack string, save uint64, state any) (data []byte, head string, err error) {
	raw, err := json.Marshal(state)
	if err != nil {
		return nil, "", err
	}
	e := envelope{Schema: Schema, Stack: stack, Save: save, SHA256: checksum(raw), State: raw}
	data = fmt.Appendf(nil, "{\n\t\"Schema\": %d,\n\t\"Stack\": %q,\n\t\"Save\": %d,\n\t\"SHA256\": %q,\n\t\"State\": ", e.Schema, e.Stack, e.Save, e.SHA256)
	return append(append(data, raw...), "\n}\n"...), journalHead(&e), nil
}

// decode returns the envelope in a file's content. The error is without the file.
func decode(stack string, data []byte) (e envelope, err error) {
	var version struct{ Schema int }
	if err := json.Unmarshal(data, &version); err != nil {
		return e, errors.New(describe(err))
	}
	switch err := json.Unmarshal(data, &e); {
	case version.Schema != Schema && version.Schema > 0:
		return e, &schemaError{version.Schema}
	case err != nil:
		return e, errors.New(describe(err))
	case e.Schema < 1:
		return e, errors.New("it is no stack's state: it has no Schema")
	case e.Stack != stack:
		return e, fmt.Errorf("it is the state of the stack %.40q; where upper and lower case are one to the file system, they must be one in the names of stacks", e.Stack)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, e.State); err != nil || checksum(compact.Bytes()) != e.SHA256 {
		return e, errors.New("its state is not the one that was saved: the checksum differs")
	}
	e.State = compact.Bytes()
	return e, nil
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

// A schemaError is a file of another version of this package.
type schemaError struct{ schema int }

func (e *schemaError) Error() string {
	if e.schema < Schema {
		return fmt.Sprintf("it is of schema %d, and this program knows schema %d alone: delete the stack with the older program that wrote it, or name another directory", e.schema, Schema)
	}
	return fmt.Sprintf("it is of schema %d, and this program knows schema %d alone: use the newer program that wrote it", e.schema, Schema)
}
