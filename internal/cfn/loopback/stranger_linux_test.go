package loopback

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestMain is also the stranger of TestStranger.
func TestMain(m *testing.M) {
	address := os.Getenv("LOOPBACK_TEST_ADDRESS")
	if address == "" {
		os.Exit(m.Run())
	}
	if os.Getenv("LOOPBACK_TEST_BLIND") != "" {
		if err := sendAndClose(address); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	resp, err := http.Get("http://" + address + "/")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	text, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	fmt.Printf("uid %d: %s", os.Getuid(), text)
}

// sendAndClose sends a request and waits for no answer.
func sendAndClose(address string) error {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", address)
	return errors.Join(err, c.Close())
}

const nobody = 65534

// TestStranger: a process of another user gets nothing.
func TestStranger(t *testing.T) {
	program := forEverybody(t)
	for address, as := range map[string]uint32{serve(t, "tcp4", "127.0.0.1:0"): nobody, serve(t, "tcp4", "127.0.0.1:0"): 0} {
		cmd := exec.CommandContext(t.Context(), program)
		cmd.Env = []string{"LOOPBACK_TEST_ADDRESS=" + address}
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: as, Gid: as}}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if served := strings.Contains(string(out), "hello"); served != (as == 0) || !served && !strings.Contains(string(out), "only processes of the user") {
			t.Errorf("%s", out)
		}
	}
}

// forEverybody copies this program to where others may run it. It skips the test if
// nobody else can, or nobody could be told from others.
func forEverybody(t *testing.T) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can be somebody else")
	}
	if !tells() {
		t.Skip("the system does not say whose a connection is")
	}
	dir, err := os.MkdirTemp("", "") //nolint:usetesting // nobody but us may enter t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(exe)
	program := filepath.Join(dir, "stranger")
	if err := errors.Join(err, os.WriteFile(program, text, 0o755), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	return program
}
