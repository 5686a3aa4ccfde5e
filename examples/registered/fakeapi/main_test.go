package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// start runs the program until stop is called.
func start(t *testing.T, state string) (url string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"-addr", "127.0.0.1:0", "-state", state}, "secret", in)
		in.CloseWithError(err)
		ended <- err
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`http://[0-9.:]+`).FindString(line), func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("run returned %v", err)
		}
	}
}

func call(t *testing.T, method, url, body string) (status int, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer secret")
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

func TestMonitorsOutliveTheProcess(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state.json")
	url, stop := start(t, state)
	if status, text := call(t, http.MethodPost, url+"/monitors", `{"url":"https://example.com","seconds":60}`); status != http.StatusCreated {
		t.Fatalf("POST: %d %s", status, text)
	}
	stop()

	url, stop = start(t, state)
	defer stop()
	if status, text := call(t, http.MethodGet, url+"/monitors/1001", ""); status != http.StatusOK || !strings.Contains(text, "https://example.com") {
		t.Errorf("GET after a restart: %d %s", status, text)
	}
}

func TestMistakesOnTheCommandLineAreErrors(t *testing.T) {
	for name, args := range map[string][]string{
		"an unknown flag":    {"-port", "1"},
		"no such address":    {"-addr", "no address", "-state", filepath.Join(t.TempDir(), "s")},
		"no file of its own": {"-addr", "127.0.0.1:0", "-state", "main.go"},
	} {
		if err := run(t.Context(), args, "", io.Discard); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
