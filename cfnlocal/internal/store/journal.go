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
	return l.store.fs.SyncDir()
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
// says, or has zeros where the disk has nothing. Nobody was told that it is kept, and it is left
// out. All else that is not as it was written is damage.
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
		if ok = ok && ended && sum == lineChecksum(last, change); !ok {
			if len(after) == 0 && unfinished(text, ended) {
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
	n, err := strconv.Atoi(string(parts[1]))
	return string(parts[0]), parts[2], err == nil && n == len(parts[2])
}

// unfinished reports whether a last line is one that a crash has cut off.
func unfinished(text []byte, ended bool) bool { return !ended || bytes.IndexByte(text, 0) >= 0 }
