// Fakebroker serves as much of RabbitMQ's management API as the example uses, for
// trying the handlers without a broker. It keeps what it is told in a file.
//
//	go run ./fakebroker -addr 127.0.0.1:15672 -state fakebroker.json
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

	"github.com/cfnresource/sdk-go/examples/several/fakebroker/server"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fakebroker:", err)
		os.Exit(1) //nolint:gocritic // stop would only restore the signals
	}
}

// run serves until ctx ends, and then lets the requests under way finish.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("fakebroker", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:15672", "`address` to listen on")
	path := flags.String("state", "fakebroker.json", "`file` that keeps what there is")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	broker, err := server.New(*path)
	if err != nil {
		return err
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", *addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "serving http://%s, what there is in %s\n", listener.Addr(), *path)

	srv := &http.Server{Handler: broker, ReadHeaderTimeout: 10 * time.Second}
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
