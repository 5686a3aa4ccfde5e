// Fakeapi serves the API that the example's handler manages webhooks of, for
// trying the handler without an account anywhere. It keeps its monitors in a
// file, numbers them itself, and watches nothing. Its lists lag, its monitors
// take a while to get ready, and it takes so many requests a second.
//
//	API_TOKEN=secret go run ./fakeapi -addr 127.0.0.1:8086 -state fakeapi.json
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

	"github.com/cfnresource/sdk-go/examples/monitor/fakeapi/server"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8086", "`address` to listen on")
	path := flag.String("state", "fakeapi.json", "`file` that keeps the monitors")
	var habits server.Habits
	flag.DurationVar(&habits.Lag, "lag", 3*time.Second, "how old what a list shows is")
	flag.DurationVar(&habits.Ready, "ready", 20*time.Second, "how long a new monitor is provisioning")
	flag.IntVar(&habits.Rate, "rate", 10, "how many `requests` a second are answered")
	flag.Parse()
	if err := serve(*addr, *path, habits); err != nil {
		fmt.Fprintln(os.Stderr, "fakeapi:", err)
		os.Exit(1)
	}
}

// serve serves until the program is ended.
func serve(addr, path string, habits server.Habits) error {
	store, err := server.Open(path, habits)
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
