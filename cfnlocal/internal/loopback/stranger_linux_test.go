package loopback

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/testrun"
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

// TestStranger: a process of another user gets nothing.
func TestStranger(t *testing.T) {
	run := asUser(t)
	for address, as := range map[string]uint32{serve(t, "tcp4", "127.0.0.1:0"): testrun.Nobody, serve(t, "tcp4", "127.0.0.1:0"): 0} {
		out := run(as, "LOOPBACK_TEST_ADDRESS="+address)
		if served := strings.Contains(out, "hello"); served != (as == 0) || !served && !strings.Contains(out, "only processes of the user") {
			t.Error(out)
		}
	}
}

// asUser is [testrun.As], where users can be told from each other.
func asUser(t *testing.T) func(user uint32, environment ...string) string {
	t.Helper()
	if !knowsOwners() {
		t.Skip("the system does not say whose a connection is")
	}
	return testrun.As(t)
}
