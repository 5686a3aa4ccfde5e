// Package blackbox tests the SDK from outside: it runs a handler's process as Lambda
// does, and receives its answers as Amazon S3 does behind CloudFormation's signed URLs.
// Only the handler, which is package blackbox_test, imports the SDK, and internal/answercheck
// shares no code with it, so that both cannot contain the same wrong field name.
//
// In the order in which an event passes them:
//
//	event_test.go        the event, as CloudFormation sends it
//	authorize_test.go    its signed URL, and the check of the signature
//	function_test.go     asynchronous invocation: retries, the on-failure destination
//	environment_test.go  one process, and the Runtime API that it talks to
//	handler_*_test.go    the process
//	bucket_test.go       a proxy, and behind it the response bucket
//	faults_test.go       what the bucket and the network do wrong
//	judge_test.go        what CloudFormation makes of the answer, and what a case expects
//
// A case is run (run_test.go), and its result is checked (judge_test.go). The cases are in the files
// cases_*_test.go.
package blackbox

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

// folder is for the files of a run.
var folder string

func TestMain(m *testing.M) {
	flag.Parse()
	// The cases wait for deadlines, not for processors.
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if folder, err = os.MkdirTemp("", "blackbox"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(folder) }()
	return m.Run()
}

func allCases() []testCase {
	return slices.Concat(handlerCases(), s3Cases(), eventCases(), envelopeCases(), identityCases())
}

// In each case CloudFormation gets one valid answer in time, with the right ID, and
// nothing is sent elsewhere. By default the test runs every tenth case.
func TestEveryEventIsAnsweredOnce(t *testing.T) {
	for _, c := range testrun.Sample(10, allCases()) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if faults, log := runCase(t, c); len(faults) > 0 {
				t.Errorf("%s\nlog:\n%s", strings.Join(faults, "\n"), tail(log, 3000))
			}
		})
	}
}

func TestCaseNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range allCases() {
		if seen[c.name] {
			t.Errorf("%q is there twice", c.name)
		}
		seen[c.name] = true
	}
}

func tail(s string, n int) string {
	if len(s) > n {
		return "… " + s[len(s)-n:]
	}
	return s
}

// A testCase is a sequence of events about one resource, with the expected results.
type testCase struct {
	name       string
	kind       string        // of handler; "" is named
	region     string        // "" is us-west-2
	timeout    time.Duration // of the function; 0 is 8 s, of which less than one is for the answer
	env        []string      // beside the usual
	hosts      []string      // that lead to the bucket beside CloudFormation's
	latency    time.Duration // of the network, one way
	newProcess bool          // a new process for each delivery
	thingsLeft string        // how many things there are in the end; "" is any number
	steps      []step
}

// A step is an event with its faults and the expected result.
type step struct {
	event
	also              []event // in the same notification
	sns               bool    // comes as a notification
	faults            []fault // of the bucket, request by request
	connects          []fault // of the way to it, connection by connection
	attemptsOffline   int     // the number of first attempts without a network
	attemptsWithoutS3 int     // the number of first attempts that S3 does not answer

	status                string         // SUCCESS, FAILED, or one of those below
	id                    string         // see wantID
	replaces              bool           // the answer's ID may differ from the event's
	reason                []string       // substrings of the Reason, or of the log if there is no answer
	data                  map[string]any // attributes that the answer has
	noEcho                bool           //
	calls                 string         // of the handler; "*" is any
	attempts              int            // of Lambda's; 0 is one, -1 any number
	answeredByDestination bool           // whether the on-failure destination answers
	maxTime               time.Duration  // the maximum until the answer; 0 is any
}

const (
	// either is an answer with either status.
	either = "either"
	// eitherOrNone is for an event that CloudFormation never sends: an answer with
	// either status, or none.
	eitherOrNone = "either, or none"
	// unanswerable is for an event that cannot be answered. The invocation must fail
	// at once, without calls of the handler and without requests.
	unanswerable = "nobody"
	// expired is for an event that CloudFormation no longer waits for, and whose URL
	// has expired. The handler must not be called.
	expired = "late"
)

// runCase runs a case, and returns its mistakes. It stops at the first step without an
// answer, since the next step may need its ID.
func runCase(t testing.TB, c testCase) (faults []string, log string) {
	t.Helper()
	// Defaults.
	region, timeout := c.region, c.timeout
	if region == "" {
		region = "us-west-2"
	}
	if timeout == 0 {
		timeout = time.Duration(testrun.Share(6, 8)) * time.Second
	}
	kind := c.kind
	if kind == "" {
		kind = "named"
	}

	// S3, whose faults last for so many attempts, and the function.
	var attempt atomic.Int64
	var offline, hanging atomic.Int64
	b := &bucket{
		hosts: append(hostsOf(region), c.hosts...), latency: c.latency,
		offline: func() bool { return attempt.Load() <= offline.Load() },
		hanging: func() bool { return attempt.Load() <= hanging.Load() },
	}
	b.start(t)
	state := filepath.Join(t.TempDir(), "things")
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	f := &function{
		binary: os.Args[0], timeout: timeout, newProcess: c.newProcess, t: t, log: newLog(t),
		env:           append(lambdaEnvironment(region, b.proxyURL, mustAuthority(t).file), append(c.env, "KIND="+kind, "STATE="+state)...),
		beforeAttempt: func() { attempt.Add(1) },
	}

	var answered []string
	var last *delivery
	for n, s := range c.steps {
		// The event, and those that are delivered with it.
		d := last
		if !s.repeat {
			d = s.deliver(n*10, region, answered)
		}
		all := []*delivery{d}
		messages := []string{string(d.payload)}
		for i, e := range s.also {
			other := e.deliver(n*10+i+1, region, answered)
			all, messages = append(all, other), append(messages, string(other.payload))
		}
		payload := d.payload
		if s.sns {
			payload = notification(messages...)
		}
		last = d

		// The delivery.
		b.setFaults(s.faults, s.connects)
		attempt.Store(0)
		offline.Store(int64(s.attemptsOffline))
		hanging.Store(int64(s.attemptsWithoutS3))
		f.attempts, f.failures = nil, nil
		logged := len(f.log.String())

		start := time.Now()
		f.deliver(context.Background(), fmt.Sprintf("8476a536-e9f4-11e8-9739-%012d", n), payload)
		took := time.Since(start)

		// What became of it.
		p := &stepCheck{step: s, where: fmt.Sprintf("step %d (%s): ", n+1, s.request)}
		calls := handlerCalls(f.log.String()[logged:])
		id := ""
		for i, d := range all {
			if got := p.answer(d, b, answered); i == 0 {
				id = got
			}
		}
		answered = append(answered, id)
		p.delivery(f, calls, took, f.log.String()[logged:])
		if s.status == unanswerable {
			if sent := b.networkUse(); sent != "" {
				p.fault("something was sent: %s", sent)
			}
		}
		if strangers := b.otherHosts(); len(strangers) > 0 {
			p.fault("other hosts were asked for: %q", strangers)
		}
		p.secrets(all, f, b)
		faults = append(faults, p.faults...)
		if id == "" && s.status != unanswerable && s.status != expired {
			break
		}
	}
	if left, err := os.ReadDir(state); c.thingsLeft != "" && (err != nil || fmt.Sprint(len(left)) != c.thingsLeft) {
		faults = append(faults, fmt.Sprintf("%d things are left, want %s", len(left), c.thingsLeft))
	}
	return faults, f.log.String()
}

// lambdaEnvironment returns the environment of a function that reaches the network
// only through a proxy.
func lambdaEnvironment(region, proxyURL, ca string) []string {
	return []string{
		"AWS_REGION=" + region, "AWS_DEFAULT_REGION=" + region,
		"AWS_LAMBDA_FUNCTION_NAME=provider", "AWS_LAMBDA_FUNCTION_VERSION=$LATEST", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE=128",
		"AWS_LAMBDA_LOG_GROUP_NAME=/aws/lambda/provider", "AWS_LAMBDA_LOG_STREAM_NAME=2026/05/01/[$LATEST]0b1c5e5d0e5c3a9a53c1f0c7f6c1d",
		"AWS_LAMBDA_INITIALIZATION_TYPE=on-demand", "AWS_EXECUTION_ENV=AWS_Lambda_provided.al2023", "_HANDLER=bootstrap", "TZ=:UTC",
		"HTTPS_PROXY=" + proxyURL, "HTTP_PROXY=" + proxyURL, "SSL_CERT_FILE=" + ca, "SSL_CERT_DIR=/nonexistent",
	}
}
