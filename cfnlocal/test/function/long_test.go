package function

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// What takes longer than one invocation goes on by invoking itself. A second stands for a minute:
// the function's timeout is 5 s in place of 300, and CloudFormation waits for 75 s. What cannot be
// shown is how late Lambda invokes, and the limit of its queue.

func newLongScene(t *testing.T) *scene {
	t.Helper()
	s := newScene(t, "takes long", 5)
	if err := os.Mkdir(s.things(), 0o700); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *scene) things() string { return filepath.Join(s.dir, "things") }

// deployAtOnce deploys things that do not wait for each other.
func (s *scene) deployAtOnce(want string, things ...string) {
	s.t.Helper()
	s.expectStatus(want)(s.CreateOrUpdate(s.t.Context(), "shop", local.Change{Revision: s.template(false, things)}, nil, s.settings()))
}

// takeCalls returns how often each call came about a resource, and forgets them.
func (s *scene) takeCalls(resource string) map[string]int {
	s.t.Helper()
	file := filepath.Join(s.dir, "calls")
	text, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	n := make(map[string]int)
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); words[1] == resource {
			n[strings.Join(slices.Delete(words, 1, 2), " ")]++
		}
	}
	if err := os.Remove(file); err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *scene) expectThings(want int) {
	s.t.Helper()
	entries, err := os.ReadDir(s.things())
	if err != nil || len(entries) != want {
		s.t.Errorf("%d things are there, want %d: %v", len(entries), want, err)
	}
}

// A Create that takes 37 of the 75 seconds, or 5 by default, needs several invocations,
// and has one answer. How many depends on how fast processes start here.
func TestCreateContinues(t *testing.T) {
	t.Parallel()
	s := newLongScene(t)
	s.deployAtOnce("CREATE_COMPLETE", fmt.Sprintf("A Name: a, Ready: %d", testrun.Share(5, 37)))
	s.expectThings(1)
	if calls := s.takeCalls("A"); s.links < testrun.Share(1, 2) || calls["Create"] != 1 || calls["Update adopted true"] != s.links {
		t.Errorf("%d links, %v", s.links, calls)
	}
	s.delete("DELETE_COMPLETE")
	s.expectThings(0)
}

// An Update in place that takes 12 seconds, or 5 by default, continues the same way.
func TestUpdateContinues(t *testing.T) {
	t.Parallel()
	s := newLongScene(t)
	s.deployAtOnce("CREATE_COMPLETE", "A Name: a, Ready: 0")
	_ = s.takeCalls("A")
	s.links = 0
	s.deployAtOnce("UPDATE_COMPLETE", fmt.Sprintf("A Name: a, Ready: %d, Note: new", testrun.Share(5, 12)))
	// One whose process is slow to start may be tried again.
	if calls := s.takeCalls("A"); s.links < testrun.Share(1, 2) || calls["Update adopted false"] <= s.links || calls["Create"] != 0 {
		t.Errorf("%d links, %v", s.links, calls)
	}
	s.expectThings(1)
}

// A sibling fails while the third invocation waits. It sees the stack turn round,
// or the fourth one does, which does none of the work. Nothing is left.
func TestCancelledCreation(t *testing.T) {
	testrun.OnlyThorough(t, "it takes 15 seconds")
	t.Parallel()
	s := newLongScene(t)
	s.deployAtOnce("ROLLBACK_COMPLETE", "A Name: a, Ready: 60", "B Name: b, Ready: 60, Fail: 11")
	s.expectThings(0)
	calls := s.takeCalls("A")
	if calls["Create"] != 1 || calls["Update adopted true"] > 2 || calls["Delete"] == 0 {
		t.Errorf("%v", calls)
	}
}

// The same in an update: of what is changed in place, and of a replacement.
func TestCancelledUpdate(t *testing.T) {
	testrun.OnlyThorough(t, "it takes most of a minute")
	t.Parallel()
	for name, change := range map[string]string{"in place": "A Name: a, Ready: 60, Note: new", "replacement": "A Name: other, Ready: 60"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newLongScene(t)
			s.deployAtOnce("CREATE_COMPLETE", "A Name: a, Ready: 0")
			before, err := os.ReadDir(s.things())
			if err != nil {
				t.Fatal(err)
			}
			_ = s.takeCalls("A")
			s.deployAtOnce("UPDATE_ROLLBACK_COMPLETE", change, "B Name: b, Ready: 60, Fail: 11")
			after, err := os.ReadDir(s.things())
			if err != nil || len(before) != 1 {
				t.Fatal(err)
			}
			if diff := cmp.Diff(names(before), names(after)); diff != "" {
				t.Errorf("what is there after it is not what was (-before +after):\n%s", diff)
			}
		})
	}
}

func names(entries []os.DirEntry) (all []string) {
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// LongProps are the properties of a [Long].
type LongProps struct {
	Name  string `cfn:"createOnly"`
	Ready int    // how many seconds it takes until a thing is ready, or an Update of it done
	Fail  int    // after how many seconds it fails, if not 0
	Note  string
}

// LongData are the attributes of a [Long].
type LongData struct{ Path string }

// A Long is a directory that is ready some time after it was made. Each call of a method is noted.
type Long struct{}

func path(id string) string { return filepath.Join(ofScene("things"), id) }

func (*Long) Create(ctx context.Context, req *cfnresource.CreateRequest[LongProps]) (data LongData, err error) {
	if err := note("calls", "Create %s", req.LogicalID); err != nil {
		return data, err
	}
	id := req.StableID()
	if err := os.Mkdir(path(id), 0o750); errors.Is(err, fs.ErrExist) {
		return data, cfnresource.AlreadyExists(id)
	} else if err != nil {
		return data, err
	}
	req.Created(id)
	return LongData{Path: path(id)}, wait(ctx, id, req.Properties)
}

func (*Long) Update(ctx context.Context, req *cfnresource.UpdateRequest[LongProps]) (data LongData, err error) {
	if err := note("calls", "Update %s adopted %t", req.LogicalID, req.Adopted); err != nil {
		return data, err
	}
	return LongData{Path: path(req.PhysicalID)}, wait(ctx, req.PhysicalID, req.Properties)
}

func (*Long) Delete(_ context.Context, req *cfnresource.DeleteRequest[LongProps]) error {
	return errors.Join(note("calls", "Delete %s", req.LogicalID), os.RemoveAll(path(req.PhysicalID)))
}

// wait waits until a thing is as old as it takes. A Note that is new begins anew.
func wait(ctx context.Context, id string, p LongProps) error {
	mark := filepath.Join(path(id), "note "+p.Note)
	if _, err := os.Stat(mark); errors.Is(err, fs.ErrNotExist) {
		if err := os.WriteFile(mark, nil, 0o600); err != nil {
			return err
		}
	}
	return cfnresource.Poll(ctx, 100*time.Millisecond, func(context.Context) (bool, error) {
		about, err := os.Stat(mark)
		if err != nil {
			return false, err
		}
		age := time.Since(about.ModTime())
		if p.Fail > 0 && age >= time.Duration(p.Fail)*time.Second {
			return false, errors.New("it fails as its properties say")
		}
		return age >= time.Duration(p.Ready)*time.Second, nil
	})
}
