package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// What is put can be read, until the program ends.
func TestServes(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"-addr", "127.0.0.1:0"}, in)
		in.CloseWithError(err)
		ended <- err
	}()
	lines := bufio.NewReader(out)
	first, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	url := regexp.MustCompile(`http://[0-9.:]+`).FindString(first)
	if status, _ := call(t, http.MethodPut, url+"/bucket/a/b", "text"); status != http.StatusOK {
		t.Errorf("PUT: %d", status)
	}
	if status, text := call(t, http.MethodGet, url+"/bucket/a/b", ""); status != http.StatusOK || text != "text" {
		t.Errorf("GET: %d %s", status, text)
	}
	if status, text := call(t, http.MethodGet, url+"/bucket?versions&prefix=a/", ""); status != http.StatusOK || !strings.Contains(text, "<Key>a/b</Key>") {
		t.Errorf("the list: %d %s", status, text)
	}
	if status, text := call(t, http.MethodGet, url+"/other?versions", ""); status != http.StatusNotFound || !strings.Contains(text, "NoSuchBucket") {
		t.Errorf("another bucket: %d %s", status, text)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("run returned %v", err)
	}
}

func call(t *testing.T, method, url, body string) (status int, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}
