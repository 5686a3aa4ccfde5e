package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// binaries measures functions as they are deployed: their size, the time from their start to their
// first request for work, which Lambda waits for on a cold start, and the most memory that they
// held until one event was answered. The floor is a function that answers nobody.
func binaries(ctx context.Context, b *bucket, dir string, e sampleSizes) ([]row, error) {
	// What is measured of each function.
	api := newRuntimeAPI()
	defer api.stop()
	var size, start, peak contenders
	for _, f := range []struct {
		name              string
		size, start, peak *sampler
	}{
		{"ours", &size.ours, &start.ours, &peak.ours},
		{"peer", &size.peer, &start.peer, &peak.peer},
		{"bare", &size.floor, &start.floor, &peak.floor},
	} {
		path := filepath.Join(dir, f.name)
		if err := build(ctx, path, "cmd/"+f.name+".go"); err != nil {
			return nil, err
		}
		*f.size = func() (float64, error) {
			info, err := os.Stat(path)
			if err != nil {
				return 0, err
			}
			return float64(info.Size()), nil
		}
		*f.start = func() (float64, error) { return api.startup(ctx, path) }
		*f.peak = func() (float64, error) { return api.memory(ctx, path, b) }
	}

	// A row for each measure.
	var rows []row
	for _, m := range []struct {
		measure string
		unit    func(float64) string
		c       contenders
		runs, n int
		target  float64
	}{
		{"binary", megabytes, size, 1, 1, 1.15},
		{"start to first request for work", milliseconds, start, e.of(10, 2), e.of(20, 3), 1.10},
		{"peak memory, one event answered", mebibytes, peak, e.of(5, 1), e.of(7, 2), 1.10},
	} {
		r, err := interleave(m.runs, m.n, m.c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.measure, err)
		}
		rows = append(rows, row{measure: m.measure, unit: m.unit, result: r, base: r.peer, baseName: "aws-lambda-go/cfn", target: m.target})
	}
	return rows, nil
}

// build builds a function for this machine as it is built for Lambda.
func build(ctx context.Context, path, file string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-tags", "lambda.norpc", "-trimpath", "-ldflags", "-s -w", "-o", path, file)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", file, err, out)
	}
	return nil
}

// A process is a function that runs.
type process struct {
	*exec.Cmd
	started time.Time
}

// launch starts a function with the environment that Lambda gives it.
func (a *runtimeAPI) launch(ctx context.Context, path string, env ...string) (*process, error) {
	cmd := exec.CommandContext(ctx, path)
	cmd.Env = append([]string{
		"AWS_LAMBDA_RUNTIME_API=" + a.host(),
		"AWS_LAMBDA_FUNCTION_NAME=bench",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE=128",
		"AWS_LAMBDA_FUNCTION_VERSION=$LATEST",
		"AWS_REGION=us-west-2",
		"_HANDLER=bootstrap",
		"SSL_CERT_FILE=" + os.Getenv("SSL_CERT_FILE"),
	}, env...)
	p := &process{cmd, time.Now()}
	return p, cmd.Start()
}

func (p *process) end() {
	_ = p.Process.Kill()
	_ = p.Wait()
}

// startup returns the seconds from a function's start to its first request.
func (a *runtimeAPI) startup(ctx context.Context, path string) (float64, error) {
	p, err := a.launch(ctx, path)
	if err != nil {
		return 0, err
	}
	defer p.end()
	asked, err := a.waitForRequest(ctx)
	return asked.Sub(p.started).Seconds(), err
}

// memory returns the most bytes that a function held until it had answered an
// event and asked for the next.
func (a *runtimeAPI) memory(ctx context.Context, path string, b *bucket) (float64, error) {
	p, err := a.launch(ctx, path, "CFNRESOURCE_RESPONSE_HOSTS="+b.host())
	if err != nil {
		return 0, err
	}
	defer p.end()
	if _, err := a.waitForRequest(ctx); err != nil {
		return 0, err
	}
	before := b.answers.Load()
	payload, _ := event(b.host())
	if err := a.send(ctx, payload); err != nil {
		return 0, err
	}
	if _, err := a.waitForRequest(ctx); err != nil {
		return 0, err
	}
	if filepath.Base(path) != "bare" && b.answers.Load() != before+1 {
		return 0, fmt.Errorf("%s did not answer the event", path)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if kB, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(kB), " kB"))
			return float64(n) * 1024, err
		}
	}
	return 0, fmt.Errorf("no VmHWM in %s", bytes.TrimSpace(status))
}
