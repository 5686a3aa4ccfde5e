package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/store"
)

// A story is a command of a script. If it has printed a next step, a copy of the script's directory is beside it, as the command
// left that.
type story struct {
	Args, Env []string
	Dir, Work string // the command's directory, and the script's
	Code      int
	Next      string // the next step, or ""
	Stack     string // that the command is about, or ""
	Status    string // of the stack
	Kept      bool   // there is a copy
}

// storiesVariable has the directory in which a script's commands are kept.
const storiesVariable = "CFNLOCAL_TEST_STORIES"

// onceDir has a directory for each row of which a line is kept. It is missing in a thorough run.
const onceDir = "once"

var (
	nextLine = regexp.MustCompile(`(?m)^Next: (.*)$`)
	ranOn    = regexp.MustCompile(`(?m)^(?:The stack )?(\S+) is in [A-Z_]+`)
)

// noted is the command cfnlocal as scripts run it: it is kept in the directory that the script's environment names.
func noted() {
	dir := os.Getenv(storiesVariable)
	if dir == "" || isTerminal(os.Stdout) || isTerminal(os.Stderr) {
		main()
		return
	}
	at, err := os.MkdirTemp(dir, fmt.Sprintf("%020d-", time.Now().UnixNano()))
	if err != nil {
		main()
		return
	}
	_ = note(at, os.Args[1:], "", exitInterrupted) // which stays if it is killed
	var out bytes.Buffer
	code := start(streams{os.Stdin, io.MultiWriter(os.Stdout, &out), io.MultiWriter(os.Stderr, &out)})
	if err := note(at, os.Args[1:], out.String(), code); err != nil {
		_ = os.RemoveAll(at) // such as on a full disk
	}
	os.Exit(code)
}

// note keeps a command.
func note(at string, args []string, out string, code int) (err error) {
	s := story{Args: args, Env: os.Environ(), Work: os.Getenv("WORK"), Code: code}
	if s.Dir, err = os.Getwd(); err != nil {
		return err
	}

	// What is next, and of which stack.
	if lines := nextLine.FindAllStringSubmatch(out, -1); len(lines) > 0 && code != exitUsage {
		s.Next = lines[len(lines)-1][1]
	}
	if ran := ranOn.FindStringSubmatch(out); ran != nil {
		s.Stack = ran[1]
	} else if i := slices.Index(args, "--stack"); i >= 0 {
		s.Stack = args[i+1]
	}
	if s.Next != "" {
		if err := s.find(); err != nil {
			return err
		}
	}

	// Where something was started, copy the directory. Unless the run is thorough, one copy for each row is enough, or two if one
	// of its lines has fewer alternatives.
	if s.Next != "" && s.Status != "" {
		_, row := s.row()
		key := url.PathEscape(fmt.Sprint(strings.Count(s.Next, ";"), " ", row))
		once := filepath.Join(filepath.Dir(at), "..", onceDir, key[:min(len(key), 250)])
		if s.Kept = !errors.Is(os.Mkdir(once, 0o700), fs.ErrExist); s.Kept {
			if err := copyDir(s.Work, filepath.Join(at, "work")); err != nil {
				return errors.Join(err, os.Remove(once)) // another command keeps it
			}
		}
	}
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(at, "story.json"), text, 0o600)
}

// find finds the stack, and its status.
func (s *story) find() error {
	dir := store.DefaultDir
	for i, arg := range s.Args {
		if value, is := strings.CutPrefix(arg, "--dir="); is {
			dir = value
		} else if arg == "--dir" {
			dir = s.Args[i+1]
		}
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil
	}
	h, err := local.Open(dir)
	if err != nil {
		return err
	}
	all, _ := h.Stacks() // what cannot be read is in no next step
	words := append(slices.Clone(s.Args), strings.FieldsFunc(s.Next, func(c rune) bool { return strings.ContainsRune(" ,;:", c) })...)
	for _, r := range all {
		if s.Stack == "" && slices.Contains(words, r.Stack.Name) {
			s.Stack = r.Stack.Name
		}
		if s.Stack == r.Stack.Name {
			s.Status = r.Stack.Status
		}
	}
	return h.Close()
}

// copyDir copies a script's directory. Programs, which are replaced as whole files, are linked. Nobody waits at the pipes any more,
// which become files.
func copyDir(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case name == ".tmp":
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o700)
		case d.Type() == fs.ModeNamedPipe:
			return os.WriteFile(filepath.Join(to, name), nil, 0o600)
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		if info.Mode()&0o100 != 0 && os.Link(path, filepath.Join(to, name)) == nil {
			return nil
		}
		text, err := os.ReadFile(path)
		return errors.Join(err, os.WriteFile(filepath.Join(to, name), text, info.Mode().Perm()))
	})
}
