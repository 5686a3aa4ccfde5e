package cfnresource_test

import (
	"context"
	"encoding/json"
	"hash/maphash"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// A process answers each of very many events once, whatever its handler and the open of a Lazy do and
// however the bucket fails, and keeps no more in the end than after the first of them.
func TestSoak(t *testing.T) {
	testrun.OnlyThorough(t, "it takes minutes")
	const (
		all, first = 200_000, 10_000
		workers    = 64
		moreHeap   = 256 << 10 // that may be in use in the end: less than 1.4 bytes for each event
		moreParts  = 16        // goroutines: up to four connections are kept, each with four in the sender and in the bucket
	)
	b := &soakBucket{answers: make([]soakAnswer, all)}
	server := httptest.NewServer(b)
	defer server.Close()
	h := new(soaking)
	d := dispatcher(h, func(o *cfnresource.Options) {
		o.ResponseHosts, o.ResponseMargin = []string{server.URL}, 5*time.Second // which a busy machine may need
	})
	var lazies [all / lazyType]soakLazy
	for i := range lazies {
		lazies[i].soaking = h
		cfnresource.Handle(d, soakEvent(i*lazyType).lazyType(), cfnresource.Lazy(lazies[i].open))
	}

	// The workers take one event after another.
	play := func(from, to int) soakUse {
		var group sync.WaitGroup
		var next atomic.Int64
		next.Store(int64(from) - 1)
		for range workers {
			group.Go(func() {
				for n := int(next.Add(1)); n < to; n = int(next.Add(1)) {
					if err := soakEvent(n).invoke(t.Context(), d, server.URL); err != nil {
						t.Errorf("event %d: %v", n, err)
					}
				}
			})
		}
		group.Wait()
		h.running.Wait()
		return soakUsed()
	}
	began := time.Now()
	early := play(0, first)
	late := play(first, all)
	runtime.KeepAlive(d) // or what it keeps would be gone by then

	// Each event has the one answer that its handler leads to.
	lost, doubled := 0, 0
	for n := range b.answers {
		a, ev := &b.answers[n], soakEvent(n)
		if ev.isLazy() && a.stored > 0 && !a.success {
			lazies[n/lazyType].failed++
		}
		switch {
		case a.stored == 0:
			lost++
		case a.differ || a.stored > 1 && !ev.mayRepeat():
			doubled++
			t.Errorf("event %d, whose handler %s, is answered %d times, with one text: %v", n, ev.does(), a.stored, !a.differ)
		case !ev.isLazy() && a.success != (ev.does() == doesSucceeds):
			t.Errorf("event %d, whose handler %s, is answered with success: %v", n, ev.does(), a.success)
		}
	}
	// A call of open fails its own event, or none if another one is in time.
	failed := 0
	for i := range lazies {
		l := &lazies[i]
		if failed += l.failed; l.failed > 3 || l.calls.Load() < 4 {
			t.Errorf("Lazy %d: %d events failed, and open was called %d times", i, l.failed, l.calls.Load())
		}
	}
	t.Logf("%d events went to %d handlers whose open hangs, fails, panics and works: %d of them failed", all/lazyEach, len(lazies), failed)
	t.Logf("%d events in %s: %d lost, %d doubled; after the first %d %+v, in the end %+v", all, time.Since(began).Round(time.Second), lost, doubled, first, early, late)
	if lost > 0 || doubled > 0 {
		t.Errorf("%d answers are lost, and %d events have several", lost, doubled)
	}
	if late.heap > early.heap+moreHeap || late.goroutines > early.goroutines+moreParts {
		t.Errorf("after the first %d events %+v, in the end %+v", first, early, late)
	}
}

// A soakEvent is the number of an event, from which all else about it follows.
type soakEvent int

// What the handler does.
const (
	doesSucceeds = "succeeds"
	doesFails    = "fails"
	doesPanics   = "panics"
	doesExits    = "ends its goroutine"
	doesWaits    = "waits until its time is over"
	doesHangs    = "ignores the end of its time"
)

func (n soakEvent) does() string {
	switch n % 2000 {
	case 18:
		return doesWaits
	case 1018:
		return doesHangs
	}
	if does, ok := map[soakEvent]string{1: doesFails, 4: doesPanics, 7: doesExits}[n%10]; ok {
		return does
	}
	return doesSucceeds
}

// What the bucket does with the first PUT. It stores one whose reply is lost.
const (
	refuses    = "503"
	breaks     = "breaks the connection"
	losesReply = "loses the reply"
)

func (n soakEvent) fault() string {
	return map[soakEvent]string{5: refuses, 55: breaks, 95: losesReply}[n%100]
}

// mayRepeat reports whether the same answer may be sent again: its reply is lost, or later than
// an attempt waits for where little time is left.
func (n soakEvent) mayRepeat() bool { return n.fault() == losesReply || n.timeout() < time.Minute }

// isLazy reports whether the event goes to a soakLazy, and not to the handler that is there at once.
// There is another one for each so many events.
func (n soakEvent) isLazy() bool { return n%lazyEach == 13 }

const lazyEach, lazyType = 50, 10_000

// lazyType is the resource type of those events around this one that go to a soakLazy.
func (n soakEvent) lazyType() string { return "Custom::Lazy" + strconv.Itoa(int(n/lazyType)) }

// timeout is that of the function, half of which a handler has that hangs.
func (n soakEvent) timeout() time.Duration {
	if does := n.does(); does == doesWaits || does == doesHangs || n.isLazy() {
		return 10 * time.Second
	}
	return time.Minute
}

func (n soakEvent) invoke(ctx context.Context, d invoker, bucket string) error {
	ctx, cancel := context.WithTimeout(ctx, n.timeout())
	defer cancel()
	name := strconv.Itoa(int(n))
	_, query, _ := strings.Cut(signedURL(time.Now(), name), "?")
	fields := object{"RequestId": name, "LogicalResourceId": "Topic" + name, "ResponseURL": bucket + "/answers/" + name + "?" + query}
	kind := []string{"Create", "Update", "Delete"}[n%3]
	if n.isLazy() {
		fields["ResourceType"] = n.lazyType()
	}
	if kind != "Create" {
		fields["PhysicalResourceId"] = "svc-" + name
	}
	_, err := d.Invoke(ctx, event(kind, fields)())
	return err
}

// soaking is a handler that does what an event asks for.
type soaking struct{ running sync.WaitGroup } // its methods, also those that were given up

func (s *soaking) do(ctx context.Context, requestID string) error {
	s.running.Add(1)
	defer s.running.Done()
	n, err := strconv.Atoi(requestID)
	if err != nil {
		return err
	}
	switch soakEvent(n).does() {
	case doesFails:
		return errSome
	case doesPanics:
		panic("the handler is in a bad mood")
	case doesExits:
		runtime.Goexit()
	case doesWaits:
		<-ctx.Done()
		return ctx.Err()
	case doesHangs:
		<-time.After(11 * time.Second)
	}
	return nil
}

func (s *soaking) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	req.Created("svc-" + req.RequestID)
	return data{"Size": req.Properties.Size}, s.do(ctx, req.RequestID)
}

func (s *soaking) Update(ctx context.Context, req *cfnresource.UpdateRequest[props]) (data, error) {
	return data{"Size": req.Properties.Size}, s.do(ctx, req.RequestID)
}

func (s *soaking) Delete(ctx context.Context, req *cfnresource.DeleteRequest[props]) error {
	return s.do(ctx, req.RequestID)
}

// A soakLazy opens a soaking handler for some of the events: the first calls of its open hang, fail and
// panic.
type soakLazy struct {
	*soaking
	calls  atomic.Int64 // of open
	failed int          // events
}

func (l *soakLazy) open(context.Context) (*soaking, error) {
	l.running.Add(1)
	defer l.running.Done()
	switch l.calls.Add(1) {
	case 1:
		<-time.After(11 * time.Second) // longer than its event has
		return nil, errSome
	case 2:
		return nil, errSome
	case 3:
		panic("open is in a bad mood")
	}
	return l.soaking, nil
}

// A soakBucket keeps of each answer what there is to be asked, in memory that it has from the beginning.
type soakBucket struct {
	mu      sync.Mutex
	answers []soakAnswer
}

type soakAnswer struct {
	puts, stored int32
	success      bool
	hash         uint64 // of the first body
	differ       bool   // another body had another hash
}

var soakSeed = maphash.MakeSeed()

func (b *soakBucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(path.Base(r.URL.Path))
	body, readErr := io.ReadAll(r.Body)
	var a answer
	if err != nil || readErr != nil || json.Unmarshal(body, &a) != nil || a.RequestId != strconv.Itoa(n) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	fault := b.put(n, a.Status == "SUCCESS", maphash.Bytes(soakSeed, body))
	switch fault {
	case refuses:
		w.WriteHeader(http.StatusServiceUnavailable)
	case breaks, losesReply:
		panic(http.ErrAbortHandler)
	}
}

// put stores an answer, and returns what goes wrong with that.
func (b *soakBucket) put(n int, success bool, hash uint64) (fault string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := &b.answers[n]
	if a.puts++; a.puts == 1 {
		fault = soakEvent(n).fault()
	}
	if fault == refuses || fault == breaks {
		return fault
	}
	a.differ = a.differ || a.stored > 0 && a.hash != hash
	a.success, a.hash = success, hash
	a.stored++
	return fault
}

// A soakUse is what this process has in use.
type soakUse struct {
	heap       uint64
	goroutines int
}

func soakUsed() soakUse {
	runtime.GC()
	runtime.GC() // what the first one only finalized
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return soakUse{m.HeapAlloc, runtime.NumGoroutine()}
}
