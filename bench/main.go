// Command bench compares this SDK with aws-lambda-go's cfn package and with the
// floor below which nobody can go, and prints one table. Whatever is compared
// takes turns, so that what else the machine does meets all alike; a ratio is
// that of the medians of one run, and its spread that of the runs.
//
//	go run .                 about two minutes
//	go run . -quick          a few seconds: does it work?
//	go run . -only decoding  one part: dispatch, warm, answer, binaries or decoding
//
// It runs on Linux, on loopback, and needs nothing installed.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
)

func main() {
	quick := flag.Bool("quick", false, "take few samples")
	only := flag.String("only", "", "measure this part only: dispatch, warm, answer, binaries or decoding")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, sampleSizes{*quick}, *only)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, e sampleSizes, only string) error {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	b, err := newBucket(dir)
	if err != nil {
		return err
	}
	defer b.Close()

	// Measure each part that is asked for.
	var rows []row
	for _, part := range []struct {
		name    string
		measure func(context.Context, *bucket, string, sampleSizes) ([]row, error)
	}{
		{"dispatch", dispatch}, {"warm", warm}, {"answer", firstAnswer}, {"binaries", binaries}, {"decoding", decoding},
	} {
		if only != "" && only != part.name {
			continue
		}
		more, err := part.measure(ctx, b, dir, e)
		if err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		rows = append(rows, more...)
	}
	if len(rows) == 0 {
		return fmt.Errorf("there is no part %q", only)
	}
	fmt.Printf("%s, %s/%s, %d CPUs\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	printTable(os.Stdout, rows)
	return nil
}
