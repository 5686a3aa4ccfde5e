package examples

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// testBinary compiles the tests of a directory with files in the place of its own, or
// beside them: sources, by their names.
func testBinary(t testing.TB, dir string, sources map[string]string) (binary string) {
	t.Helper()
	tmp := t.TempDir()
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	replace := make(map[string]string)
	for name, text := range sources {
		file := filepath.Join(tmp, strconv.Itoa(len(replace))+".go")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(dir, name)] = file
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(tmp, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	binary = filepath.Join(tmp, "test")
	build := exec.Command("go", "test", "-c", "-overlay", list, "-o", binary, ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", dir, err, out)
	}
	return binary
}
