package cfntest_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

// A shelf is the service of the tests of Stack: books by their names.
type shelf struct {
	mu    sync.Mutex
	books map[string]int // pages
	takes time.Duration  // each effect
	over  func()         // called at the begin of Create, if set
}

var errOnShelf = errors.New("there is such a book")

func (s *shelf) put(ctx context.Context, name string, pages int, anew bool) error {
	if err := cfntest.Step(ctx); err != nil {
		return err
	}
	<-time.After(s.takes)
	s.mu.Lock()
	_, there := s.books[name]
	if there && anew {
		s.mu.Unlock()
		return errOnShelf
	}
	s.books[name] = pages
	s.mu.Unlock()
	return cfntest.Step(ctx)
}

func (s *shelf) remove(ctx context.Context, name string) error {
	if err := cfntest.Step(ctx); err != nil {
		return err
	}
	<-time.After(s.takes)
	s.mu.Lock()
	delete(s.books, name)
	s.mu.Unlock()
	return cfntest.Step(ctx)
}

func (s *shelf) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.books))
}

type bookProps struct {
	Title string `cfn:"createOnly"`
	Pages int
}

type bookData struct{ Pages int }

// A librarian is a right handler.
type librarian struct{ *shelf }

func (l librarian) Create(ctx context.Context, req *cfnresource.CreateRequest[bookProps]) (data bookData, err error) {
	if l.over != nil {
		l.over()
	}
	id := req.StableID()
	if err := l.put(ctx, id, req.Properties.Pages, true); errors.Is(err, errOnShelf) {
		return data, cfnresource.AlreadyExists(id)
	} else if err != nil {
		return data, err
	}
	req.Created(id)
	data.Pages = req.Properties.Pages
	return data, nil
}

func (l librarian) Update(ctx context.Context, req *cfnresource.UpdateRequest[bookProps]) (data bookData, err error) {
	data.Pages = req.Properties.Pages
	return data, l.put(ctx, req.PhysicalID, req.Properties.Pages, false)
}

func (l librarian) Delete(ctx context.Context, req *cfnresource.DeleteRequest[bookProps]) error {
	return l.remove(ctx, req.PhysicalID)
}

// library returns a shelf and the function whose processes look after it.
func library() (*shelf, cfntest.Service) {
	s := &shelf{books: make(map[string]int)}
	return s, cfntest.Service{Function: func() cfntest.Function { return cfnresource.New(librarian{s}, quietly) }}
}

// book is a template with one book.
func book(title string, pages int) cfntest.Template {
	return cfntest.Template{"Book": {Type: "Custom::Book", Properties: bookProps{title, pages}}}
}

// stories are printed if a test fails.
func tellOnFailure(t *testing.T, s *cfntest.Stack) {
	t.Helper()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("\n%s", s.Story())
		}
	})
}
