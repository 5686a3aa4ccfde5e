package play_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/redact/forms"
	"github.com/cfnresource/sdk-go/internal/simulate"
	"github.com/cfnresource/sdk-go/internal/testrun"
)

// A play hands over from goroutine to goroutine. On one processor the package takes as long as on two, and two thirds of
// their time: go test runs the tests of other packages beside it.
func TestMain(m *testing.M) {
	if !testrun.Race {
		runtime.GOMAXPROCS(1)
	}
	m.Run()
}

// runTest runs a test outside of the one that runs, quietly, and reports whether it passes.
func runTest(test func(t *testing.T)) (ok bool) {
	was := flag.Lookup("test.v").Value.String()
	_ = flag.Set("test.v", "false")
	defer func() { _ = flag.Set("test.v", was) }()
	return testing.RunTests(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "Inner", F: test}})
}

// adapted returns the contract of a handler that is made of named, which logs. Its service
// refuses nothing, and knows no strangers.
func adapted[H anyHandler](handler func(named) H) play.Contract {
	c := depotContract(func(d *depot) simulate.Function { return cfnresource.New(handler(named{d})) })
	c.Refused, c.Skip = nil, map[string]string{"secrets-stay-out-of-log": "other tests ask"}
	return withService(c, func(s *play.Service) { s.Occupy, s.Crowd = nil, nil })
}

func same(h named) named { return h }

// outcomes returns the names of the checks that came out in a way.
func outcomes(results []play.CheckResult, outcome string) (names []string) {
	for _, r := range results {
		if r.Outcome == outcome {
			names = append(names, r.Name)
		}
	}
	return names
}

func textOf(results []play.CheckResult, name string) string {
	for _, r := range results {
		if r.Name == name {
			return r.Text
		}
	}
	return "no such check"
}

// deleteDropsError ignores that the service did not delete its box.
type deleteDropsError struct{ named }

func (h deleteDropsError) Delete(ctx context.Context, req *deletion) error {
	_ = h.named.Delete(ctx, req)
	return nil
}

func TestAFailureTellsTheRuleTheStoryAndTheHarm(t *testing.T) {
	results := play.RunChecks(t, adapted(func(h named) deleteDropsError { return deleteDropsError{h} }))
	if diff := cmp.Diff([]string{"delete-failed-is-told"}, outcomes(results, "failed")); diff != "" {
		t.Fatalf("failing checks (-want +got):\n%s", diff)
	}
	want := `A Delete that did not remove the thing does not succeed, and the next one removes it.
After delete!fail-at-step:1@1, by the history "v0 delete!fail-at-step:1@1": The service still has my-stack-resource-ID, or a part of it.
CloudFormation would have forgotten the thing, which stays in the account, and on the bill.

What happened:
      0s  CreateStack of my-stack
      0s  stack CREATE_IN_PROGRESS (User Initiated)
      0s  Create of Resource with Frozen, Password, Room, Size
      0s    the handler's Create returned, and named my-stack-resource-ID
      0s    answered SUCCESS my-stack-resource-ID
      0s  stack CREATE_COMPLETE
      0s  DeleteStack of my-stack
      0s  stack DELETE_IN_PROGRESS (User Initiated)
      0s  Delete of Resource (my-stack-resource-ID)
      0s    FAULT fail-at-step: the service fails at step 1
      0s    the handler's Delete of my-stack-resource-ID returned
      0s    answered SUCCESS my-stack-resource-ID
      0s  stack DELETE_COMPLETE

What helps: WHAT
To play it again: cfntest.Replay(t, contract, "v0 delete!fail-at-step:1@1")`
	got := textOf(results, "delete-failed-is-told")
	got = regexp.MustCompile(`my-stack-resource-\w+`).ReplaceAllString(got, "my-stack-resource-ID")
	got = regexp.MustCompile(`What helps: .*`).ReplaceAllString(got, "What helps: WHAT")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// neverCreates fails each Create.
type neverCreates struct{ named }

func (neverCreates) Create(context.Context, *creation) (data boxData, err error) {
	return data, io.ErrClosedPipe
}

func TestWhereNothingIsCreatedOneCheckFails(t *testing.T) {
	results := play.RunChecks(t, adapted(func(h named) neverCreates { return neverCreates{h} }))
	if diff := cmp.Diff([]string{"create-delete"}, outcomes(results, "failed")); diff != "" {
		t.Errorf("failing checks (-want +got):\n%s", diff)
	}
	if text := textOf(results, "update-keeps-id"); !strings.HasPrefix(text, "says nothing while create-delete fails") {
		t.Errorf("update-keeps-id says %q", text)
	}
}

// createRefusesInPlace refuses to create a box of InPlace's size, and updates one to it.
type createRefusesInPlace struct{ named }

func (h createRefusesInPlace) Create(ctx context.Context, req *creation) (data boxData, err error) {
	if req.Properties.Size == 60 {
		return data, io.ErrClosedPipe
	}
	return h.named.Create(ctx, req)
}

func TestWhatKeepsACheckFromItsQuestionIsAFailure(t *testing.T) {
	c := adapted(func(h named) createRefusesInPlace { return createRefusesInPlace{h} })
	results := play.RunChecks(t, c, "create-delete", "update-keeps-id")
	if got := textOf(results, "update-keeps-id"); !strings.Contains(got, `After v1, by the history "v1": The Create did not succeed`) {
		t.Errorf("update-keeps-id says %q", got)
	}
	if failed := outcomes(results, "failed"); !slices.Contains(failed, "update-keeps-id") {
		t.Errorf("%v failed, and not update-keeps-id", failed)
	}
}

func TestACheckSaysWhatItLacks(t *testing.T) {
	c := adapted(same)
	c.Properties, c.InPlace, c.Replacing, c.Skip = struct{ Room string }{"hall"}, nil, nil, nil
	results := play.RunChecks(t, c)
	for name, want := range map[string]string{
		"update-keeps-id":         "set the Contract's InPlace",
		"update-replaces":         "set the Contract's Replacing",
		"secrets-stay-out-of-log": "set the Contract's Secrets",
	} {
		if got := textOf(results, name); !strings.Contains(got, want) {
			t.Errorf("%s says %q, want %q in it", name, got, want)
		}
	}
	if failed := outcomes(results, "failed"); failed != nil {
		t.Errorf("%v failed: %s", failed, textOf(results, failed[0]))
	}
	c = adapted(same)
	c.New = func(testing.TB) play.Service { // neither Step nor State
		h := cfnresource.Action(func(context.Context, *updating) (data boxData, err error) {
			return data, nil
		})
		return play.Service{Function: func() simulate.Function { return cfnresource.New(h) }}
	}
	c.Replacing = nil
	results = play.RunChecks(t, c)
	for name, want := range map[string]string{
		"create-failed-nothing-left":   "Call Step in the service, or wrap a client's transport in Steps",
		"delete-failed-is-told":        "Call Step in the service, or wrap a client's transport in Steps",
		"context-ends-handler-returns": "Call Step in the service, or wrap a client's transport in Steps",
		"update-of-what-is-gone":       "the Service has no State",
	} {
		if got := textOf(results, name); !strings.Contains(got, want) {
			t.Errorf("%s says %q, want %q in it", name, got, want)
		}
	}
	if failed := outcomes(results, "failed"); failed != nil {
		t.Errorf("%v failed", failed)
	}
}

// A Service without a Function is a mistake in the test, and no panic in the kit.
func TestAServiceWithoutAFunctionFailsTheTest(t *testing.T) {
	c := adapted(same)
	c.New = func(testing.TB) play.Service { return play.Service{} }
	for name, test := range map[string]func(t *testing.T){
		"TestHandler": func(t *testing.T) { play.RunCheck(t, c, "create-delete") },
		"Explore":     func(t *testing.T) { play.Explore(t, c, play.ExploreOptions{}) },
	} {
		if runTest(test) {
			t.Errorf("%s passes", name)
		}
	}
}

func TestASkippedCheckIsNotAsked(t *testing.T) {
	c := adapted(func(h named) deleteDropsError { return deleteDropsError{h} })
	c.Skip = map[string]string{"delete-failed-is-told": "the service never fails"}
	results := play.RunChecks(t, c, "create-delete", "delete-failed-is-told")
	if failed := outcomes(results, "failed"); failed != nil {
		t.Errorf("%v failed", failed)
	}
	if got := textOf(results, "delete-failed-is-told"); got != "the service never fails" {
		t.Errorf("the reason is %q", got)
	}
}

// Where InPlace changes nothing that State shows, most of the checks could not fail.
func TestAStateThatShowsTooLittleFails(t *testing.T) {
	c := withService(adapted(same), func(s *play.Service) {
		state := s.State
		s.State = func(id string) any {
			if state(id) == nil {
				return nil
			}
			return "a box"
		}
	})
	if got, _ := play.RunCheck(t, c, "update-keeps-id"); !strings.Contains(got, "State shows the same") {
		t.Errorf("update-keeps-id says %q", got)
	}
}

// deleteNeverReturns blocks in Delete for ever.
type deleteNeverReturns struct{ named }

func (deleteNeverReturns) Delete(context.Context, *deletion) error {
	select {}
}

func TestAHandlerThatNeverReturnsIsNamed(t *testing.T) {
	c := adapted(func(h named) deleteNeverReturns { return deleteNeverReturns{h} })
	if got, _ := play.RunCheck(t, c, "create-delete"); !strings.Contains(got, "never returns from its Delete in the Delete of Resource") {
		t.Errorf("create-delete says %q", got)
	}
}

func TestHandlersWithRealIOAreTestedInRealTime(t *testing.T) {
	t.Parallel()
	c := adapted(same)
	c.RealTime = true
	c.Timeout = 2 * time.Second
	for _, r := range play.RunChecks(t, c) {
		if r.Outcome == "failed" {
			t.Errorf("%s: %s", r.Name, r.Text)
		}
	}
}

// A check of chains is asked also where go test -run runs no other.
func TestACheckOfChainsIsAskedAlone(t *testing.T) {
	const check = "continue-succeeds-when-ready"
	results := play.RunChecks(t, wrongNamed("deleteIgnoresPollTimeout").contract(), check)
	if diff := cmp.Diff([]string{check}, outcomes(results, "failed")); diff != "" {
		t.Errorf("failing checks (-want +got):\n%s", diff)
	}
}

// A secret is recognised in the forms that what is logged gives it.
func TestASecretIsRecognisedInItsForms(t *testing.T) {
	const secret = "open>>sesame?"
	for _, text := range []string{
		secret, fmt.Sprintf("%q", secret), fmt.Sprintf("%x", secret), fmt.Sprintf("%X", secret), fmt.Sprintf("%d", []byte(secret)),
		base64.StdEncoding.EncodeToString([]byte(secret)),
		base64.StdEncoding.EncodeToString([]byte("ada:" + secret)),
		base64.StdEncoding.EncodeToString([]byte("grace:" + secret + ", and more")),
		base64.URLEncoding.EncodeToString([]byte("linus:" + secret)),
	} {
		if !play.Holds("Authorization: "+text, []string{secret}) {
			t.Errorf("%q is not seen to hold it", text)
		}
	}
	if text := base64.StdEncoding.EncodeToString([]byte("ada:open<<sesame?")); play.Holds(text, []string{secret}) {
		t.Errorf("%q is taken to hold it", text)
	}
}

// Every form of the one table is seen, in a text and in a record of JSON.
func TestASecretIsSeenInEveryForm(t *testing.T) {
	const secret = `pa"ss'word <7>`
	for _, f := range forms.All {
		for _, before := range []string{"", "a", "ab", "abc", "abcd"} {
			text := f.Write(before + secret)
			record, _ := json.Marshal(map[string]string{"error": text}) // a text always can be
			if !play.Holds("it is: "+text+".", []string{secret}) || !play.Holds(string(record), []string{secret}) {
				t.Errorf("%s of %q is not seen to hold it", f.Name, before+secret)
			}
		}
	}
}

// What is wrong with a State is said of it, and of no handler.
func TestAStateThatIsAnotherOneEachTime(t *testing.T) {
	var asked atomic.Int64
	for name, state := range map[string]struct {
		of   func(any) any
		says string
	}{
		"a counter":    {func(any) any { return asked.Add(1) }, "all of it is random"},
		"not a number": {func(state any) any { return []any{state, math.NaN()} }, ""},
		"in itself":    {func(state any) any { m := map[string]any{"is": state}; m["in"] = m; return m }, ""},
		"a pointer":    {func(state any) any { return &state }, ""},
	} {
		c := adapted(same)
		made := c.New
		c.New = func(t testing.TB) play.Service {
			s := made(t)
			was := s.State
			s.State = func(id string) any {
				now := was(id)
				if v := reflect.ValueOf(now); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
					return nil
				}
				return state.of(now)
			}
			return s
		}
		for _, check := range []string{"state-shows-properties", "update-keeps-id", "update-replaces", "warm-process-serves-several"} {
			text, _ := play.RunCheck(t, c, check)
			says := state.says
			if check != "state-shows-properties" {
				says = ""
			}
			if !strings.Contains(text, says) || says == "" && text != "" {
				t.Errorf("%s: %s says %q, want %q", name, check, text, says)
			}
		}
	}
}

// A Contract's mistakes fail the test, and end neither the process nor in a hang.
func TestAMistakeInAContractFailsTheTest(t *testing.T) {
	for name, test := range map[string]func(t *testing.T, c play.Contract){
		"in a bubble": func(t *testing.T, c play.Contract) {
			synctest.Test(t, func(t *testing.T) { play.Explore(t, c, play.ExploreOptions{Depth: 1}) })
		},
		"no time": func(t *testing.T, c play.Contract) { play.Explore(t, c, play.ExploreOptions{Budget: 1}) },
		"a New that skips": func(t *testing.T, c play.Contract) {
			made, calls := c.New, 0
			c.New = func(t testing.TB) play.Service {
				if calls++; calls > 1 {
					t.Skip()
				}
				return made(t)
			}
			play.Explore(t, c, play.ExploreOptions{Depth: 1})
		},
	} {
		if runTest(func(t *testing.T) { test(t, adapted(same)) }) {
			t.Errorf("%s: it passes", name)
		}
	}
}

// issues returns a password that it makes up, and logs it.
type issues struct{ logs bool }

type issued struct {
	Password string `cfn:"secret"`
}

func (h issues) Create(_ context.Context, req *cfnresource.CreateRequest[struct{}]) (issued, error) {
	made := issued{rand.Text()}
	if h.logs {
		slog.Info("made a password", "is", made.Password)
	}
	req.Created(req.StableID())
	return made, nil
}

func (h issues) Update(context.Context, *cfnresource.UpdateRequest[struct{}]) (issued, error) {
	return issued{}, nil
}

func (h issues) Delete(context.Context, *cfnresource.DeleteRequest[struct{}]) error { return nil }

// A secret that only Data has is another one in each play, and is known by its name.
func TestASecretThatOnlyDataHasStaysOutOfTheLog(t *testing.T) {
	for _, logs := range []bool{false, true} {
		c := play.Contract{Properties: struct{}{}, New: func(testing.TB) play.Service {
			return play.Service{Function: func() simulate.Function { return cfnresource.New(issues{logs}) }}
		}}
		text, _ := play.RunCheck(t, c, "secrets-stay-out-of-log")
		if strings.Contains(text, "The log holds a secret") != logs || !logs && text != "" {
			t.Errorf("it logs it: %v, and the check says %q", logs, text)
		}
	}
}
