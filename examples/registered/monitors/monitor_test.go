package monitors

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/examples/registered/fakeapi/server"
	"github.com/cfnresource/sdk-go/registry"
)

// What another program made is read by its number alone, as an import does, and
// its secret stays where it is.
func TestReadOfWhatIsImported(t *testing.T) {
	_, start := newService(t, 0)
	m := start()
	api, err := m.API(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := api.create(t.Context(), "", settingsOf(orders)); err != nil {
		t.Fatal(err)
	}
	got, err := m.Read(t.Context(), &registry.ReadRequest{PhysicalID: "1001"})
	if err != nil {
		t.Fatal(err)
	}
	want := registry.Model[Props, Data]{
		Properties: Props{URL: orders.URL, Seconds: orders.Seconds},
		Data:       Data{"https://api.example.com/dashboards/1001"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Read (-want +got):\n%s", diff)
	}
	if _, err := m.Read(t.Context(), &registry.ReadRequest{PhysicalID: "1002"}); cfnresource.CodeOf(err) != cfnresource.CodeNotFound {
		t.Errorf("Read of what is not there returned %v", err)
	}
}

// Each monitor is on one page, also when the last page is full.
func TestListHasPages(t *testing.T) {
	for _, n := range []int{0, 1, pageSize, pageSize + 1, 2 * pageSize} {
		_, start := newService(t, 0)
		m := start()
		api, err := m.API(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for i := range n {
			want = append(want, fmt.Sprint(1001+i))
			if _, err := api.create(t.Context(), "", settingsOf(orders)); err != nil {
				t.Fatal(err)
			}
		}
		next := ""
		for range n + 2 {
			var ids []string
			if ids, next, err = m.List(t.Context(), &registry.ListRequest{NextToken: next}); err != nil {
				t.Fatal(err)
			}
			if got = append(got, ids...); next == "" {
				break
			}
		}
		if !slices.Equal(got, want) || next != "" {
			t.Errorf("of %d monitors the pages hold %q, and the last one's token is %q", n, got, next)
		}
	}
	_, start := newService(t, 0)
	if _, _, err := start().List(t.Context(), &registry.ListRequest{NextToken: "page two"}); cfnresource.CodeOf(err) != cfnresource.CodeInvalidRequest {
		t.Errorf("a token that is none: %v", err)
	}
}

// Create names what it made before it waits.
func TestCreateNamesWhatItMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, start := newService(t, 4*time.Second)
		req := &cfnresource.CreateRequest[Props]{Properties: orders}
		if _, err := start().Create(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		want := []server.Monitor{{
			ID: 1001, State: "active", URL: string(orders.URL), Seconds: int(orders.Seconds), Labels: map[string]string{label: req.StableID()},
		}}
		if diff := cmp.Diff(want, store.Monitors()); diff != "" || req.CreatedID() != "1001" {
			t.Errorf("created %q, and there are (-want +got):\n%s", req.CreatedID(), diff)
		}
	})
}

// By its code the SDK knows what to try again and what is gone.
func TestStatusesHaveCodes(t *testing.T) {
	for status, want := range map[int]cfnresource.Code{
		http.StatusNotFound:        cfnresource.CodeNotFound,
		http.StatusTooManyRequests: cfnresource.CodeThrottling,
		http.StatusBadGateway:      cfnresource.CodeServiceInternalError,
	} {
		a := NewAPI("https://api.example.com/", "token")
		a.client.Transport = inProcess{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "the API's own words", status)
		})}
		err := a.remove(t.Context(), "1001")
		if cfnresource.CodeOf(err) != want || !strings.Contains(err.Error(), "the API's own words") {
			t.Errorf("status %d: code %q, want %q; error %v", status, cfnresource.CodeOf(err), want, err)
		}
	}
}
