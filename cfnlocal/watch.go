package main

import (
	"cmp"
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
)

// A watch has the files that a round of deploy --watch was made from.
type watch struct {
	besides string           // the directory of the stacks, which each round writes to
	roots   []string         // files and directories
	stamps  map[string]stamp // of each file, before the round read it
}

// A stamp changes when a file is written.
type stamp struct {
	size    int64
	written time.Time
}

// rounds deploys, and again whenever a file changes, until the command is to end.
func (w *watch) rounds(a *app, templateFile string, deploy func() error) error {
	for {
		if err := w.begin(templateFile, a.dir); err != nil {
			return err
		}
		err := deploy()
		if a.ctx.Err() != nil {
			return err
		}
		a.report(err) // the next round may be right
		a.note("waiting until a file of the template or of a program changes; Ctrl-C ends this")
		if !w.wait(a.ctx.Done()) {
			return nil
		}
	}
}

// begin starts a round. Until the template is read, every file in its directory may be a part of it.
func (w *watch) begin(templateFile, stacks string) (err error) {
	file, err := filepath.Abs(templateFile)
	if err != nil {
		return err
	}
	w.besides, err = filepath.Abs(stacks)
	w.roots = []string{filepath.Dir(file)}
	w.stamps = w.read()
	return err
}

// planned has the round depend on what the template names. Files that were watched before keep their
// stamps, since they may have been written after the round read them.
func (w *watch) planned(ctx context.Context, d *record.Revision, plan *template.Plan) {
	w.roots = append(slices.Sorted(maps.Keys(d.Files)), d.File)
	programs := map[string]bool{}
	for _, f := range d.Functions(plan) {
		dir, _ := d.SourceOfFunction(&f)
		programs[dir] = true
	}
	for name := range d.Types {
		programs[d.SourceOf(name)] = true
	}
	delete(programs, "")
	for dir := range programs {
		w.roots = append(w.roots, sourcesOf(ctx, dir)...)
	}
	former := w.stamps
	w.stamps = w.read()
	for file := range w.stamps {
		if s, was := former[file]; was {
			w.stamps[file] = s
		}
	}
}

// wait waits until a file has changed, and no more files change. It returns false once the command must end.
func (w *watch) wait(done <-chan struct{}) bool {
	const pause = 250 * time.Millisecond
	for now := w.stamps; ; {
		select {
		case <-done:
			return false
		case <-time.After(pause):
		}
		last := now
		now = w.read()
		if maps.Equal(now, last) && !maps.Equal(now, w.stamps) {
			return true
		}
	}
}

// read returns the stamps of all files. It leaves out hidden directories, and files that cannot be
// read, which the round reports.
func (w *watch) read() map[string]stamp {
	all := map[string]stamp{}
	for _, root := range w.roots {
		_ = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil //nolint:nilerr // files that cannot be read are left out
			case entry.IsDir() && (name == w.besides || name != root && strings.HasPrefix(entry.Name(), ".")):
				return fs.SkipDir
			case entry.IsDir():
				return nil
			}
			if info, err := os.Stat(name); err == nil {
				all[name] = stamp{info.Size(), info.ModTime()}
			}
			return nil
		})
	}
	return all
}

// sourcesOf returns the sources of a program: the modules that the go command names, its own module in
// any case, and its go.work.
func sourcesOf(ctx context.Context, dir string) []string {
	all := append(host.Modules(ctx, dir), cmp.Or(above(dir, "go.mod"), dir))
	if workspace := above(dir, "go.work"); workspace != "" {
		all = append(all, filepath.Join(workspace, "go.work"))
	}
	return all
}

// above returns the innermost directory around one that has a file, or "".
func above(dir, file string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, file)); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}
