// Fakeacm serves a small AWS Certificate Manager, for trying the example without
// an account. It issues nothing, but says so after a while.
//
//	go run ./fakeacm -addr 127.0.0.1:8087 -state fakeacm.json -issued-after 5s
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/cfnresource/sdk-go/examples/certificate/fakeacm/server"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8087", "`address` to listen on")
	path := flag.String("state", "fakeacm.json", "`file` that keeps the certificates")
	recordsAfter := flag.Duration("records-after", 2*time.Second, "`time` from a request to the records of its validation")
	issuedAfter := flag.Duration("issued-after", 5*time.Second, "`time` from a request to the certificate; 0 is never")
	flag.Parse()
	if err := serve(*addr, *path, *recordsAfter, *issuedAfter); err != nil {
		fmt.Fprintln(os.Stderr, "fakeacm:", err)
		os.Exit(1)
	}
}

// serve serves until the program is ended.
func serve(addr, path string, recordsAfter, issuedAfter time.Duration) error {
	acm, err := server.Open(path)
	if err != nil {
		return err
	}
	acm.RecordsAfter, acm.IssuedAfter = recordsAfter, issuedAfter
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "serving http://%s, certificates in %s\n", listener.Addr(), path)
	srv := &http.Server{Handler: acm, ReadHeaderTimeout: 10 * time.Second}
	return srv.Serve(listener)
}
