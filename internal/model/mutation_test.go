package model

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A mutation breaks one rule of the dispatcher on purpose.
type mutation struct {
	rule     string
	file     string // in the module
	old, new string // texts, the old one found once
	harm     harm   // that the model then finds, or "" for any
}

// mutations breaks the rules one by one, but for those whose breach does no
// harm that this model could see. The tests of package cfnresource that are
// named for them hold these:
//
//   - An identity that cannot be read has not changed: what CloudFormation
//     sends back with it leads back in another way too.
//   - Age: the model's events are younger than their ServiceTimeout.
//   - An Update that is known to lead forward and has an unknown property.
//   - An answer that is the marker where StableID would do, and the other way:
//     a Create refused for its properties, a handler without an ID that returns
//     an error, a handler with Find whose Find fails. Either ID leads to a
//     Delete that finds nothing; two faults in a row would tell them apart.
//   - AlreadyExists with the StableID, and then nothing that Update finds.
//   - An Update of the marker: only stacks that preserve what failed send it.
//   - A replacement that answers with the event's own ID.
//   - A Delete with an ID of CloudFormation's shape that Find explains.
//   - Secrets, text, sizes, and the decoding of properties.
//   - SNS notifications.
var mutations = []mutation{
	// How an Update is read.
	{"an identity that did not change is updated in place", "cfnresource/update.go", "p.identity == old.identity {\n\t\treturn w.converge(id, p, old, old.err, false)", "p.identity == old.identity {\n\t\treturn w.replace(p, \"\")", ""},
	{"an ID that the new properties explain is the way back", "cfnresource/update.go", "the way back from a replacement that failed\n\t\treturn w.converge(id, p, old, old.err, false)", "the way back\n\t\t_ = found\n\t\treturn w.make(p, id)", ""},
	{"an ID that the old properties explain is replaced", "cfnresource/update.go", "case byOld && !byNew:\n\t\treturn w.replace(p, found)", "case byOld && !byNew:\n\t\t_ = found\n\t\treturn w.converge(id, p, old, old.err, true)", "not replaced"},
	{"a replacement adopts what Find finds", "cfnresource/update.go", "if found != \"\" {\n\t\tbody, f = w.adopt", "if false {\n\t\tbody, f = w.adopt", ""},
	{"an ID that neither or both explain is updated in place", "cfnresource/update.go", "is never replaced\n\t\treturn w.converge(id, p, old, old.err, true)", "is replaced\n\t\treturn w.replace(p, found)", ""},
	{"such an update says that the identity changed", "cfnresource/update.go", "is never replaced\n\t\treturn w.converge(id, p, old, old.err, true)", "is never replaced\n\t\treturn w.converge(id, p, old, old.err, false)", "an identity changed in place without a word"},
	{"an update in place answers the event's ID", "cfnresource/call.go", "return w.succeed(id, data)", "return w.succeed(w.stableID(p), data)", ""},

	// Adoption.
	{"a Create adopts what Find finds", "cfnresource/create.go", "if found != \"\" {\n\t\treturn w.adopt(found, p)", "if false {\n\t\treturn w.adopt(found, p)", ""},
	{"AlreadyExists with the StableID is adopted", "cfnresource/create.go", "if f.exists == w.stableID(p) {", "if false {", ""},
	{"AlreadyExists with another ID is not", "cfnresource/create.go", "if f.exists == w.stableID(p) {\n\t\t\treturn w.adoptOwn(p)", "if f.exists != \"\" {\n\t\t\treturn w.adopt(f.exists, p)", "a stranger's resource modified"},
	{"AlreadyExists is looked for again", "cfnresource/create.go", "if found, _ := w.find(p); found != \"\"", "if found, _ := w.find(p); false", leftBehind},
	{"what is adopted is brought to the properties by Update", "cfnresource/create.go", "return w.converge(id, p, nil, ErrAdopted, false)", "return w.succeed(id, nil)", "not in the state that the template says"},

	// The Delete of what CloudFormation knows no ID of.
	{"an ID in CloudFormation's shape leads to the StableID, or to Find", "cfnresource/delete.go", "if physicalid.Generated(", "if false && physicalid.Generated(", leftBehind},
	{"the event's own ID is deleted too", "cfnresource/delete.go", "return w.removeLost(w.ev.PhysicalID, p)", "return nil", leftBehind},
	{"it deletes again, later", "cfnresource/delete.go", "f != nil || !w.waitForCreate() {", "f != nil || true {", leftBehind},
	{"once no Create can run any more", "cfnresource/delete.go", "grace = w.timeout", "grace = time.Second", leftBehind},
	{"the StableID of a handler with Find leads to what Find finds", "cfnresource/delete.go", "if w.res.hasFind() && id == w.stableID(p) {", "if false {", ""},
	{"InvalidRequest for an ID that the service never made is no failure", "cfnresource/delete.go", "f.code == CodeInvalidRequest {", "false {", "ROLLBACK_FAILED"},

	// What is answered.
	{"Create ok: the StableID where nothing else is said", "cfnresource/create.go", "made, w.asked = stable, true", "made, w.asked = \"other-\"+stable, true", ""},
	{"AlreadyExists, not adopted: the marker, whatever was tracked", "cfnresource/create.go", "w.refused = true\n\t\treturn nil, f", "return nil, f", "a stranger's resource deleted"},
	{"Create failed, something tracked: that ID", "cfnresource/answer.go", "case w.made != \"\":\n\t\treturn w.made\n", "", ""},
	{"what Create returns beside an error is tracked", "cfnresource/create.go", "\t\tw.made = id\n", "\t\t_ = id\n", ""},
	{"Create failed, StableID asked for: the StableID", "cfnresource/answer.go", "(w.asked || f.Unknown || w.res.hasFind())", "(f.Unknown || w.res.hasFind())", leftBehind},
	{"Create failed in an unknown way: the StableID", "cfnresource/answer.go", "(w.asked || f.Unknown || w.res.hasFind())", "(w.asked || w.res.hasFind())", leftBehind},
	{"an update in place that failed answers the event's ID", "cfnresource/answer.go", "case known && !w.replacing:\n\t\treturn id", "case known && !w.replacing:\n\t\treturn w.stable", ""},
	{"a replacement that failed is undone", "cfnresource/update.go", "w.undo(p)\n\t}\n\treturn body, f", "_ = p\n\t}\n\treturn body, f", ""},
	{"what was neither tracked nor returned is not", "cfnresource/create.go", "made, w.asked = stable, true", "made, w.made, w.asked = stable, stable, true", "a live resource deleted"},
	{"also if only Find knows of it", "cfnresource/update.go", "w.made, _ = w.find(p)", "w.made = \"\"", leftBehind},
	{"undone: the event's ID", "cfnresource/answer.go", "w.adopted || w.undone || w.refused", "w.adopted || w.refused", ""},
	{"not undone: the new ID", "cfnresource/answer.go", "case known && (w.made == \"\" || w.adopted || w.undone || w.refused):", "case known:", leftBehind},
	{"nothing made, or unknown: the event's ID", "cfnresource/answer.go", "w.made == \"\" || w.adopted", "w.adopted", ""},
	{"adopted, then failed: the event's ID", "cfnresource/answer.go", "w.adopted || w.undone", "w.undone", ""},
	{"Delete of what is gone succeeds", "cfnresource/call.go", "f.code == CodeNotFound {", "false {", ""},
	{"Delete answers the event's ID", "cfnresource/delete.go", "w.succeed(w.ev.PhysicalID, nil)", "w.succeed(w.stable, nil)", "an answer that CloudFormation refuses"},

	// What is asked of the stack.
	{"a late event asks whether it is awaited", "cfnresource/phase.go", "w.start.Sub(w.birth()) <= lateAfter || w.phase().Awaited()", "true", ""},
	{"in every status that such a request does not run in", "cfnresource/phase.go", "w.phase().Awaited()", "w.phase() != lifecycle.PhaseGivenUp", "a live resource deleted"},
	{"a replacement asks before", "cfnresource/update.go", "w.phase() // before", "// before", leftBehind},
	{"and after", "cfnresource/phase.go", "phase := w.askPhase()", "phase := w.phase()", leftBehind},
	{"a rollback has begun", "cfnresource/phase.go", "return phase == lifecycle.PhaseUpdateRollback || phase", "return phase", ""},
	{"or is over", "cfnresource/phase.go", "return phase == lifecycle.PhaseUpdateRollback || phase == lifecycle.PhaseGivenUp", "return phase == lifecycle.PhaseUpdateRollback", leftBehind},
	{"a rollback's own replacement is not taken back", "cfnresource/phase.go", "case w.replacing && w.goesForward():", "case w.replacing:", "the stack's resource does not exist"},
	{"a slow Create asks", "cfnresource/phase.go", "case w.ev.Type == \"Create\" && ", "case false && ", leftBehind},
	{"afresh", "cfnresource/phase.go", "return w.askPhase() == lifecycle.PhaseGivenUp", "return w.phase() == lifecycle.PhaseCreating", ""},
	{"what was made meanwhile is taken back", "cfnresource/phase.go", "if f := w.remove(w.made, p); f != nil {", "if f := w.remove(\"\", p); f != nil {", leftBehind},
	{"nothing is undone in a rollback", "cfnresource/update.go", " || w.inRollback() {", " {", "a live resource deleted"},
	{"a rollback that is known to be one refuses nothing", "cfnresource/create.go", "w.ev.Type == \"Update\" && w.inRollback()", "false", "UPDATE_ROLLBACK_FAILED"},

	// The rest.
	{"passing failures are tried again", "cfnresource/call.go", "case CodeResourceConflict, CodeThrottling, ", "case ", ""},
	{"until the deadline", "cfnresource/call.go", "if left < firstWait/2 {", "if left < 20*time.Second {", ""},
	{"what was done in this process is answered from memory", "cfnresource/work.go", "w.mux.memory.Put(w.key, body)", "", "work that was done, done again"},
	{"a memory that goes by the whole event", "internal/event/event.go", "Raw:            w.raw,", "Raw:            []byte(w.requestID),", ""},
	{"an IdempotencyToken that goes by the whole request", "cfnresource/call.go", "w.ev.Birth.UTC().Format(time.RFC3339), string(w.ev.Properties), string(w.ev.OldProperties)", "\"\"", ""},
	{"an answer that is not delivered fails the invocation", "cfnresource/work.go", "return fmt.Errorf(\"%s of %s was handled, but its answer was not delivered: %s\", w.ev.Type, w.id, f.Text)", "return nil", "an undelivered answer not given back to Lambda"},
	{"a handler that ignores its context is answered for", "internal/guard/guard.go", "case <-timer.C:\n\t\treturn false", "case <-timer.C:\n\t\t<-done\n\t\treturn true", "not answered in time"},
	{"and remembered", "internal/gate/gate.go", "wait, taken := g.busy[resource]\n", "wait, taken := g.busy[resource]\n\t\ttaken = false\n", ""},
	{"the record of a death does not call the handler", "cfnresource/work.go", "if w.ev.Died != \"\" {\n\t\t_, _", "if false {\n\t\t_, _", "the handler called for a failure record"},
}

// The mutations are of the code as it is.
func TestMutationsApply(t *testing.T) {
	for _, m := range mutations {
		whole, err := os.ReadFile(filepath.Join("..", "..", m.file))
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(whole, []byte(m.old)); n != 1 {
			t.Errorf("%s: %s holds %q %d times: bring the mutation up to date", m.rule, m.file, m.old, n)
		}
	}
}

// TestModelFindsEveryBrokenRule breaks the rules in a copy of the module, one
// at a time, and demands that TestModel fails there. It takes several minutes:
//
//	MODEL_MUTATIONS=1 go test -run TestModelFindsEveryBrokenRule -timeout 1h -v ./internal/model
func TestModelFindsEveryBrokenRule(t *testing.T) {
	if os.Getenv("MODEL_MUTATIONS") == "" {
		t.Skip("set MODEL_MUTATIONS=1 to break each rule on purpose, which takes several minutes")
	}
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum", "cfnresource", "internal", "lifecycle", "physicalid", "response"} {
		copyTo(t, filepath.Join(dir, name), filepath.Join("..", "..", name))
	}
	if out, err := playModel(t, dir); err != nil {
		t.Fatalf("the model fails without a mutation:\n%s", out)
	}
	for _, m := range mutations {
		t.Run(m.rule, func(t *testing.T) { m.test(t, filepath.Join(dir, m.file), dir) })
	}
}

func (m mutation) test(t *testing.T, file, dir string) {
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write(t, file, bytes.Replace(whole, []byte(m.old), []byte(m.new), 1))
	defer write(t, file, whole)

	out, err := playModel(t, dir, "-short")
	if err == nil {
		out, err = playModel(t, dir)
	}
	text := string(out)
	switch {
	case err == nil:
		t.Error("the model finds nothing")
	case !strings.Contains(text, "--- FAIL: TestModel") && !strings.Contains(text, "panic: deadlock"):
		t.Errorf("the mutation does not build or run: %s", text)
	case !strings.Contains(text, string(m.harm)):
		t.Errorf("the model finds something, but not %q:\n%s", m.harm, text)
	}
	for line := range strings.Lines(text) {
		if strings.Contains(line, " is not known.") || strings.Contains(line, "is a limit of other kinds") {
			t.Log(strings.TrimSpace(line))
			break
		}
	}
}

func playModel(t *testing.T, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"test", "-count=1", "-run=^TestModel$", "./internal/model"}, args...)...)
	cmd.Dir = dir
	return cmd.CombinedOutput()
}

func copyTo(t *testing.T, to, from string) {
	t.Helper()
	info, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	write(t, to, text)
}

func write(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(fmt.Errorf("writing a mutation: %w", err))
	}
}
