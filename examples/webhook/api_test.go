package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// By its code the dispatcher knows what to try again and what is gone.
func TestStatusesHaveCodes(t *testing.T) {
	for status, want := range map[int]cfnresource.Code{
		http.StatusNotFound:            cfnresource.CodeNotFound,
		http.StatusConflict:            cfnresource.CodeResourceConflict,
		http.StatusTooManyRequests:     cfnresource.CodeThrottling,
		http.StatusUnauthorized:        cfnresource.CodeInvalidCredentials,
		http.StatusForbidden:           cfnresource.CodeAccessDenied,
		http.StatusUnprocessableEntity: cfnresource.CodeInvalidRequest,
		http.StatusBadGateway:          cfnresource.CodeServiceInternalError,
	} {
		a := newAPI("https://api.example.com", token)
		a.client.Transport = inProcess{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "the API's own words", status)
		})}
		err := a.remove(t.Context(), "hook-1")
		if cfnresource.CodeOf(err) != want || err != nil && !strings.Contains(err.Error(), "the API's own words") {
			t.Errorf("status %d: code %q, want %q; error %v", status, cfnresource.CodeOf(err), want, err)
		}
	}
}

func TestAnAPIThatIsNotThereIsANetworkFailure(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	err := newAPI(srv.URL, token).remove(t.Context(), "hook-1")
	if cfnresource.CodeOf(err) != cfnresource.CodeNetworkFailure {
		t.Errorf("error %v has code %q", err, cfnresource.CodeOf(err))
	}
}

func TestTheEndOfTheContextCanBeSeen(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := newAPI("http://127.0.0.1:1", token).remove(ctx, "hook-1")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want one that wraps the context's", err)
	}
}
