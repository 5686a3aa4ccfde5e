package blackbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

// play plays a case against a binary. It stops at the first step without the
// answer that the next may need.
func play(t testing.TB, c testCase, binary string, incumbent bool) (res result, log string) {
	t.Helper()
	region, timeout := c.region, c.timeout
	if region == "" {
		region = "us-west-2"
	}
	switch {
	case incumbent: // it keeps no time for the answer: more only takes longer
		timeout = 2 * time.Second
	case timeout == 0:
		timeout = time.Duration(testrun.Share(6, 8)) * time.Second
	}
	var attempt atomic.Int64
	var down, silent atomic.Int64
	b := &bucket{
		hosts: append(hostsOf(region), c.hosts...), latency: c.latency,
		down:   func() bool { return attempt.Load() <= down.Load() },
		silent: func() bool { return attempt.Load() <= silent.Load() },
	}
	b.start(t)
	state := filepath.Join(t.TempDir(), "things")
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	kind := c.kind
	if kind == "" {
		kind = "named"
	}
	f := &function{
		binary: binary, timeout: timeout, fresh: c.fresh, t: t, log: newLog(t), noDestination: incumbent,
		env:   append(lambdaEnvironment(region, b.proxyURL, mustAuthority(t).file), append(c.env, "KIND="+kind, "STATE="+state)...),
		begin: func() { attempt.Add(1) },
	}

	var answered []string
	var last *delivery
	for n, s := range c.steps {
		d := last
		if !s.again {
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
		b.script(s.faults, s.connects)
		attempt.Store(0)
		down.Store(int64(s.down))
		silent.Store(int64(s.silent))
		f.attempts, f.failures = nil, nil
		logged := len(f.log.String())

		start := time.Now()
		f.deliver(context.Background(), fmt.Sprintf("8476a536-e9f4-11e8-9739-%012d", n), payload)
		took := time.Since(start)

		p := &played{&res, s, fmt.Sprintf("step %d (%s): ", n+1, s.request), incumbent}
		calls := callsIn(f.log.String()[logged:])
		id := ""
		for i, d := range all {
			if got := p.answer(d, b, answered); i == 0 {
				id = got
			}
		}
		answered = append(answered, id)
		p.delivery(f, calls, took, f.log.String()[logged:])
		if s.status == nobody {
			if sent := b.untouched(); sent != "" {
				p.fault("something was sent: %s", sent)
			}
		}
		if strangers := b.strangers(); len(strangers) > 0 {
			p.fault("other hosts were asked for: %q", strangers)
		}
		p.secrets(all, f, b)
		if id == "" && s.status != nobody && s.status != late {
			break
		}
	}
	if left, err := os.ReadDir(state); c.things != "" && (err != nil || fmt.Sprint(len(left)) != c.things) {
		res.fault("%d things are left, want %s", len(left), c.things)
	}
	return res, f.log.String()
}

// lambdaEnvironment is the environment of a function that has no way out of
// its network but a proxy.
func lambdaEnvironment(region, proxyURL, ca string) []string {
	return []string{
		"AWS_REGION=" + region, "AWS_DEFAULT_REGION=" + region,
		"AWS_LAMBDA_FUNCTION_NAME=provider", "AWS_LAMBDA_FUNCTION_VERSION=$LATEST", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE=128",
		"AWS_LAMBDA_LOG_GROUP_NAME=/aws/lambda/provider", "AWS_LAMBDA_LOG_STREAM_NAME=2026/05/01/[$LATEST]0b1c5e5d0e5c3a9a53c1f0c7f6c1d",
		"AWS_LAMBDA_INITIALIZATION_TYPE=on-demand", "AWS_EXECUTION_ENV=AWS_Lambda_provided.al2023", "_HANDLER=bootstrap", "TZ=:UTC",
		"HTTPS_PROXY=" + proxyURL, "HTTP_PROXY=" + proxyURL, "SSL_CERT_FILE=" + ca, "SSL_CERT_DIR=/nonexistent",
	}
}
