package cfntest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"log"
	"testing"
	"time"
)

// lambdaDefault is the timeout of a function whose template sets none.
const lambdaDefault = 3 * time.Second

// runTest runs a test where there is none, quietly, and reports whether it passes.
func runTest(test func(t *testing.T)) (ok bool) {
	was := flag.Lookup("test.v").Value.String()
	_ = flag.Set("test.v", "false")
	defer func() { _ = flag.Set("test.v", was) }()
	return testing.RunTests(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "Test", F: test}})
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
