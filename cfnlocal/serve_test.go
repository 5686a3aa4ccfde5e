package main

import (
	"io"
	"net/http"
	"regexp"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// queryAPI sends a query to the API on the script's port, and looks for a pattern in the answer:
// query Action=ListStacks '<member>'. It retries until the server listens, or all tests are ended.
func queryAPI(ts *testscript.TestScript, neg bool, args []string) {
	url := "http://127.0.0.1:" + ts.Getenv("PORT") + "/?Version=2010-05-15&" + args[0]
	resp, err := http.Get(url)
	for tick := time.Tick(10 * time.Millisecond); err != nil; resp, err = http.Get(url) {
		<-tick
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	ts.Check(err)
	if regexp.MustCompile(args[1]).Match(body) == neg {
		ts.Fatalf("%s\n%s", resp.Status, body)
	}
}
