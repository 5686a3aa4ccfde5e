package cfntest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/cfnresource/sdk-go/cfntest"
)

// A real client with this transport has a step around each of its requests, at which the kit can
// let the process die or the service fail. Outside of the kit it is the transport that it was.
func ExampleSteps() {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, r.Method)
	}))
	defer service.Close()
	client := &http.Client{Transport: cfntest.Steps(http.DefaultTransport)}
	reply, err := client.Get(service.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = reply.Body.Close() }()
	fmt.Println(reply.Status)
	// Output: 200 OK
}
