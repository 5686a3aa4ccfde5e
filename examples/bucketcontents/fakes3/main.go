// Fakes3 serves the part of Amazon S3 that the example needs, for trying the
// handler without an account anywhere. It holds every bucket that something is
// put into, believes every signature, prints what it is asked for, and forgets
// everything when it ends.
//
//	go run ./fakes3 -addr 127.0.0.1:8086
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/cfnresource/sdk-go/examples/bucketcontents/fakes3/server"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fakes3:", err)
		os.Exit(1) //nolint:gocritic // stop would only restore the signals
	}
}

// run serves until ctx ends, and then lets the requests under way finish.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("fakes3", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:8086", "`address` to listen on")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", *addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "serving http://%s\n", listener.Addr())

	s3 := &server.Server{AnyBucket: true}
	printing := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(out, r.Method, r.URL)
		s3.ServeHTTP(w, r)
	})
	srv := &http.Server{Handler: printing, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return srv.Shutdown(grace)
}
