package engine_test

import (
	"bytes"
	"testing"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/internal/cfn/engine/enginetest"
)

func mustTemplate(t testing.TB, text string) *engine.Template {
	t.Helper()
	template, err := enginetest.ParseTemplate(text)
	if err != nil {
		t.Fatal(err)
	}
	return template.Engine()
}

// withoutToken leaves the ServiceToken out of properties if it is that of the tests, to
// make expectations readable.
func withoutToken(p engine.Properties) string {
	quoted := `"ServiceToken":"` + enginetest.Token + `"`
	b := []byte(p)
	for _, form := range []string{quoted + ",", "," + quoted, quoted} {
		if i := bytes.Index(b, []byte(form)); i >= 0 {
			return string(b[:i]) + string(b[i+len(form):])
		}
	}
	return string(b)
}
