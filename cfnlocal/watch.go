package main

import (
	"context"
	"errors"
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
	besides   string          // the directory of the stacks, which each round writes to
	templates string          // the directory of the template, until the template is read; then ""
	files     []string        // of the template
	programs  []*host.Sources // that are built
	stamps    map[string]stamp
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
		a.report(err)                               // the next round may be right
		if !errors.As(err, new(*host.BuildError)) { // a build runs nothing that could write
			a.noteWritten(w.end())
		}
		a.note("waiting until a file of the template or of a program changes; Ctrl-C ends this")
		if !w.wait(a.ctx.Done()) {
			return nil
		}
	}
}

// noteWritten names files that count as unchanged, since the user may have written them.
func (a *app) noteWritten(files []string) {
	const most = 3
	more := ""
	if len(files) > most {
		files, more = files[:most], ", and others"
	}
	here, _ := os.Getwd() // without it, the names are absolute
	for i, file := range files {
		if relative, err := filepath.Rel(here, file); err == nil {
			files[i] = relative
		}
	}
	if len(files) > 0 {
		a.note(strings.Join(files, ", ") + more + " was written while the round ran, which is no change: if you wrote it, save it again")
	}
}

// begin starts a round. Until the template is read, every file in its directory may be a part of it.
func (w *watch) begin(templateFile, stacks string) (err error) {
	file, err := filepath.Abs(templateFile)
	if err != nil {
		return err
	}
	w.besides, err = filepath.Abs(stacks)
	w.templates = filepath.Dir(file)
	w.stamps = w.read()
	return err
}

// planned has the round depend on what the template names. Files that were watched before keep their
// stamps, since they may have been written after the round read them.
func (w *watch) planned(ctx context.Context, d *record.Revision, plan *template.Plan) {
	w.templates, w.files, w.programs = "", append(slices.Sorted(maps.Keys(d.Files)), d.File), nil
	programs := map[string]bool{}
	for _, f := range d.Functions(plan) {
		dir, _ := d.SourceOfFunction(&f)
		programs[dir] = true
	}
	for name, t := range d.Types {
		programs[d.SourceOf(name)] = true
		w.files = append(w.files, t.File)
	}
	delete(programs, "")
	for dir := range programs {
		w.programs = append(w.programs, host.SourcesOf(ctx, dir))
	}
	former := w.stamps
	w.stamps = w.read()
	for file := range w.stamps {
		if s, was := former[file]; was {
			w.stamps[file] = s
		}
	}
}

// end ends a round, and returns the files that were written while it ran. They are no change: what the round runs may have
// written them, and would again.
func (w *watch) end() (written []string) {
	before := w.stamps
	w.stamps = w.read()
	for file, now := range w.stamps {
		if now != before[file] {
			written = append(written, file)
		}
	}
	slices.Sort(written)
	return written
}

// wait waits until a file has changed, and no more files change. It returns false once the command must end.
func (w *watch) wait(done <-chan struct{}) bool {
	const (
		pause = 250 * time.Millisecond
		share = 20 // a twentieth of a processor, however many files there are
	)
	for now, took := w.stamps, time.Duration(0); ; {
		select {
		case <-done:
			return false
		case <-time.After(max(pause, share*took)):
		}
		last, began := now, time.Now()
		now = w.read()
		took = time.Since(began)
		if maps.Equal(now, last) && !maps.Equal(now, w.stamps) {
			return true
		}
	}
}

// read returns the stamps of all files. It leaves out those that cannot be read, which the round reports.
func (w *watch) read() map[string]stamp {
	all := map[string]stamp{}
	add := func(files ...string) {
		for _, file := range files {
			if info, err := os.Stat(file); err == nil && !info.IsDir() {
				all[file] = stamp{info.Size(), info.ModTime()}
			}
		}
	}
	add(w.files...)
	for _, program := range w.programs {
		add(program.Files()...)
	}
	if w.templates != "" {
		add(w.below(w.templates)...)
	}
	return all
}

// below returns the files below a directory, without hidden directories and the directory of the stacks.
func (w *watch) below(root string) (all []string) {
	_ = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // what cannot be read is left out
		case entry.IsDir() && (name == w.besides || name != root && strings.HasPrefix(entry.Name(), ".")):
			return fs.SkipDir
		case !entry.IsDir():
			all = append(all, name)
		}
		return nil
	})
	return all
}
