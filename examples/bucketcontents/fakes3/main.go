// Fakes3 serves the part of Amazon S3 that the example needs, for trying the handler without an
// account anywhere. It holds every bucket that something is put into, believes every signature,
// prints what it is asked for, and forgets everything when it ends.
//
//	go run ./fakes3 -addr 127.0.0.1:8086
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/cfnresource/sdk-go/examples/bucketcontents/fakes3/server"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8086", "`address` to listen on")
	flag.Parse()
	if err := serve(*addr); err != nil {
		fmt.Fprintln(os.Stderr, "fakes3:", err)
		os.Exit(1)
	}
}

// serve serves until the program is ended.
func serve(addr string) error {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "serving http://%s\n", listener.Addr())

	s3 := &server.Server{AnyBucket: true}
	printing := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(os.Stdout, r.Method, r.URL)
		s3.ServeHTTP(w, r)
	})
	srv := &http.Server{Handler: printing, ReadHeaderTimeout: 10 * time.Second}
	return srv.Serve(listener)
}
