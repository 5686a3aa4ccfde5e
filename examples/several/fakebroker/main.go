// Fakebroker serves as much of RabbitMQ's management API as the example uses, for
// trying the handlers without a broker. It keeps what it is told in a file.
//
//	go run ./fakebroker -addr 127.0.0.1:15672 -state fakebroker.json
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/cfnresource/sdk-go/examples/several/fakebroker/server"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:15672", "`address` to listen on")
	path := flag.String("state", "fakebroker.json", "`file` that keeps what there is")
	flag.Parse()
	if err := serve(*addr, *path); err != nil {
		fmt.Fprintln(os.Stderr, "fakebroker:", err)
		os.Exit(1)
	}
}

// serve serves until the program is ended.
func serve(addr, path string) error {
	broker, err := server.New(path)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "serving http://%s, what there is in %s\n", listener.Addr(), path)
	srv := &http.Server{Handler: broker, ReadHeaderTimeout: 10 * time.Second}
	return srv.Serve(listener)
}
