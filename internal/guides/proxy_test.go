package guides

import (
	"archive/zip"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/guides/page"
)

const (
	module  = "github.com/cfnresource/sdk-go"
	version = "v0.1.0" // of the checkout, for whoever gets it from here
)

// publish returns an environment in which the go command gets this checkout as
// the module's newest version, and everything else out of the module cache:
// what a reader's go command does, without a network. Modules are kept in a
// directory of their own.
func publish(t *testing.T) []string {
	t.Helper()
	proxy := t.TempDir()
	dir := filepath.Join(proxy, filepath.FromSlash(module), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	info, err := json.Marshal(map[string]any{"Version": version, "Time": time.Now().UTC()})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"list": version + "\n", version + ".info": string(info), version + ".mod": page.Read(t, "go.mod")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	archive(t, filepath.Join(dir, version+".zip"))

	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(),
		"GOPROXY=file://"+proxy+",file://"+filepath.Join(strings.TrimSpace(string(cache)), "cache", "download")+",off",
		"GOMODCACHE="+t.TempDir(), "GOFLAGS=-modcacherw", // so that it can be removed
		"GONOPROXY=none", "GOPRIVATE=", "GOSUMDB=off", "GOWORK=")
}

// archive writes the module as the go command takes it from a proxy: without
// the modules that are nested in it.
func archive(t *testing.T, file string) {
	t.Helper()
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	w := zip.NewWriter(out)
	tree := os.DirFS(page.Root(t))
	err = fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == ".":
			return nil
		case d.IsDir():
			if _, err := fs.Stat(tree, path+"/go.mod"); err == nil || strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			return nil
		}
		text, err := fs.ReadFile(tree, path)
		if err != nil {
			return err
		}
		entry, err := w.Create(module + "@" + version + "/" + path)
		if err != nil {
			return err
		}
		_, err = entry.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
