package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const scenarios = "../../internal/cfn/engine/testdata/scenarios"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == relayCommand {
		relay(os.Args[2])
		return
	}
	os.Exit(m.Run())
}

var cfnlocal = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "probe")
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "cfnlocal")
	return program, exec.Command("go", "build", "-o", program, "../../cmd/cfnlocal").Run()
})

func startWorld(t *testing.T, assume ...string) (*world, *router) {
	program, err := cfnlocal()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	socket := filepath.Join(dir, "s")
	r := &router{plays: map[string]*play{}, seen: map[string]bool{}}
	server, err := r.listen(t.Context(), socket, func(err error) { t.Log(err) })
	if err != nil {
		t.Fatal(err)
	}
	l, err := startLocal(t.Context(), program, dir, socket, assume...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.stop(); err != nil {
			t.Log(err, l.log)
		}
		server.Close()
	})
	return &world{client: l.client, topic: localTopic, dir: dir, poll: 50 * time.Millisecond, patience: 10 * time.Second}, r
}

func TestAll(t *testing.T) {
	plans, err := readPlans(scenarios, strings.Fields(os.Getenv("ONLY")))
	if err != nil {
		t.Fatal(err)
	}
	w, r := startWorld(t)
	var wg sync.WaitGroup
	slots := make(chan bool, 16)
	for _, p := range plans {
		if p.why(false, false) != "" {
			continue
		}
		one := newPlay(p, w)
		r.mu.Lock()
		r.plays[one.name] = one
		r.mu.Unlock()
		wg.Go(func() {
			slots <- true
			defer func() { <-slots }()
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			began := time.Now()
			got, err := one.run(ctx)
			took := time.Since(began).Round(time.Millisecond)
			if err != nil {
				t.Errorf("%s %s: %v", p.Name, took, err)
				return
			}
			if got != p.expected {
				t.Errorf("%s %s strayed %t: %s", p.Name, took, one.strayed, cmp.Diff(p.expected, got))
				return
			}
			t.Log(p.Name, took, "same")
		})
	}
	wg.Wait()
}
