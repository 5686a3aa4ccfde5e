// Fakeissuer serves what the example looks up of an OpenID Connect provider, for
// trying it without a network. Its certificate is Go's own for tests, which
// nobody trusts who is not told to: it writes it to a file.
//
//	go run ./fakeissuer -addr 127.0.0.1:8086 -ca issuer.pem
package main

import (
	"context"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fakeissuer:", err)
		os.Exit(1) //nolint:gocritic // stop would only restore the signals
	}
}

// run serves until ctx ends.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("fakeissuer", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:8086", "`address` to listen on: a port of 127.0.0.1, for which the certificate is")
	ca := flags.String("ca", "issuer.pem", "`file` for the certificate")
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
	issuer := "https://" + listener.Addr().String()
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: provider(issuer), ReadHeaderTimeout: 10 * time.Second}}
	server.StartTLS()
	defer server.Close()
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(*ca, certificate, 0o600); err != nil {
		return err
	}
	fmt.Fprintf(out, "serving %s, certificate in %s\n", issuer, *ca)
	<-ctx.Done()
	return nil
}

// provider answers with the two documents that the look-up asks for.
func provider(issuer string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q}`, issuer, issuer+"/keys")
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"keys":[]}`) })
	return mux
}
