//go:build unix

package copy

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const publishedVersion = "v0.0.1-checkout" // the version that a checkout is published as

// publish publishes a checkout to the go command of a test, as a release of the SDK would be: go
// get, go install and go run find it under its path and @latest, so that commands of the documents
// run as they stand. It returns what to add to the environment of the go command. All that it
// downloads goes to a cache of the test's own; other modules come from the user's cache where it
// has them, and else as always.
func publish(t *testing.T, checkout string) []string {
	t.Helper()
	proxy := t.TempDir()
	for _, within := range []string{"", "registry", "cfnlocal"} {
		publishModule(t, proxy, checkout, within)
	}

	get := func(name string) string {
		out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	return []string{
		"GOPROXY=file://" + proxy + ",file://" + get("GOMODCACHE") + "/cache/download," + get("GOPROXY"),
		"GOSUMDB=off", // which knows nothing of this release
		"GONOPROXY=none", "GOPRIVATE=",
		"GOMODCACHE=" + t.TempDir(),
		"GOFLAGS=" + strings.TrimSpace(get("GOFLAGS")+" -modcacherw"), // so that the test can remove it
		"GOWORK=off",
	}
}

// publishModule writes what a proxy serves of a module of a checkout. A release
// requires the SDK in its own version.
func publishModule(t *testing.T, proxy, checkout, within string) {
	t.Helper()
	module := path.Join(sdk, within)
	checkout = filepath.Join(checkout, within)
	dir := filepath.Join(proxy, filepath.FromSlash(module), "@v")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	goMod := strings.ReplaceAll(read(t, checkout, "go.mod"), "\t"+sdk+" v0.0.0\n", "\t"+sdk+" "+publishedVersion+"\n")
	goMod = strings.Replace(goMod, "\nreplace "+sdk+" => ../\n", "", 1) // as RELEASE.md says: go run refuses a module that has one
	for name, text := range map[string]string{
		"list":                     publishedVersion + "\n",
		publishedVersion + ".info": fmt.Sprintf(`{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, publishedVersion),
		publishedVersion + ".mod":  goMod,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := pack(filepath.Join(dir, publishedVersion+".zip"), module, goMod, os.DirFS(checkout)); err != nil {
		t.Fatal(err)
	}
}

// pack writes a module of a checkout as a zip file of the form that module
// proxies serve: the modules within are left out.
func pack(name, module, goMod string, checkout fs.FS) (err error) {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	archive := zip.NewWriter(file)
	err = fs.WalkDir(checkout, ".", func(within string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case within == ".":
			return nil
		case d.IsDir():
			_, err := fs.Stat(checkout, path.Join(within, "go.mod"))
			if err == nil || strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular(), strings.HasPrefix(d.Name(), "."):
			return nil
		}
		text, err := fs.ReadFile(checkout, within)
		if err != nil {
			return err
		}
		if within == "go.mod" {
			text = []byte(goMod)
		}
		to, err := archive.Create(module + "@" + publishedVersion + "/" + within)
		if err != nil {
			return err
		}
		_, err = to.Write(text)
		return err
	})
	if err != nil {
		return err
	}
	return archive.Close()
}

const program = `package main

import (
	"context"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
)

type Props struct{ Name string }

type Data struct{ Name string }

type Thing struct{}

func (Thing) Create(_ context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
	return Data(req.Properties), nil
}

func (Thing) Update(_ context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	return Data(req.Properties), nil
}

func (Thing) Delete(context.Context, *cfnresource.DeleteRequest[Props]) error { return nil }

func main() { lambda.Start(cfnresource.New(Thing{})) }
`

// What a user does before a version is published, as the README says it: in a
// folder with nothing but a module, and in one with a program that uses the SDK.
func TestFromAClone(t *testing.T) {
	checkout := setUp(t)
	commands := goCommands(read(t, root, "README.md"), func(block string) bool { return strings.Contains(block, placeholder) })
	if len(commands) != 1 {
		t.Fatalf("the README does not say in one command how to use a clone: %q", commands)
	}
	steps := []string{"go mod init example.com/me/mine", strings.ReplaceAll(commands[0], placeholder, "="+checkout), "go tool cfnlocal list"}

	t.Run("an empty folder", func(t *testing.T) { shell(t, t.TempDir(), 5*time.Minute, steps) })
	t.Run("a program", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o600); err != nil {
			t.Fatal(err)
		}
		shell(t, dir, 5*time.Minute, append(steps, "go vet ./...", "go mod tidy -diff"))
	})
}

// What a user does who has nothing but Go, when the SDK is published: a project
// of their own, by cfnlocal new.
func TestFromARelease(t *testing.T) {
	setEnv(t, publish(t, setUp(t)))
	shell(t, t.TempDir(), 10*time.Minute, []string{
		"go run " + sdk + "/cfnlocal@latest new subscription --module example.com/me/orders",
		"cd orders",
		"grep '" + sdk + " " + publishedVersion + "' go.mod",
		"if grep replace go.mod; then exit 1; fi",
		"go mod verify",
		"go test ./...",
		"go tool cfnlocal deploy template.yaml",
		"go tool cfnlocal delete orders",
		"cd ..",
		"go run " + sdk + "/cfnlocal@latest new lookup --module returns",
	})
}
