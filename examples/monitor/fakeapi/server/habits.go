package server

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Habits are what makes the API harder to use than a map.
type Habits struct {
	// Lag is how old what a list shows is: it does not show what was just made, and shows what was
	// just deleted. Reading one thing by its number does not lag.
	Lag time.Duration
	// Ready is how long after it was made a monitor is provisioning.
	Ready time.Duration
	// Rate is how many requests are answered in any second; others get 429 and
	// a Retry-After. Zero is any number.
	Rate int
}

// limited answers a request that is one too many.
func (s *Store) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if wait := s.take(); wait > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
			answer(w, 0, nil, problem{http.StatusTooManyRequests, "too many requests"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// take counts a request, or returns how long to wait for there to be room.
func (s *Store) take() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.calls = slices.DeleteFunc(s.calls, func(t time.Time) bool { return now.Sub(t) >= time.Second })
	if s.habits.Rate > 0 && len(s.calls) >= s.habits.Rate {
		return s.calls[0].Add(time.Second).Sub(now)
	}
	s.calls = append(s.calls, now)
	return 0
}
