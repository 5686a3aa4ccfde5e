package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A screenOfRounds sends what was printed until a round of deploy --watch waits for the next.
type screenOfRounds struct {
	text   strings.Builder
	rounds chan string
}

func (s *screenOfRounds) Write(p []byte) (int, error) {
	s.text.Write(p)
	if strings.Contains(string(p), "waiting until a file") {
		s.rounds <- s.text.String()
		s.text.Reset()
	}
	return len(p), nil
}

// A watched is a cfnlocal deploy --watch that a test runs.
type watched struct {
	t         *testing.T
	screen    *screenOfRounds
	interrupt context.CancelFunc
	ended     chan int
}

func startWatch(t *testing.T, args ...string) *watched {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	w := &watched{t, &screenOfRounds{rounds: make(chan string)}, interrupt, make(chan int, 1)}
	go func() { w.ended <- run(ctx, args, streams{strings.NewReader(""), w.screen, w.screen}) }()
	return w
}

// round returns what the next round prints.
func (w *watched) round() string {
	w.t.Helper()
	select {
	case text := <-w.screen.rounds:
		return text
	case code := <-w.ended:
		w.t.Fatalf("it ended with %d:\n%s", code, w.screen.text.String())
	case <-time.After(time.Minute):
		w.t.Fatal("no round")
	}
	return ""
}

// noRound waits for as long as a change would need to be noticed.
func (w *watched) noRound() {
	w.t.Helper()
	select {
	case text := <-w.screen.rounds:
		w.t.Errorf("nothing has changed:\n%s", text)
	case <-time.After(2 * time.Second):
	}
}

// writerIn returns a function that writes files in a directory.
func writerIn(t *testing.T, dir string) func(name, text string) {
	t.Helper()
	return func(name, text string) {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// deploy --watch deploys again when a program, a module that it is built from, or the template has
// changed, goes on after a mistake, and ends well between two rounds.
func TestWatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := writerIn(t, dir)
	const function = "Transform: AWS::Serverless-2016-10-31\nResources:\n" +
		"  Fn: {Type: AWS::Serverless::Function, Properties: {CodeUri: ../fn/cmd, Handler: bootstrap, Runtime: provided.al2023}}\n"
	write("deploy/t.yaml", function)
	write("go.work", "go 1.26\n\nuse ./fn\n\nuse ./beside\n")
	write("fn/go.mod", "module example.com/fn\n\ngo 1.26\n\nrequire example.com/other v1.0.0\n\nreplace example.com/other => ../other\n")
	write("beside/go.mod", "module example.com/beside\n\ngo 1.26\n")
	write("beside/beside.go", "package beside\n\nconst Word = \"one\"\n")
	write("other/go.mod", "module example.com/other\n\ngo 1.26\n")
	write("other/other.go", "package other\n\nconst Word = \"one\"\n")
	write("fn/inner/inner.go", "package inner\n\nconst Word = \"one\"\n")
	write("fn/cmd/main.go", "package main\n\nimport (\n\t\"example.com/beside\"\n\t\"example.com/fn/inner\"\n\t\"example.com/other\"\n)\n\nfunc main() { println(inner.Word, other.Word, beside.Word) }\n")

	// Start it.
	w := startWatch(t, "--dir", filepath.Join(dir, "fn", "state"), "deploy", filepath.Join(dir, "deploy", "t.yaml"), "--watch")

	// Play the rounds.
	for _, r := range []struct{ file, text, want string }{
		{"", "", "deploy is in CREATE_COMPLETE"},
		{"fn/inner/inner.go", "package inner\n\nconst Word = 2 +\n", "cannot be built"},
		{"fn/inner/inner.go", "package inner\n\nconst Word = \"three\"\n", "A function is updated"},
		{"other/other.go", "package other\n\nconst Word = \"two\"\n", "A function is updated"},
		{"beside/beside.go", "package beside\n\nconst Word = \"two\"\n", "A function is updated"},
		{"deploy/t.yaml", "Resources: {", "cfnlocal: "},
		{"deploy/t.yaml", function + "  Topic: {Type: AWS::SNS::Topic}\n", "deploy is in UPDATE_COMPLETE"},
	} {
		if r.file != "" {
			write(r.file, r.text)
		}
		if text := w.round(); !strings.Contains(text, r.want) {
			t.Fatalf("after a change of %s: want %q:\n%s", r.file, r.want, text)
		}
	}

	// What it writes itself is no change, and it ends between two rounds.
	w.noRound()
	w.interrupt()
	if code := <-w.ended; code != exitComplete {
		t.Errorf("it ended with %d", code)
	}
}

// Only what a build reads, and the template's files, are a change. What is written while a round runs, and by what it runs,
// is none, or a service that keeps its state in the module would have it deploy for ever.
func TestWatchOfWhatABuildReads(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := writerIn(t, dir)
	write("go.mod", "module example.com/fn\n\ngo 1.26\n")
	write("cmd/main.go", "package main\n\nimport _ \"embed\"\n\n//go:embed words\nvar words string\n\nfunc main() { println(words, Word) }\n")
	write("cmd/word.go", "package main\n\nconst Word = 1\n")
	write("cmd/words", "one")
	write("t.yaml", "Transform: AWS::Serverless-2016-10-31\nResources:\n"+
		"  Fn: {Type: AWS::Serverless::Function, Properties: {CodeUri: cmd, Handler: bootstrap, Runtime: provided.al2023}}\n")
	write("service.sh", "cd ${0%/*}; echo state >>state.json; echo state >>cmd/state.json; echo '// state' >>cmd/word.go; echo serves; sleep 300")
	w := startWatch(t, "--dir", filepath.Join(dir, ".cfnlocal"), "deploy", filepath.Join(dir, "t.yaml"), "--stack", "fn", "--watch",
		"--run", "sh "+filepath.ToSlash(filepath.Join(dir, "service.sh")))
	if text := w.round(); !strings.Contains(text, "CREATE_COMPLETE") || !strings.Contains(text, "cmd/word.go was written while the round ran") {
		t.Fatalf("the first round:\n%s", text)
	}
	w.noRound()

	// These are read by nothing.
	write("notes.txt", "two")
	write("cmd/notes.txt", "two")
	write("cmd/main_test.go", "package main")
	write("other/other.go", "package other")
	w.noRound()

	// These are.
	for _, c := range []struct{ file, text string }{
		{"cmd/words", "two"},
		{"cmd/new.go", "package main\n\nfunc init() { println(2) }\n"},
	} {
		write(c.file, c.text)
		if text := w.round(); !strings.Contains(text, "A function is updated") {
			t.Errorf("after a change of %s:\n%s", c.file, text)
		}
	}
	w.interrupt()
	<-w.ended
}

// A stack whose creation failed takes no update, so that nothing that the user writes could help: it is deleted.
func TestWatchOfAFailedCreation(t *testing.T) {
	t.Parallel()
	linkPrograms(t)
	dir := t.TempDir()
	usual, err := os.ReadFile("testdata/t.yaml")
	if err != nil {
		t.Fatal(err)
	}
	write := writerIn(t, dir)
	write("t.yaml", strings.Replace(string(usual), `Fail: {Type: String, Default: ""}`, "Fail: {Type: String, Default: Create}", 1))
	w := startWatch(t, "--dir", filepath.Join(dir, ".cfnlocal"), "deploy", filepath.Join(dir, "t.yaml"), "--stack", "shop", "--watch",
		"--function", "Fn=handler")
	if text := w.round(); !strings.Contains(text, "shop is in ROLLBACK_COMPLETE") {
		t.Fatalf("the first round:\n%s", text)
	}
	write("t.yaml", string(usual))
	text := w.round()
	if !strings.Contains(text, "shop is in ROLLBACK_COMPLETE, which takes no update") || !strings.Contains(text, "shop is in CREATE_COMPLETE") {
		t.Errorf("the second round:\n%s", text)
	}
	w.interrupt()
	<-w.ended
}
