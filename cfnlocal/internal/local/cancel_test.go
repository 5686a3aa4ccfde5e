package local

import (
	"errors"
	"io/fs"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/api"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/store"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// locked is a home in which a process works on the stack shop.
func locked(t *testing.T) (*Home, *store.Lock) {
	t.Helper()
	h := home(t)
	lock, err := h.store.Lock("shop")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Unlock() })
	return h, lock
}

// Who sends a command is told of it once it is executed: whatever ends the process before
// that, the sender does not believe in it.
func TestACommandIsAnsweredOnceItIsExecuted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _ := locked(t)
		received, sent := make(chan instruction), make(chan error, 1)
		go h.receiveInstructions(t.Context(), "shop", received)
		go func() { sent <- h.sendInstruction(t.Context(), "shop", instructCancel) }()
		c := <-received
		select {
		case err := <-sent:
			t.Fatalf("it is answered before it is executed: %v", err)
		case <-received:
			t.Fatal("it comes twice")
		case <-time.After(time.Minute):
		}
		c.result <- nil
		if err := <-sent; err != nil || c.text != instructCancel {
			t.Errorf("%q: %v", c.text, err)
		}
	})
}

// A command that nobody has read is not for the next operation.
func TestACommandIsForOneOperation(t *testing.T) {
	h := home(t)
	if err := h.dir.WriteFile("shop"+instructionExt, []byte(instructCancel)); err != nil {
		t.Fatal(err)
	}
	rev := &record.Revision{File: "t.yaml", Body: topics, Parameters: map[string]string{"Name": "one", "Token": "x"}}
	if _, err := h.CreateOrUpdate(t.Context(), "shop", Change{Revision: rev}, nil, Settings{}); err != nil {
		t.Fatal(err)
	}
	if text, err := h.dir.ReadFile("shop" + instructionExt); err != nil || string(text) != unheard {
		t.Errorf("its sender reads %q, %v", text, err)
	}
}

// What became of a command is told as it was, also if the process that it was sent to ends before
// its sender looks.
func TestWhatBecameOfACommand(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(h *Home, lock *store.Lock) error
		is   func(error) bool
	}{
		{"executed", func(h *Home, lock *store.Lock) error {
			return errors.Join(h.dir.Remove("shop"+instructionExt), lock.Unlock())
		},
			func(err error) bool { return err == nil }},
		{"refused", func(h *Home, lock *store.Lock) error {
			return errors.Join(h.dir.WriteFile("shop"+instructionExt, []byte(refusedMark+"no")), lock.Unlock())
		}, func(err error) bool { return errors.As(err, new(*engine.ValidationError)) }},
		{"not read", func(_ *Home, lock *store.Lock) error { return lock.Unlock() },
			func(err error) bool { return errors.Is(err, ErrJustEnded) }},
		{"not read, and another process works", func(h *Home, _ *store.Lock) error { h.dropInstruction("shop"); return nil },
			func(err error) bool { return errors.Is(err, ErrJustEnded) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, lock := locked(t)
				sent := make(chan error, 1)
				go func() { sent <- h.sendInstruction(t.Context(), "shop", instructCancel) }()
				synctest.Wait()
				if err := test.do(h, lock); err != nil {
					t.Fatal(err)
				}
				if err := <-sent; !test.is(err) {
					t.Errorf("its sender is told %v", err)
				}
				if _, err := h.dir.Stat("shop" + instructionExt); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("the command is still there: %v", err)
				}
			})
		})
	}
}

// An order about a stack whose process ends meanwhile is not refused for that.
func TestAnOrderOutlivesTheProcessBefore(t *testing.T) {
	h := home(t)
	rev := &record.Revision{File: "t.yaml", Body: topics, Parameters: map[string]string{"Name": "one", "Token": "x"}}
	if _, err := h.CreateOrUpdate(t.Context(), "shop", Change{Revision: rev}, nil, Settings{}); err != nil {
		t.Fatal(err)
	}
	o, err := h.NewOperator(t.Context(), record.Substitutes{}, func() Settings { return Settings{} })
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	r := kept(t, h)
	r.Stack.Status = "CREATE_IN_PROGRESS"
	keep(t, h, r)
	lock, err := h.store.Lock("shop")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := o.Start(t.Context(), &api.Order{Action: "DeleteStack", StackName: "shop"})
		done <- err
	}()
	for range time.Tick(10 * time.Millisecond) {
		if _, err := h.dir.Stat("shop" + instructionExt); err == nil || len(done) > 0 {
			break
		}
	}
	if err := errors.Join(lock.Unlock(), <-done); err != nil {
		t.Error(err)
	}
}

// What CloudFormation refuses is refused before anything is done: no request of the interrupted operation is sent again.
func TestARefusedCancellationSendsNothing(t *testing.T) {
	h, lock := locked(t)
	r := record.New("shop", engine.Options{Seed: 1}, nil)
	rev := &record.Revision{Number: 1, File: "t.yaml", Body: bad, Parameters: map[string]string{"Name": "one", "Token": "x"}}
	r.Next = rev
	plan, err := rev.Plan(r.Stack)
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Machine()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	if err := m.Create(now, engine.Deployment{Template: &plan.Template}); err != nil {
		t.Fatal(err)
	}
	r.DropRevisions()
	for _, q := range m.Take() { // the rollback waits for the answer to its Delete
		m.Answer(now, q.RequestID, []byte(`{"Status":"FAILED","Reason":"full","PhysicalResourceId":"one","StackId":"`+q.StackID+`","RequestId":"`+q.RequestID+`","LogicalResourceId":"Thing"}`))
	}
	m.Take()
	if r.Stack.Status != "ROLLBACK_IN_PROGRESS" || len(m.Pending()) != 1 {
		t.Fatalf("%s, with %d requests", r.Stack.Status, len(m.Pending()))
	}
	if err := errors.Join(lock.Save(r), lock.Unlock()); err != nil {
		t.Fatal(err)
	}

	told := make(notes, 10)
	if _, err := h.Cancel(t.Context(), "shop", Settings{Watcher: told}); !errors.As(err, new(*engine.ValidationError)) {
		t.Errorf("it is not refused: %v", err)
	}
	if len(told) > 0 {
		t.Error(<-told)
	}
	if kept(t, h).Stack.Requests[1].Interrupted {
		t.Error("a request is marked as sent again")
	}
}
