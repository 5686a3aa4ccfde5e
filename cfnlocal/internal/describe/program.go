package describe

import (
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/service"
)

// A Program can be asked on behalf of a function. The zero value is none.
type Program struct {
	file    string   // that is looked at before it is started, or ""
	command []string // that starts it
	dir     string
}

// Built is a program that was built here.
func Built(file string) Program { return Program{file: file, command: []string{file}} }

// Command is the program that a command line for a shell starts, in a directory.
func Command(line, dir string) Program {
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	if strings.Contains(word, "/") && !filepath.IsAbs(word) {
		word = filepath.Join(dir, word)
	}
	file, err := exec.LookPath(word)
	if err != nil {
		return Program{} // it is no program, but a shell's own word
	}
	return Program{file, service.Shell(line), dir}
}

// Asset is the program in the directory of a function's code, by the name that Lambda's
// OS-only runtimes have for it, as the CDK leaves it.
func Asset(dir string) Program {
	if dir == "" {
		return Program{}
	}
	file := filepath.Join(dir, "bootstrap")
	return Program{file, []string{file}, dir}
}

const sdk = "github.com/cfnresource/sdk-go"

// None reports whether there is no program that could be asked.
func (p *Program) None() bool {
	_, err := os.Stat(p.file)
	return err != nil
}

// refused says why a program is not asked, or "": one of another SDK might take the
// question for an event.
func (p *Program) refused() string {
	if p.None() {
		return "it is not built here"
	}
	info, err := buildinfo.ReadFile(p.file)
	if err != nil || info.Main.Path != sdk && !slices.ContainsFunc(info.Deps, func(dep *debug.Module) bool { return dep.Path == sdk }) {
		return "it is not made with this SDK"
	}
	return elsewhere(info.Settings)
}

// elsewhere says which other machine a program was built for, or "".
func elsewhere(settings []debug.BuildSetting) string {
	here := map[string]string{"GOOS": runtime.GOOS, "GOARCH": runtime.GOARCH}
	for _, s := range settings {
		if here[s.Key] != "" && here[s.Key] != s.Value {
			return "it is built for another machine, with " + s.Key + "=" + s.Value
		}
	}
	return ""
}
