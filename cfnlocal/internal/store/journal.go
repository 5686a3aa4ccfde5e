package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
)

// A journal holds the changes since a save, a line each: the checksum of the
// line before and of the change, the length of the change, and the change as
// JSON. The checksum of the line before the first is that of what the journal
// is about, so that no line is left out, doubled or of another journal.
type journal struct {
	file file
	last string // the checksum of the last line
}

// journalHead returns the first line of a journal: the schema, which stack and
// which save it goes on from, and a checksum of the line.
func journalHead(e *envelope) string {
	text := fmt.Sprintf("%s %d %s %d %.32s", journalMark, e.Schema, e.Stack, e.Save, e.SHA256)
	return text + " " + lineChecksum("", []byte(text))
}

const journalMark = "cfnlocal journal"

// schemaOfHead returns the schema in a journal's first line, or 0 if it is none.
func schemaOfHead(head []byte) (schema int) {
	i := max(0, bytes.LastIndexByte(head, ' '))
	if string(bytes.TrimSpace(head[i:])) != lineChecksum("", head[:i]) {
		return 0
	}
	if _, err := fmt.Sscanf(string(head), journalMark+" %d", &schema); err != nil {
		return 0
	}
	return schema
}

func line(last string, change []byte) (text []byte, sum string) {
	sum = lineChecksum(last, change)
	return fmt.Appendf(nil, "%s %d %s\n", sum, len(change), change), sum
}

func lineChecksum(last string, change []byte) string {
	h := sha256.New()
	_, _ = h.Write([]byte(last)) // it never fails
	_, _ = h.Write(change)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Append keeps a change of the state that was saved last, and of what has been
// appended since. It costs what the change is long. If it returns an error, the
// change may be kept or not, and Save is next. Save comes first.
func (l *Lock) Append(change any) error {
	switch {
	case l.release == nil:
		return errUnlocked
	case l.head == "":
		return errors.New("a change is appended to a state that is not saved")
	}
	text, err := json.Marshal(change)
	if err != nil {
		return fmt.Errorf("a change of the stack %s cannot be encoded: %w", l.stack, err)
	}
	if err := l.write(text); err != nil {
		l.end()
		return l.unsaved(l.stack+journalExt, err)
	}
	return nil
}

func (l *Lock) write(change []byte) error {
	if l.journal == nil {
		return l.begin(change)
	}
	text, sum := line(l.journal.last, change)
	if _, err := l.journal.file.Write(text); err != nil {
		return err
	}
	l.journal.last = sum
	return l.journal.file.Sync()
}

// begin makes the journal with its first change.
func (l *Lock) begin(change []byte) error {
	name := l.stack + journalExt
	if err := l.store.fs.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) { // of an older save
		return err
	}
	f, err := l.store.fs.Create(name)
	if err != nil {
		return err
	}
	text, sum := line(l.head, change)
	l.journal = &journal{f, sum}
	if _, err = f.Write(append([]byte(l.head+"\n"), text...)); err == nil {
		err = f.Sync()
	}
	if err != nil {
		return err
	}
	return l.store.fs.syncDir()
}

// end gives up the journal: the next change needs a save before it.
func (l *Lock) end() {
	if l.journal != nil {
		_ = l.journal.file.Close() // what counts has been synced
	}
	l.journal, l.head = nil, ""
}

// readJournal returns the changes that go on from a save: none if the journal
// goes on from another. The error is without the file.
//
// What comes last may have been cut off by a crash while it was written: it is shorter than it
// says, or has zeros where the disk has nothing. Nobody has relied on it, so it is left
// out. Any other difference from what was written is damage.
func readJournal(e *envelope, data []byte) (changes []json.RawMessage, err error) {
	head := journalHead(e)
	first, rest, whole := bytes.Cut(data, []byte("\n"))
	switch {
	case !whole || bytes.IndexByte(first, 0) >= 0:
		return nil, nil // cut off
	case string(first) != head:
		switch schema := schemaOfHead(first); schema {
		case 0:
			return nil, errors.New("its line 1 is not as it was written: the checksum differs")
		case Schema:
			return nil, nil // of another save
		default:
			return nil, &schemaError{schema}
		}
	}
	last := head
	for n := 2; len(rest) > 0; n++ {
		text, after, ended := bytes.Cut(rest, []byte("\n"))
		sum, change, ok := split(text)
		isIntact := ok && ended && sum == lineChecksum(last, change)
		if !isIntact {
			isTorn := !ended || bytes.IndexByte(text, 0) >= 0
			if isTorn && len(after) == 0 { // a crash has cut it off
				return changes, nil
			}
			return nil, fmt.Errorf("its line %d is not as it was written: the checksum differs", n)
		}
		last, rest = sum, after
		changes = append(changes, change)
	}
	return changes, nil
}

func split(text []byte) (sum string, change []byte, ok bool) {
	parts := bytes.SplitN(text, []byte(" "), 3)
	if len(parts) != 3 {
		return "", nil, false
	}
	return string(parts[0]), parts[2], string(parts[1]) == strconv.Itoa(len(parts[2]))
}

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
		return e, errors.New("it is not a stack's state: it has no Schema")
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
	return fmt.Sprintf("is of schema %d, and this program knows schema %d alone", e.schema, Schema)
}

// next says what the user can do.
func (e *schemaError) next() string {
	if e.schema < Schema {
		return "delete the stack with the older program that wrote it, or name another directory"
	}
	return "use the newer program that wrote it, or name another directory"
}
