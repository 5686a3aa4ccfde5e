package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cfnresource/sdk-go/examples"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

func TestMain(m *testing.M) {
	parallel := 8 // many tests mostly wait
	if testrun.Thorough() {
		parallel = 4 // and many build programs
	}
	if err := flag.Set("test.parallel", strconv.Itoa(parallel)); err != nil {
		panic(err)
	}
	testscript.Main(linker{m}, map[string]func(){"cfnlocal": noted, "impatient": impatient})
}

// impatient is cfnlocal, but a function has a second to get ready.
func impatient() {
	initTimeout = time.Second
	noted()
}

// A first signal asks a command to end. A second ends it, also where nothing listens to the first.
// Two come with the end of a terminal, which must leave it the time to say how to resume, and so may two of one Ctrl-C.
func TestSecondSignalEnds(t *testing.T) {
	for _, c := range []struct {
		signals []string
		apart   time.Duration
		want    []string
	}{
		{[]string{"interrupt", "terminated"}, time.Second, []string{"asked", "ended with 4"}},
		{[]string{"hangup", "hangup"}, time.Second, []string{"asked"}},
		{[]string{"hangup", "hangup", "interrupt"}, time.Second, []string{"asked", "ended with 4"}},
		{[]string{"interrupt", "hangup"}, time.Second, []string{"asked"}},
		{[]string{"interrupt", "interrupt"}, 5 * time.Millisecond, []string{"asked"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			var did []string
			end := func(code int) { did = append(did, "ended with "+strconv.Itoa(code)) }
			signals := make(chan os.Signal, len(c.signals))
			var sender sync.WaitGroup
			sender.Go(func() {
				for _, name := range c.signals {
					signals <- map[string]os.Signal{"interrupt": os.Interrupt, "terminated": syscall.SIGTERM, "hangup": syscall.SIGHUP}[name]
					<-time.After(c.apart)
				}
				close(signals)
			})
			endOnSignals(signals, func() { did = append(did, "asked") }, end)
			sender.Wait()
			if !slices.Equal(did, c.want) {
				t.Errorf("%q, %v apart: %q, want %q", c.signals, c.apart, did, c.want)
			}
		})
	}
}

// TestScripts checks what each command prints, and its exit code. Most of the scripts
// that build programs run only in a thorough run.
func TestScripts(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOFLAGS", "GOPROXY"}
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Split(string(out), "\n")
	linkPrograms(t)
	usual, err := os.ReadFile("testdata/t.yaml")
	if err != nil {
		t.Fatal(err)
	}
	next := newFollower(t)
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("UPDATE") != "",
		Setup: func(e *testscript.Env) error {
			if _, err := os.Stat(filepath.Join(e.WorkDir, "t.yaml")); err != nil {
				if err := os.WriteFile(filepath.Join(e.WorkDir, "t.yaml"), usual, 0o600); err != nil {
					return err
				}
			}
			for name, value := range userConfig() {
				e.Setenv(name, value)
			}
			e.Setenv("ROOT", root)
			e.Setenv("PROGRAMS", programs)
			e.Setenv("GOGC", "400") // no process lives long
			port, err := freePort()
			if err != nil {
				return err
			}
			e.Setenv("PORT", port)
			for i, name := range names {
				e.Setenv(name, values[i])
			}
			for _, name := range []string{"HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR"} {
				if value, ok := os.LookupEnv(name); ok { // the go command may have to download a module
					e.Setenv(name, value)
				}
			}
			return next.begin(e)
		},
		Condition: func(name string) (bool, error) {
			if name != "thorough" {
				return false, errors.New("there is no such condition")
			}
			return testrun.Thorough(), nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": code, "edit": edit, "query": queryAPI},
	})
}

// freePort returns a port that is not in use. It is outside of the range that the
// kernel chooses free ports from, since other tests ask for those at the same time.
func freePort() (string, error) {
	var err error
	for range 100 {
		port := strconv.Itoa(10_000 + rand.IntN(20_000))
		var l net.Listener
		if l, err = net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			return port, l.Close()
		}
	}
	return "", err
}

// code runs a command that must end with an exit code: code 2 cfnlocal events.
func code(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// edit writes a file that is another one but for some texts, in which \n is a line break:
// edit t.yaml other.yaml 'what it has' 'what it gets'.
func edit(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	for change := range slices.Chunk(args[2:], 2) {
		if !strings.Contains(text, change[0]) {
			ts.Fatalf("%s has no %q", args[0], change[0])
		}
		text = strings.ReplaceAll(text, change[0], strings.ReplaceAll(change[1], `\n`, "\n"))
	}
	file := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o700))
	ts.Check(os.WriteFile(file, []byte(text), 0o600))
}

// programs is the directory of the programs that tests run beside cfnlocal: the handler, a
// registered type's, and examples. It is in PATH.
var programs string

// A linker is a [testing.M] that makes and removes the directory.
type linker struct{ *testing.M }

// Run runs the tests.
func (l linker) Run() int {
	var err error
	if programs, err = os.MkdirTemp("", "programs-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(programs) }()
	for name, value := range userConfig() {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	if err := os.Setenv("PATH", programs+string(filepath.ListSeparator)+os.Getenv("PATH")); err != nil {
		panic(err)
	}
	if err := os.Unsetenv("GOWORK"); err != nil { // the modules that tests write are in no workspace but their own
		panic(err)
	}
	return l.M.Run()
}

// userConfig returns the variables of a user's configuration that is no other than the tests'.
func userConfig() map[string]string {
	dir := filepath.Join(programs, "config")
	switch runtime.GOOS {
	case "darwin", "ios":
		return map[string]string{"HOME": dir}
	case "windows":
		return map[string]string{"AppData": dir}
	}
	return map[string]string{"XDG_CONFIG_HOME": dir}
}

// linkPrograms links the programs, all at once: that is most of what a run of the tests costs.
func linkPrograms(t testing.TB) {
	t.Helper()
	if err := link(); err != nil {
		t.Fatal(err)
	}
}

// exampleNames are the examples to test.
func exampleNames() []string {
	if *update {
		return examples.Names()
	}
	return testrun.Examples(examples.Names())
}

var link = sync.OnceValue(func() error {
	args := []string{"build", "-tags", "lambda.norpc", "-ldflags", "-s -w", "-o", programs + string(filepath.Separator),
		"./cfnlocal/testdata/handler", "./registry/testdata/depot", "./examples/webhook/fakeapi", "./examples/subscription"}
	for _, name := range exampleNames() {
		args = append(args, "./examples/"+name)
	}
	build := exec.Command("go", args...)
	build.Dir = ".."
	workspace, err := filepath.Abs("../go.work") // the programs are of several modules
	if err != nil {
		return err
	}
	build.Env = append(os.Environ(), "GOWORK="+workspace)
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
})

// queryAPI sends a query to the API on the script's port, and looks for a pattern in the answer:
// query Action=ListStacks '<member>'. It retries until the server listens, or all tests are ended.
func queryAPI(ts *testscript.TestScript, neg bool, args []string) {
	url := "http://127.0.0.1:" + ts.Getenv("PORT") + "/?Version=2010-05-15&" + args[0]
	resp, err := http.Get(url)
	for tick := time.Tick(10 * time.Millisecond); err != nil; resp, err = http.Get(url) {
		<-tick
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	ts.Check(err)
	if regexp.MustCompile(args[1]).Match(body) == neg {
		ts.Fatalf("%s\n%s", resp.Status, body)
	}
}

// A command ends where its terminal was closed. The end of a parent counts only without a terminal,
// and not for servers. What had neither at the start, such as a system's service, loses nothing.
func TestNobodyWaits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		start, now ties
		command    string
		ends       bool
	}{
		{"all is as it was", ties{true, 7}, ties{true, 7}, "deploy", false},
		{"the terminal was closed", ties{true, 7}, ties{false, 7}, "deploy", true},
		{"a server's terminal was closed", ties{true, 7}, ties{false, 1}, "serve", true},
		{"the parent has ended at an open terminal", ties{true, 7}, ties{true, 1}, "deploy", false},
		{"the parent has ended", ties{false, 7}, ties{false, 300}, "deploy", true},
		{"a server's parent has ended", ties{false, 7}, ties{false, 1}, "serve", false},
		{"a demo's parent has ended", ties{false, 7}, ties{false, 1}, "demo", false},
		{"a service of the system", ties{false, 1}, ties{false, 1}, "deploy", false},
	} {
		if why := c.start.cut(c.now, c.command); (why != "") != c.ends {
			t.Errorf("%s: ends since %q, want %t", c.name, why, c.ends)
		}
	}
}
