package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// Every status in which a stack comes to rest is a success or has a next step, and not both.
func TestEveryBadStatusHasANextStep(t *testing.T) {
	for _, status := range engine.StackStatuses {
		if strings.HasSuffix(status, "_IN_PROGRESS") || strings.HasPrefix(status, "IMPORT_") { // nothing imports here
			continue
		}
		told := (&situation{stack: "shop", status: status}).next() != ""
		if done := succeeded("deploy", status); done == told {
			t.Errorf("%s: it is a success: %v, it has a next step: %v", status, done, told)
		}
	}
}

// What a next step names is an operation that CloudFormation accepts in the status, also after another one was refused.
func TestNextStepsFitTheStatus(t *testing.T) {
	operations := map[string]func(m *engine.Machine) error{
		"rollback":          func(m *engine.Machine) error { return m.Rollback(time.Now(), false) },
		"continue-rollback": func(m *engine.Machine) error { return m.Continue(time.Now(), nil) },
		"delete":            func(m *engine.Machine) error { return m.Delete(time.Now(), nil, false) },
	}
	refusal := &engine.ValidationError{Message: "refused"}
	for _, status := range engine.StackStatuses {
		if strings.HasSuffix(status, "_IN_PROGRESS") || strings.HasPrefix(status, "IMPORT_") {
			continue
		}
		for _, command := range []string{"deploy", "delete", "rollback", "continue-rollback", "cancel", "resume", "update-code"} {
			s := &situation{stack: "shop", status: status, command: command, failed: []string{"Thing"}, refused: refusal, code: local.Code{Stack: "shop"}}
			next := s.next()
			if next == "" {
				t.Errorf("%s: a refused %s has no next step", status, command)
			}
			for operation, do := range operations {
				m := engine.Resume(&engine.Stack{Name: "shop", Status: status, Operation: &engine.Operation{}}, nil)
				isNamed := regexp.MustCompile(`cfnlocal ` + operation + ` shop($|[^ ]| (?:[^-]|$))`).MatchString(next)
				if err := do(m); isNamed && err != nil {
					t.Errorf("%s: %s is refused: %v\nNext: %s", status, operation, err, next)
				}
			}
		}
	}
}

// A follower follows the next steps of scripts, once their commands are done: in the directory as a command left it, it runs each
// command that the line names, exactly as it is printed. No command may be refused, or say that there is nothing to do, and a
// bounded number of them must lead to a stack without a next step.
//
// Of a line that says to correct something, the script gives the correction: by default the test's handler is repaired. A file
// correct.sh corrects others, and a file "again" has what a corrected deployment is given besides.
type follower struct {
	t        *testing.T
	stories  string // the directory
	repaired string // a directory with a handler that does not fail, and a service

	mu       sync.Mutex
	scripts  int
	followed map[string]int // lines, by status
	reached  map[int]bool   // rows of the table
	claimed  map[string]int // alternatives, by the text of their rows
	runs     int
}

// begin has a script's commands noted, and their next steps followed at its end.
func (f *follower) begin(e *testscript.Env) error {
	if runtime.GOOS == "windows" { // which has no shell to copy a command to
		return nil
	}
	f.mu.Lock()
	f.scripts++
	f.mu.Unlock()
	dir, err := os.MkdirTemp(f.stories, "script-")
	if err != nil {
		return err
	}
	e.Setenv(storiesVariable, dir)
	e.Defer(func() {
		if err := f.script(dir); err != nil {
			f.t.Errorf("%s: %v", filepath.Base(e.WorkDir), err)
		}
	})
	return nil
}

// script follows the next steps of a script.
func (f *follower) script(dir string) error {
	names, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var errs []error
	var last deployments
	for _, entry := range names {
		at := filepath.Join(dir, entry.Name())
		text, err := os.ReadFile(filepath.Join(at, "story.json"))
		if err != nil {
			continue // it was killed, or could not be kept
		}
		var s story
		if err := json.Unmarshal(text, &s); err != nil {
			return err
		}
		last.add(&s)
		if s.Next == "" || s.Status == "" {
			continue // nothing is next, or nothing was started
		}
		row := f.reach(&s)
		if !s.Kept {
			continue // another command has a line of the same row
		}
		for i, alternative := range strings.Split(s.Next, ";") {
			if !f.claim(row, i) {
				continue
			}
			if err := f.follow(&s, filepath.Join(at, "work"), alternative, &last); err != nil {
				errs = append(errs, fmt.Errorf("cfnlocal %s\nNext: %s\nfollowed:%s\n%w", strings.Join(s.Args, " "), s.Next, alternative, err))
			}
		}
	}
	return errors.Join(errs...)
}

// deployments are the latest ones of a script, by stack: those that ended well, and those that did not.
type deployments struct{ all, failed map[string][]string }

func (d *deployments) add(s *story) {
	if d.all == nil {
		d.all, d.failed = map[string][]string{}, map[string][]string{}
	}
	if !slices.Contains(s.Args, "deploy") || s.Code == exitUsage || s.Code == exitRefused {
		return
	}
	d.all[s.Stack] = s.Args
	if s.Code != exitComplete {
		d.failed[s.Stack] = s.Args
	}
}

func (d *deployments) of(stack string, failed bool) []string {
	if failed {
		return d.failed[stack]
	}
	return d.all[stack]
}

// claim reports whether an alternative of a row is to be followed: in a thorough run wherever a script has it, else in some of
// them.
func (f *follower) claim(row string, alternative int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := fmt.Sprint(row, alternative)
	f.claimed[key]++
	return testrun.Thorough() || f.claimed[key] <= oftenEnough
}

// oftenEnough is how often each alternative of a row is followed.
const oftenEnough = 1

// reach notes the row of the table that a line is of, and returns its text, or else the line.
func (f *follower) reach(s *story) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	i, text := s.row()
	if i >= 0 {
		f.reached[i] = true
	}
	return text
}

// row returns the row of the table that the next step is of, and its text, or else -1 and the line.
func (s *story) row() (int, string) {
	command := ""
	for _, arg := range s.Args {
		if slices.Contains([]string{"update-code", "cancel", "delete", "deploy"}, arg) {
			command = arg
		}
	}
	for i, row := range steps {
		row.happened = nil
		if row.fits(&situation{status: s.Status, command: command}) && rowPattern(row.next).MatchString(s.Next) {
			return i, row.next
		}
	}
	return -1, strings.ReplaceAll(s.Next, s.Stack, "STACK")
}

// rowPattern matches the lines of a row.
func rowPattern(next string) *regexp.Regexp {
	text := regexp.QuoteMeta(next)
	for _, name := range []string{"MEND", "WHAT", "STACK", "CODE", "FAILED", "SKIPPED", "OVERWRITTEN", "IMPORTERS"} {
		text = strings.ReplaceAll(text, name, ".+")
	}
	return regexp.MustCompile("^" + strings.ReplaceAll(text, "cfnlocal ", `cfnlocal (?:--dir=\S+ )?`) + "$")
}

// nextSteps matches what a line says to do: a command, or to repeat one.
var nextSteps = regexp.MustCompile(`cfnlocal(?: (?:[A-Za-z0-9_=.@/+'-]|:\S)+)+|(?:deploy (?:the same change )?again|repeat the command)(?: with (--[a-z-]+))?`)

// enough is how many next steps lead out of any state.
const enough = 6

// follow follows an alternative of a next step, and then the first one of each that follows.
func (f *follower) follow(s *story, work, text string, last *deployments) error {
	left, err := os.ReadDir(s.Work)
	for _, entry := range left {
		if entry.Name() != ".tmp" {
			err = errors.Join(err, os.RemoveAll(filepath.Join(s.Work, entry.Name())))
		}
	}
	if err := errors.Join(err, copyDir(work, s.Work)); err != nil {
		return err
	}
	var did []string
	repeated, stack := map[string]int{s.Next: 1}, s.Stack
	for range enough {
		// Do what it says.
		out, correct := "", strings.Contains(text, "correct")
		text = commandToGive.ReplaceAllString(text, "$1=handler")
		text = strings.NewReplacer("--list 'COMMAND'", "--list true", "--run 'COMMAND'", "--run service").Replace(text)
		found := nextSteps.FindAllStringSubmatch(text, -1)
		if len(found) == 0 || placeholder.MatchString(inBrackets.ReplaceAllString(text, "")) {
			return nil // the user has to complete it
		}
		for _, one := range found {
			if placeholder.MatchString(one[0]) {
				continue // a registered type's program is none of the test's
			}
			args, err := s.args(one[0], one[1], stack, correct, last)
			if err != nil {
				return err
			}
			if out, err = f.run(s, args, correct); err != nil {
				return fmt.Errorf("after %q: cfnlocal %s: %w\n%s", did, args, err, out)
			}
			did = append(did, args)
		}

		// Go on with what that says. Who sees the same line again takes its next alternative.
		lines := nextLine.FindAllStringSubmatch(out, -1)
		if len(lines) == 0 {
			f.mu.Lock()
			f.followed[s.Status]++
			f.mu.Unlock()
			return nil
		}
		next := lines[len(lines)-1][1]
		if ran := ranOn.FindStringSubmatch(out); ran != nil {
			stack = ran[1] // which the line is about
		}
		alternatives := strings.Split(next, ";")
		text = alternatives[min(repeated[next], len(alternatives)-1)]
		repeated[next]++
	}
	return fmt.Errorf("%q do not lead out of the state", did)
}

// args returns the arguments of a step, as they are printed or of the command to repeat, with a flag unless it is "". Of a
// deployment it is the stack's last one.
func (s *story) args(step, flag, stack string, correct bool, last *deployments) (string, error) {
	if args, is := strings.CutPrefix(step, "cfnlocal "); is {
		return args, nil
	}
	if strings.HasPrefix(step, "repeat") {
		return quoteAll(s.Args, flag), nil
	}
	args := quoteAll(last.of(stack, strings.Contains(step, "same change")), flag)
	if args == "" {
		return "", errors.New("there is no such deployment")
	}
	again, err := os.ReadFile(filepath.Join(s.Work, "again"))
	if errors.Is(err, fs.ErrNotExist) || !correct {
		return args, nil
	}
	return args + " " + string(again), err
}

// commandToGive matches a function for which the user has to give a command: here it is the handler.
var commandToGive = regexp.MustCompile(`(cfnlocal update-code \S+ (?:[A-Za-z0-9.]+|arn:[^=\s]+))=COMMAND`)

// placeholder matches a word that stands for one of the user's.
var placeholder = regexp.MustCompile(`\b(COMMAND|TEMPLATE|VALUE|DIR)\b`)

// inBrackets matches what is not a part of what to do.
var inBrackets = regexp.MustCompile(`\([^()]*\)|'[^']*'`)

// quoteAll returns the arguments for a shell, without faults, and with a flag unless it is "" or there already.
func quoteAll(args []string, flag string) string {
	var all []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--fault" {
			i++
			continue
		}
		all = append(all, "'"+strings.ReplaceAll(args[i], "'", `'\''`)+"'")
	}
	if flag != "" && len(all) > 0 && !slices.Contains(args, flag) {
		all = append(all, flag)
	}
	return strings.Join(all, " ")
}

// run runs a command as it is printed, in the directory and the environment of the story. It fails if cfnlocal refuses it, or
// says that there is nothing to do.
func (f *follower) run(s *story, args string, correct bool) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if _, err := os.Stat(filepath.Join(s.Work, "correct.sh")); err == nil && correct {
		cmd := exec.CommandContext(ctx, "sh", filepath.Join(s.Work, "correct.sh"))
		cmd.Dir, cmd.Env = s.Dir, s.Env
		if out, err := cmd.CombinedOutput(); err != nil {
			return string(out), err
		}
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", "cfnlocal "+args)
	cmd.Dir, cmd.Env = s.Dir, append(slices.Clone(s.Env), storiesVariable+"=")
	if correct {
		for _, variable := range s.Env {
			if path, is := strings.CutPrefix(variable, "PATH="); is {
				cmd.Env = append(cmd.Env, "PATH="+f.repaired+string(filepath.ListSeparator)+path)
			}
		}
	}
	out, err := cmd.CombinedOutput()
	f.mu.Lock()
	f.runs++
	f.mu.Unlock()
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil, ended && exit.ExitCode() == exitFailed: // the operation has failed, and has a next step of its own
	default:
		return string(out), err
	}
	if bytes.Contains(out, []byte("Nothing to do")) {
		return string(out), errors.New("there is nothing to do")
	}
	return string(out), nil
}

// end reports how many lines were followed. If all scripts have run, each row of the table must have been reached.
func (f *follower) end() {
	for _, status := range slices.Sorted(maps.Keys(f.followed)) {
		f.t.Logf("followed out of %s: %d", status, f.followed[status])
	}
	f.t.Logf("by %d commands", f.runs)
	scripts, _ := filepath.Glob("testdata/script/*.txtar")
	if f.scripts < len(scripts) {
		return
	}
	for i, row := range steps {
		if !f.reached[i] {
			f.t.Errorf("no script reaches the row %s %s: %s", row.status, row.command, row.next)
		}
	}
}

// newFollower returns a follower of the scripts of a test.
func newFollower(t *testing.T) *follower {
	f := &follower{t: t, stories: t.TempDir(), repaired: t.TempDir(), followed: map[string]int{}, reached: map[int]bool{}, claimed: map[string]int{}}
	for name, script := range map[string]string{
		"handler": "exec env CODE=repaired '" + filepath.Join(programs, "handler") + "'",
		"service": "echo serves; exec sleep 300",
	} {
		if err := os.WriteFile(filepath.Join(f.repaired, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if !testrun.Thorough() {
		if err := os.Mkdir(filepath.Join(f.stories, onceDir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(f.end)
	return f
}
