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

// plainWord matches a command that begins with a program's name, and not with
// something that the shell has to read first.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./+-]+(?:\s|$)`)

// startable refuses commands, by what they run, whose program is not there. The
// shell would say so once for every event, and a stack would wait for an hour.
func startable(flag string, commands map[string]string, dir string) error {
	if runtime.GOOS == "windows" { // a shell's own command is no file
		return nil
	}
	for _, what := range slices.Sorted(maps.Keys(commands)) {
		command := commands[what]
		word := strings.TrimSpace(plainWord.FindString(command))
		if word == "" {
			continue
		}
		path := word
		if strings.Contains(word, "/") && !filepath.IsAbs(word) {
			path = filepath.Join(dir, word)
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			continue // of a Go program
		}
		if _, err := exec.LookPath(path); err != nil {
			return &failure{fmt.Errorf("%s %s: there is no program %.100s", flag, what, word), "correct the command, or give the program's path", exitUsage}
		}
	}
	return nil
}
