package note

import (
	"os"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

func TestNote(t *testing.T) {
	cfntest.TestHandler(t, cfntest.Contract{
		New: func(t testing.TB) cfntest.Service {
			note := &Note{dir: t.TempDir()}
			return cfntest.Service{
				Function: func() cfntest.Function { return cfnresource.New(note) },
				State: func(id string) any {
					text, err := os.ReadFile(note.path(id))
					if err != nil {
						return nil // there is no such note
					}
					return string(text)
				},
			}
		},
		Properties: Props{Board: "kitchen", Text: "Buy milk"},
		InPlace:    Props{Board: "kitchen", Text: "Buy bread"},
		Replacing:  Props{Board: "office", Text: "Buy milk"},
		Skip:       map[string]string{"steps-around-effects": "the handler writes files itself"},
	})
}
