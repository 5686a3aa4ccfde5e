package host

import (
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Sources are what a Go program is built from, without what is in the module cache, which does not change.
type Sources struct {
	packages   []sourcePackage
	modules    []string // files of modules and of a workspace
	incomplete []string // directories of modules in which a package is not found
}

// A sourcePackage is a package as the go command lists it.
type sourcePackage struct {
	Dir           string
	Standard      bool
	Incomplete    bool
	EmbedPatterns []string
	Module        *struct {
		Dir, GoMod, Version string
		Replace             *struct{ Version string }
	}
}

// cached reports whether the package is in the module cache, or Go's own.
func (p *sourcePackage) cached() bool {
	switch m := p.Module; {
	case p.Standard || p.Dir == "":
		return true
	case m == nil || m.Version == "" || m.Dir == "": // a vendored module has no directory
		return false
	default:
		return m.Replace == nil || m.Replace.Version != ""
	}
}

// SourcesOf returns the sources of the program in a directory. Of a program that the go command cannot list they are its
// directory.
func SourcesOf(ctx context.Context, dir string) *Sources {
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-deps", "-tags", tag, "-json=Dir,Standard,Incomplete,EmbedPatterns,Module", ".")
	cmd.Dir = dir
	out, _ := cmd.Output() // if it fails, a build fails too
	s := &Sources{packages: []sourcePackage{{Dir: dir}}}
	modules := map[string]bool{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p sourcePackage
		if err := decoder.Decode(&p); err != nil { // at its end
			break
		}
		if p.Module != nil && !p.cached() && p.Module.GoMod != "" {
			modules[p.Module.GoMod] = true
		}
		if !p.cached() {
			s.packages = append(s.packages, p)
		}
		// The package that is not found is another one, which has no directory.
		if p.Incomplete && !p.cached() && p.Module != nil {
			s.incomplete = append(s.incomplete, p.Module.Dir)
		}
	}

	// The files beside a go.mod, and those of a workspace.
	modules[above(dir, "go.mod")] = true
	for file := range modules {
		s.modules = append(s.modules, file, strings.TrimSuffix(file, ".mod")+".sum")
	}
	if workspace := above(dir, "go.work"); workspace != "" {
		s.modules = append(s.modules, workspace, workspace+".sum")
	}
	return s
}

// above returns the file of a name in the innermost directory around one that has it, or the name in that one.
func above(dir, name string) string {
	for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
		if file := filepath.Join(at, name); exists(file) {
			return file
		}
	}
	return filepath.Join(dir, name)
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// sourceExtensions are those of the files that the go command compiles.
var sourceExtensions = []string{
	".go", ".c", ".cc", ".cpp", ".cxx", ".m", ".h", ".hh", ".hpp", ".hxx", ".f", ".F", ".for", ".f90",
	".s", ".S", ".sx", ".swig", ".swigcxx", ".syso",
}

// compiled reports whether the go command compiles a file of this name.
func compiled(name string) bool {
	return slices.Contains(sourceExtensions, filepath.Ext(name)) && !strings.HasSuffix(name, "_test.go")
}

// Files returns the files that a build reads now, with those that came since.
func (s *Sources) Files() []string {
	all := map[string]bool{}
	for _, file := range s.modules {
		all[file] = true
	}
	for _, p := range s.packages {
		entries, _ := os.ReadDir(p.Dir) // a directory that is gone has none
		for _, entry := range entries {
			if compiled(entry.Name()) {
				all[filepath.Join(p.Dir, entry.Name())] = true
			}
		}
		for _, pattern := range p.EmbedPatterns {
			for _, file := range embedded(p.Dir, pattern) {
				all[file] = true
			}
		}
	}
	for _, dir := range s.incomplete {
		for _, file := range below(dir, false, compiled) {
			all[file] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// embedded returns the files that a pattern of go:embed names.
func embedded(dir, pattern string) (all []string) {
	pattern, hidden := strings.CutPrefix(pattern, "all:")
	names, _ := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern))) // the go command refuses one that is malformed
	for _, name := range names {
		all = append(all, below(name, hidden, func(string) bool { return true })...)
	}
	return all
}

// below returns the files below a directory, or the file itself, whose names are wanted, without those that go:embed and the
// go command leave out since their names, or those of their directories, begin with a dot or an underscore.
func below(root string, hidden bool, wanted func(name string) bool) (all []string) {
	_ = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		out := !hidden && name != root && strings.ContainsAny(entry.Name()[:1], "._")
		switch {
		case err != nil:
			return nil //nolint:nilerr // what cannot be read is left out
		case entry.IsDir() && out:
			return fs.SkipDir
		case !entry.IsDir() && !out && wanted(entry.Name()):
			all = append(all, name)
		}
		return nil
	})
	return all
}
