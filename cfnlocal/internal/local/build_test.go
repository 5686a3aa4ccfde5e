package local

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/store"
)

// A program whose source is as it was is taken from the revision before, which a mark at its end shows: to link it again takes
// longer than all else in a small deployment. One whose source has changed is not, nor one that is damaged. update-code takes none.
func TestBuildsAreReused(t *testing.T) {
	t.Parallel()
	source := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(source, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/fn\n\ngo 1.26\n")
	write("main.go", "package main\n\nfunc main() {}\n")
	out, err := store.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	first, second, third, fourth := "build/shop/1/fn", "build/shop/2/fn", "build/shop/3/fn", "build/shop/4/fn"
	build := func(program string) []byte {
		if err := buildOnce(t.Context(), source, out, program); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(out.Path(program))
		info, missing := os.Stat(out.Path(program))
		if err != nil || missing != nil || runtime.GOOS != "windows" && info.Mode()&0o100 == 0 {
			t.Fatalf("%s: %v, %v, mode %v", program, err, missing, info.Mode())
		}
		return text
	}
	mark := []byte("marked")
	if err := os.WriteFile(out.Path(first), append(build(first), mark...), 0o700); err != nil {
		t.Fatal(err)
	}

	if !bytes.HasSuffix(build(second), mark) {
		t.Error("what is up to date is linked again")
	}
	write("main.go", "package main\n\nfunc main() { println() }\n")
	if bytes.HasSuffix(build(third), mark) {
		t.Error("another source has the same program")
	}
	if err := os.WriteFile(out.Path(third), []byte("damaged"), 0o700); err != nil {
		t.Fatal(err)
	}
	_ = build(fourth)
	if isNew, err := buildAnew(t.Context(), source, out, second); err != nil || !isNew {
		t.Errorf("update-code: new is %t, %v", isNew, err)
	}
	write("main.go", "package main\n\nfunc main() {}\n")
	if isNew, err := buildAnew(t.Context(), source, out, first); err != nil || !isNew {
		t.Errorf("update-code keeps a program that is damaged: new is %t, %v", isNew, err)
	}
}
