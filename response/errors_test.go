package response

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// An error says what its reader can do about it, and nothing where that is not known.
func TestAdvice(t *testing.T) {
	s := NewSender("eu-west-1", SenderOptions{Hosts: []string{"bench.example"}})
	for _, tt := range []struct {
		name, host string
		err        error
		want       string
	}{
		{"no connection", bucketEU, &networkError{connect: true, err: errors.New("x")}, "NAT gateway"},
		{"no response", bucketEU, &networkError{err: errors.New("x")}, ""},
		{"no connection to a listed host", "bench.example", &networkError{connect: true, err: errors.New("x")}, ""},
		{"refused", bucketEU, &StatusError{http.StatusForbidden, "AccessDenied"}, "two hours"},
		{"changed on the way", bucketEU, &StatusError{http.StatusForbidden, "SignatureDoesNotMatch"}, "proxy"},
		{"refused after a redirect", bucketEU, fmt.Errorf("%w, x", &StatusError{http.StatusForbidden, ""}), "two hours"},
		{"S3 in trouble", bucketEU, &StatusError{http.StatusServiceUnavailable, "SlowDown"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := s.advice(mustParse(t, "https://"+tt.host+"/").get(), tt.err)
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("advice = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestStatusErrorText(t *testing.T) {
	for want, err := range map[string]*StatusError{
		"403 AccessDenied":        {403, "AccessDenied"},
		"503 Service Unavailable": {503, ""},
		"599 (unknown status)":    {599, ""},
	} {
		if err.Error() != want {
			t.Errorf("got %q, want %q", err.Error(), want)
		}
	}
}
