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

// deploy --watch deploys again when a program, a module that it is built from, or the template has
// changed, goes on after a mistake, and ends well between two rounds.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const function = "Transform: AWS::Serverless-2016-10-31\nResources:\n" +
		"  Fn: {Type: AWS::Serverless::Function, Properties: {CodeUri: ../fn/cmd, Handler: bootstrap, Runtime: provided.al2023}}\n"
	write("deploy/t.yaml", function)
	t.Setenv("GOWORK", "")
	write("go.work", "go 1.26\n\nuse ./fn\n\nuse ./beside\n")
	write("fn/go.mod", "module example.com/fn\n\ngo 1.26\n\nrequire example.com/other v1.0.0\n\nreplace example.com/other => ../other\n")
	write("beside/go.mod", "module example.com/beside\n\ngo 1.26\n")
	write("beside/beside.go", "package beside\n\nconst Word = \"one\"\n")
	write("other/go.mod", "module example.com/other\n\ngo 1.26\n")
	write("other/other.go", "package other\n\nconst Word = \"one\"\n")
	write("fn/inner/inner.go", "package inner\n\nconst Word = \"one\"\n")
	write("fn/cmd/main.go", "package main\n\nimport (\n\t\"example.com/beside\"\n\t\"example.com/fn/inner\"\n\t\"example.com/other\"\n)\n\nfunc main() { println(inner.Word, other.Word, beside.Word) }\n")

	// Start it.
	ctx, interrupt := context.WithCancel(t.Context())
	screen := &screenOfRounds{rounds: make(chan string)}
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"--dir", filepath.Join(dir, "fn", "state"), "deploy", filepath.Join(dir, "deploy", "t.yaml"), "--watch"},
			streams{strings.NewReader(""), screen, screen})
	}()
	round := func() string {
		select {
		case text := <-screen.rounds:
			return text
		case code := <-ended:
			t.Fatalf("it ended with %d:\n%s", code, screen.text.String())
		case <-time.After(time.Minute):
			t.Fatal("no round")
		}
		return ""
	}

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
		if text := round(); !strings.Contains(text, r.want) {
			t.Fatalf("after a change of %s: want %q:\n%s", r.file, r.want, text)
		}
	}

	// What it writes itself is no change, and it ends between two rounds.
	select {
	case text := <-screen.rounds:
		t.Errorf("nothing has changed:\n%s", text)
	case <-time.After(2 * time.Second):
	}
	interrupt()
	if code := <-ended; code != exitComplete {
		t.Errorf("it ended with %d", code)
	}
}
