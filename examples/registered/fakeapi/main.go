// Fakeapi serves the API that the example's handler manages monitors of, for trying the handler
// without an account anywhere. It keeps its monitors in a file, numbers them itself, and watches
// nothing. A monitor takes a while to get ready.
//
//	API_TOKEN=secret go run ./fakeapi -addr 127.0.0.1:8087 -state fakeapi.json
//
// If the environment variable API_TOKEN is set, requests must bear it.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/cfnresource/sdk-go/examples/registered/fakeapi/server"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8087", "`address` to listen on")
	path := flag.String("state", "fakeapi.json", "`file` that keeps the monitors")
	ready := flag.Duration("ready", 20*time.Second, "how long a new monitor is provisioning")
	flag.Parse()
	if err := serve(*addr, *path, *ready); err != nil {
		fmt.Fprintln(os.Stderr, "fakeapi:", err)
		os.Exit(1)
	}
}

// serve serves until the program is ended.
func serve(addr, path string, ready time.Duration) error {
	store, err := server.Open(path, ready)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "serving http://%s, monitors in %s\n", listener.Addr(), path)
	srv := &http.Server{Handler: server.New(store, os.Getenv("API_TOKEN")), ReadHeaderTimeout: 10 * time.Second}
	return srv.Serve(listener)
}
