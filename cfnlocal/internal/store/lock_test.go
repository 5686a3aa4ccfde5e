package store

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// TestMain is also the process that TestKilled kills.
func TestMain(m *testing.M) {
	if dir := os.Getenv("STORE_TEST_DIR"); dir != "" {
		saveForEver(dir)
	}
	os.Exit(m.Run())
}

// saveForEver keeps ever greater numbers and says so, after each.
func saveForEver(dir string) {
	s, err := Open(dir)
	if err != nil {
		panic(err)
	}
	l, err := s.Lock("app")
	if err != nil {
		panic(err)
	}
	for n := 1; ; n++ {
		keep := l.Append
		if n%4 == 1 {
			keep = l.Save
		}
		if err := keep(number(n)); err != nil {
			panic(err)
		}
		fmt.Println(n)
	}
}

// number is a state that takes more than one write of a disk's block.
func number(n int) []int {
	all := make([]int, 5000)
	for i := range all {
		all[i] = n
	}
	return all
}

// A process that is killed at any moment leaves what it saved last or what it
// was about to, and its lock is free.
func TestKilled(t *testing.T) {
	if locksAreFiles {
		t.Skip("here a lock outlives its process")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		// A process saves, and says so.
		dir := t.TempDir()
		s := open(t, dir)
		cmd := exec.CommandContext(t.Context(), exe)
		cmd.Env = append(os.Environ(), "STORE_TEST_DIR="+dir)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines, last := bufio.NewScanner(out), 0
		for range 1 + rand.IntN(30) {
			if !lines.Scan() {
				t.Fatal("the process has ended")
			}
			if last, err = strconv.Atoi(lines.Text()); err != nil {
				t.Fatal(err)
			}
		}
		// It has the lock until it is killed.
		_, err = s.Lock("app")
		if e := (*LockedError)(nil); !errors.As(err, &e) || e.PID != cmd.Process.Pid || e.Stack != "app" {
			t.Errorf("while the process %d saves, Lock gives %v", cmd.Process.Pid, err)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // what it had said before
			if n, err := strconv.Atoi(lines.Text()); err == nil {
				last = n
			}
		}
		_ = cmd.Wait() // it was killed
		// What it saved is there, and the lock is free.
		got, err := load[[]int](s, "app")
		if err != nil || got[0] != last && got[0] != last+1 {
			t.Fatalf("after %d there is %v, %v", last, got[:min(len(got), 1)], err)
		}
		save(t, lock(t, s, "app"), 1)
	}
}

// One at a time has a stack's lock; other stacks do not notice.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	s, other := open(t, dir), open(t, dir)
	l := lock(t, s, "app")
	for _, store := range []*Store{s, other} {
		_, err := store.Lock("app")
		e := (*LockedError)(nil)
		if !errors.As(err, &e) || e.PID != os.Getpid() {
			t.Fatalf("locked twice: %v", err)
		}
		if want := fmt.Sprintf("the process %d works on the stack app", os.Getpid()); !strings.Contains(err.Error(), want) {
			t.Errorf("the error %q has no %q", err, want)
		}
	}
	lock(t, other, "other")
	save(t, l, 1)
	if got, err := load[int](other, "app"); got != 1 || err != nil {
		t.Errorf("reading needs no lock, and gives %d, %v", got, err)
	}
	for range 2 {
		if err := l.Unlock(); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Save(2); err == nil {
		t.Error("saved without the lock")
	}
	save(t, lock(t, other, "app"), 3)
}

// A lock's file that holds no process's ID does not matter.
func TestLockFile(t *testing.T) {
	if locksAreFiles {
		t.Skip("here the file is the lock")
	}
	dir := t.TempDir()
	s := open(t, dir)
	file := filepath.Join(dir, "app.lock")
	write(t, file, []byte("a long text that is no process's ID"))
	lock(t, s, "app")
	write(t, file, []byte("?"))
	_, err := s.Lock("app")
	if e := (*LockedError)(nil); !errors.As(err, &e) || e.PID != 0 || !strings.Contains(err.Error(), "another process") {
		t.Errorf("locked twice: %v", err)
	}
}

// Who asks whether a stack is locked, as an open page does all the time, keeps
// nobody from locking it.
func TestLockedIsInNobodysWay(t *testing.T) {
	dir := t.TempDir()
	asking, working := open(t, dir), open(t, dir)
	done := make(chan struct{})
	var asked sync.WaitGroup
	asked.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				asking.Locked("shop")
			}
		}
	})
	for range 50 {
		lock, err := working.Lock("shop")
		if err != nil {
			t.Error(err)
			break
		}
		if !working.Locked("shop") {
			t.Error("it is not seen to be locked")
		}
		if err := lock.Unlock(); err != nil {
			t.Error(err)
		}
	}
	close(done)
	asked.Wait()
}
