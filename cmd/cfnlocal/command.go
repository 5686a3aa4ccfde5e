package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// programName matches the beginning of a command if it is a program's name, and not
// shell syntax.
var programName = regexp.MustCompile(`^[A-Za-z0-9_./+-]+(?:\s|$)`)

// checkPrograms returns an error if the program of a command does not exist. The
// keys of commands are what each command runs. Otherwise the shell would fail for
// every event, and the stack would wait for an hour.
func checkPrograms(flag string, commands map[string]string, dir string) error {
	if runtime.GOOS == "windows" { // the shell's built-in commands are not files
		return nil
	}
	for _, what := range slices.Sorted(maps.Keys(commands)) {
		command := commands[what]
		word := strings.TrimSpace(programName.FindString(command))
		if word == "" {
			continue
		}
		path := word
		if strings.Contains(word, "/") && !filepath.IsAbs(word) {
			path = filepath.Join(dir, word)
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			continue // the directory of a Go program
		}
		if _, err := exec.LookPath(path); err != nil {
			return &failure{fmt.Errorf("%s %s: there is no program %.100s", flag, what, word), "correct the command, or give the program's path", exitUsage}
		}
	}
	return nil
}
