package local

import (
	"errors"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/api"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// An order that cannot be kept is refused: its client would find the stack at rest, and take the
// operation for one that has ended.
func TestAnOrderThatCannotBeKept(t *testing.T) {
	h := home(t)
	deployTopics(t, h, "shop", topics, "one")
	if err := h.dir.MkdirAll("shop.json.new/in the way"); err != nil {
		t.Fatal(err)
	}
	o, err := h.NewOperator(t.Context(), record.Substitutes{}, func() Settings { return Settings{} })
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	order := &api.Order{Action: "UpdateStack", StackName: "shop", UsePreviousTemplate: true, Parameters: map[string]string{"Name": "two", "Token": "x"}}
	if _, err := o.Start(t.Context(), order); err == nil || !strings.Contains(err.Error(), "cannot be saved") {
		t.Errorf("%v", err)
	}
}

// notes are what a watcher is told.
type notes chan string

func (notes) Event(engine.Row)   {}
func (notes) Log(string, string) {}
func (n notes) Note(text string) { n <- text }

// Whoever starts a server is told which stack it cannot go on with, and why.
func TestAResumptionThatFailsIsTold(t *testing.T) {
	h := home(t)
	deployTopics(t, h, "shop", topics, "one")
	r := kept(t, h)
	r.Stack.Operation.Walk, r.Revisions[1].Service = new(engine.Walk), "false"
	keep(t, h, r)
	told := make(notes, 10)
	o, err := h.NewOperator(t.Context(), record.Substitutes{}, func() Settings { return Settings{Watcher: told} })
	if err != nil {
		t.Fatal(err)
	}
	o.running.Wait()
	o.Close()
	close(told)
	var all []string
	for text := range told {
		all = append(all, text)
	}
	if text := strings.Join(all, "\n"); !strings.Contains(text, "the stack shop: the service (false) ended") {
		t.Errorf("it is told %q", text)
	}
}

// A stack can be protected in each status but those of a deletion.
func TestProtection(t *testing.T) {
	h := home(t)
	deployTopics(t, h, "shop", topics, "one")
	for _, test := range []struct{ status, refused string }{
		{"UPDATE_IN_PROGRESS", ""},
		{"DELETE_FAILED", ""},
		{"DELETE_IN_PROGRESS", "cannot be changed while in status DELETE_IN_PROGRESS"},
		{"DELETE_COMPLETE", "Stack [shop] does not exist"},
	} {
		r := kept(t, h)
		r.Stack.Status = test.status
		keep(t, h, r)
		for _, on := range []bool{true, false} {
			_, err := h.protect(t.Context(), &api.Order{StackName: "shop", EnableTerminationProtection: on})
			if refused, ok := errors.AsType[*engine.ValidationError](err); ok != (test.refused != "") || ok && !strings.Contains(refused.Message, test.refused) {
				t.Errorf("%s: %v", test.status, err)
			}
			if got := kept(t, h).Stack.TerminationProtection; got != (on && err == nil) {
				t.Errorf("%s: it is protected: %t", test.status, got)
			}
		}
	}
}
