// Fakeapi serves the API that the example's handler manages monitors of, for
// trying the handler without an account anywhere. It keeps its monitors in a
// file, numbers them itself, and watches nothing. A monitor takes a while to get
// ready.
//
//	API_TOKEN=secret go run ./fakeapi -addr 127.0.0.1:8087 -state fakeapi.json
//
// If the environment variable API_TOKEN is set, requests must bear it.
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

	"github.com/cfnresource/sdk-go/examples/registered/fakeapi/server"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Getenv("API_TOKEN"), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fakeapi:", err)
		os.Exit(1) //nolint:gocritic // stop would only restore the signals
	}
}

// run serves until ctx ends, and then lets the requests under way finish.
func run(ctx context.Context, args []string, token string, out io.Writer) error {
	flags := flag.NewFlagSet("fakeapi", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:8087", "`address` to listen on")
	path := flags.String("state", "fakeapi.json", "`file` that keeps the monitors")
	ready := flags.Duration("ready", 20*time.Second, "how long a new monitor is provisioning")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	store, err := server.Open(*path, *ready)
	if err != nil {
		return err
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", *addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "serving http://%s, monitors in %s\n", listener.Addr(), *path)

	srv := &http.Server{Handler: server.New(store, token), ReadHeaderTimeout: 10 * time.Second}
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
