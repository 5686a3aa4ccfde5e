// Fakeacm serves a small AWS Certificate Manager, for trying the example without
// an account. It issues nothing, but says so after a while.
//
//	go run ./fakeacm -addr 127.0.0.1:8087 -state fakeacm.json -issued-after 5s
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

	"github.com/cfnresource/sdk-go/examples/certificate/fakeacm/server"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fakeacm:", err)
		os.Exit(1) //nolint:gocritic // stop would only restore the signals
	}
}

// run serves until ctx ends, and then lets the requests under way finish.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("fakeacm", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:8087", "`address` to listen on")
	path := flags.String("state", "fakeacm.json", "`file` that keeps the certificates")
	recordsAfter := flags.Duration("records-after", 2*time.Second, "`time` from a request to the records of its validation")
	issuedAfter := flags.Duration("issued-after", 5*time.Second, "`time` from a request to the certificate; 0 is never")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	acm, err := server.Open(*path)
	if err != nil {
		return err
	}
	acm.RecordsAfter, acm.IssuedAfter = *recordsAfter, *issuedAfter
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", *addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "serving http://%s, certificates in %s\n", listener.Addr(), *path)

	srv := &http.Server{Handler: acm, ReadHeaderTimeout: 10 * time.Second}
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
