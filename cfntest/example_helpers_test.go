package cfntest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// lambdaDefault is the timeout of a function whose template sets none.
const lambdaDefault = 3 * time.Second

// runTest runs a test where there is none, quietly, and reports whether it passes.
func runTest(test func(t *testing.T)) (ok bool) {
	was := flag.Lookup("test.v").Value.String()
	_ = flag.Set("test.v", "false")
	defer func() { _ = flag.Set("test.v", was) }()
	return testing.RunTests(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "Inner", F: test}})
}

// exampleT stands in for a test's t where there is none.
func exampleT() *exampleTB { return new(exampleTB) }

type exampleTB struct{ testing.TB }

func (*exampleTB) Helper()                           {}
func (*exampleTB) Context() context.Context          { return context.Background() }
func (*exampleTB) Cleanup(func())                    {}
func (*exampleTB) Errorf(format string, args ...any) { log.Fatalf(format, args...) }
func (*exampleTB) Fatalf(format string, args ...any) { log.Fatalf(format, args...) }
func (*exampleTB) Fatal(args ...any)                 { log.Fatal(args...) }

func indent(object []byte) string {
	var b bytes.Buffer
	if err := json.Indent(&b, object, "", "  "); err != nil {
		log.Fatal(err)
	}
	return b.String()
}

// field returns a field of a field of an event.
func field(event []byte, path ...string) any {
	var value any
	if err := json.Unmarshal(event, &value); err != nil {
		log.Fatal(err)
	}
	for _, name := range path {
		fields, ok := value.(map[string]any)
		if !ok {
			log.Fatalf("%s is no object", name)
		}
		value = fields[name]
	}
	return value
}

// A test says why its event comes.
func ExampleWithPhase() {
	t := exampleT() // the test's own t
	report := cfnresource.Action(func(ctx context.Context, req *cfnresource.UpdateRequest[Topic]) (struct{}, error) {
		fmt.Println(req.Phase(ctx))
		return struct{}{}, nil
	})
	ctx := cfntest.WithPhase(context.Background(), lifecycle.PhaseCreating)
	cfntest.InvokeContext(ctx, t, cfnresource.New(report), cfntest.CreateEvent(Topic{Name: "orders"}))
	// Output: Creating
}

// A function that continues needs no more than this in a test. What this one waits for
// is ready at once.
func ExampleContinues() {
	t := exampleT() // the test's own t
	wait := cfnresource.Action(func(ctx context.Context, _ *cfnresource.UpdateRequest[Topic]) (struct{}, error) {
		ready := func(context.Context) (bool, error) { return true, nil }
		return struct{}{}, cfnresource.Poll(ctx, time.Second, ready)
	})
	function := func() cfntest.Function { return cfnresource.New(wait, cfntest.Continues) }
	got := cfntest.Invoke(t, function(), cfntest.CreateEvent(Topic{Name: "orders"}))
	fmt.Println(got.Status, got.Invocations)
	// Output: SUCCESS 1
}

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
