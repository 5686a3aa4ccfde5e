package function

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/awsenv"
	"github.com/cfnresource/sdk-go/internal/cfn/engine"
	"github.com/cfnresource/sdk-go/lifecycle"
)

// recordedPhases are the lines that the handler wrote. What it wrote twice in a row, as when a
// Delete looks once more for what a lost answer may have left, counts once.
func (s *scene) recordedPhases() []string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, "found"))
	if err != nil {
		s.t.Fatal(err)
	}
	return slices.Compact(strings.Split(strings.TrimSpace(string(text)), "\n"))
}

// deploy deploys things, each "ID PROPERTIES", each after the one before.
func (s *scene) deploy(want string, things ...string) { s.deployWith(local.Change{}, want, things...) }

// deployWithoutRollback deploys with DisableRollback.
func (s *scene) deployWithoutRollback(want string, things ...string) {
	s.deployWith(local.Change{Deployment: engine.Deployment{DisableRollback: true}}, want, things...)
}

func (s *scene) deployWith(c local.Change, want string, things ...string) {
	s.t.Helper()
	c.Revision = s.template(true, things)
	s.expectStatus(want)(s.CreateOrUpdate(s.t.Context(), "shop", c, nil, s.settings()))
}

// setFault sets the fault of the operations that follow. "" is none.
func (s *scene) setFault(text string) {
	s.t.Helper()
	s.faults = nil
	if text == "" {
		return
	}
	f, err := local.ParseFault(text)
	if err != nil {
		s.t.Fatal(err)
	}
	s.faults = []local.Fault{f}
}

func (s *scene) rollback(want string) {
	s.t.Helper()
	s.expectStatus(want)(s.Rollback(s.t.Context(), "shop", false, s.settings()))
}

// scenarios are all ways in which requests come, and what the handler is to find out.
var scenarios = []struct {
	name string
	play func(s *scene)
	want string
}{{
	"a creation and a deletion",
	func(s *scene) {
		s.deploy("CREATE_COMPLETE", "A Name: a")
		s.delete("DELETE_COMPLETE")
	}, `
CREATE_IN_PROGRESS Create A: Creating
DELETE_IN_PROGRESS Delete A: Deleting
`}, {
	"a creation that is rolled back",
	func(s *scene) {
		s.deploy("ROLLBACK_COMPLETE", "A Name: a", "B Name: b, Fail: Create")
	}, `
CREATE_IN_PROGRESS Create A: Creating
CREATE_IN_PROGRESS Create B: Creating
ROLLBACK_IN_PROGRESS Delete A: CreateRollback
`}, {
	"a creation that failed and was kept, then rolled back",
	func(s *scene) {
		s.deployWithoutRollback("CREATE_FAILED", "A Name: a", "B Fail: Create")
		s.rollback("DELETE_COMPLETE")
	}, `
CREATE_IN_PROGRESS Create A: Creating
CREATE_IN_PROGRESS Create B: Creating
ROLLBACK_IN_PROGRESS Delete A: CreateRollback
`}, {
	"an update: one in place, one replaced, one removed, one added",
	func(s *scene) {
		s.deploy("CREATE_COMPLETE", "A Note: a", "B Name: b", "C Name: c")
		s.deploy("UPDATE_COMPLETE", "A Note: a2", "B Name: b2", "D Name: d")
	}, `
CREATE_IN_PROGRESS Create A: Creating
CREATE_IN_PROGRESS Create B: Creating
CREATE_IN_PROGRESS Create C: Creating
UPDATE_IN_PROGRESS Update A: Updating
UPDATE_IN_PROGRESS Update B: Updating
UPDATE_IN_PROGRESS Create D: Updating
UPDATE_COMPLETE_CLEANUP_IN_PROGRESS Delete C: Removal
UPDATE_COMPLETE_CLEANUP_IN_PROGRESS Delete B: ReplacementCleanup
`}, {
	"an update that is rolled back",
	func(s *scene) {
		s.deploy("CREATE_COMPLETE", "A Note: a", "B Name: b", "C Name: c")
		s.deploy("UPDATE_ROLLBACK_COMPLETE", "A Note: a2", "B Name: b2", "D Name: d", "E Fail: Create")
	}, `
CREATE_IN_PROGRESS Create A: Creating
CREATE_IN_PROGRESS Create B: Creating
CREATE_IN_PROGRESS Create C: Creating
UPDATE_IN_PROGRESS Update A: Updating
UPDATE_IN_PROGRESS Update B: Updating
UPDATE_IN_PROGRESS Create D: Updating
UPDATE_IN_PROGRESS Create E: Updating
UPDATE_ROLLBACK_IN_PROGRESS Update A: UpdateRollback
UPDATE_ROLLBACK_IN_PROGRESS Update B: UpdateRollback
UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS Delete D: UpdateRollbackCleanup
UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS Delete B: UpdateRollbackCleanup
`}, {
	"an update that failed and was kept: tried again, then rolled back",
	func(s *scene) {
		s.deploy("CREATE_COMPLETE", "A Note: a")
		s.deployWithoutRollback("UPDATE_FAILED", "A Note: a2", "B Note: b, Fail: Create")
		s.deployWithoutRollback("UPDATE_FAILED", "A Note: a3", "B Note: b2, Fail: Create")
		s.rollback("UPDATE_ROLLBACK_COMPLETE")
	}, `
CREATE_IN_PROGRESS Create A: Creating
UPDATE_IN_PROGRESS Update A: Updating
UPDATE_IN_PROGRESS Create B: Updating
UPDATE_IN_PROGRESS Update A: Updating
UPDATE_IN_PROGRESS Create B: Updating
UPDATE_ROLLBACK_IN_PROGRESS Update A: UpdateRollback
`}, {
	"a creation whose answer was lost, kept: it is deleted before it is tried again",
	func(s *scene) {
		s.timeout = 4 // a Delete looks once more after it
		s.deploy("CREATE_COMPLETE", "A Note: a")
		s.setFault("lose-answer@B.Create")
		s.deployWithoutRollback("UPDATE_FAILED", "A Note: a", "B Note: b")
		s.setFault("")
		s.deployWithoutRollback("UPDATE_COMPLETE", "A Note: a", "B Note: b2")
	}, `
CREATE_IN_PROGRESS Create A: Creating
UPDATE_IN_PROGRESS Create B: Updating
UPDATE_IN_PROGRESS Delete B: Updating
UPDATE_IN_PROGRESS Create B: Updating
`}}

// TestPhases: in every status in which CloudFormation sends requests, the
// handler finds the right phase.
func TestPhases(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, test := range scenarios {
		t.Run(test.name, func(t *testing.T) {
			s := newScene(t, "asks", 30)
			test.play(s)
			found := s.recordedPhases()
			if diff := cmp.Diff(strings.Split(strings.TrimSpace(test.want), "\n"), found); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, line := range found {
				words := strings.Fields(line)
				seen[words[0]+" "+words[1]] = true
			}
		})
	}
	if t.Failed() {
		return
	}
	var missing []string
	for _, r := range lifecycle.StatusRequests() {
		if run := string(r.Status) + " " + string(r.RequestType); !seen[run] {
			missing = append(missing, run)
		}
	}
	if slices.Sort(missing); len(missing) > 0 {
		t.Errorf("no scenario has %s", strings.Join(missing, ", "))
	}
}

// TestStackDeletedDuringCreate: a Create that runs while the stack is deleted finds the
// phase GivenUp.
func TestStackDeletedDuringCreate(t *testing.T) {
	t.Parallel()
	arrived, deleting := make(chan struct{}), make(chan struct{})
	gate := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		select {
		case <-deleting:
		case <-r.Context().Done():
		}
	}))
	defer gate.Close()
	s := newScene(t, "asks", 6) // the Delete looks once more after it
	end := make(chan error, 1)
	go func() {
		_, err := s.CreateOrUpdate(t.Context(), "shop", local.Change{Revision: s.template(true, []string{"A Gate: " + gate.URL})}, nil, s.settings())
		end <- err
	}()
	select {
	case <-arrived:
	case err := <-end:
		t.Fatalf("the creation did not wait: %v", err)
	}
	if _, err := s.Delete(t.Context(), "shop", nil, false, s.settings()); err != nil {
		t.Fatal(err)
	}
	for tick := time.Tick(time.Millisecond); ; <-tick { // the word was read, but is obeyed a moment later
		if r, err := s.Stack("shop"); err != nil {
			t.Fatal(err)
		} else if r.Stack.Status != "CREATE_IN_PROGRESS" {
			break
		}
	}
	close(deleting)
	if err := <-end; err != nil {
		t.Fatal(err)
	}
	if want := "DELETE_IN_PROGRESS Create A: GivenUp"; !slices.Contains(s.recordedPhases(), want) {
		t.Errorf("%q has no %s", s.recordedPhases(), want)
	}
}

// AskingProps are the properties of an [Asking].
type AskingProps struct {
	Name string `cfn:"createOnly"`
	Note string
	Fail string // the request that fails: Create or Update
	Gate string // a URL that Create asks for before anything else
}

// AskingData are the attributes of an [Asking].
type AskingData struct{ Note string }

// An Asking is nothing but its ID. Its handler asks why each request came, and writes down
//
//	STATUS REQUEST RESOURCE: PHASE
type Asking struct{ client *cloudformation.Client }

func (t *Asking) Create(ctx context.Context, req *cfnresource.CreateRequest[AskingProps]) (data AskingData, err error) {
	request := lifecycle.Create
	if req.Replaces != "" {
		request = lifecycle.Update // which is what CloudFormation sent
	}
	if err := errors.Join(ask(ctx, req.Properties.Gate), t.noteRequest(ctx, request, req.Request)); err != nil {
		return data, err
	}
	if req.Properties.Fail == "Create" {
		return data, errors.New("as its properties say")
	}
	req.Created(req.StableID())
	return AskingData{Note: req.Properties.Note}, nil
}

func (t *Asking) Update(ctx context.Context, req *cfnresource.UpdateRequest[AskingProps]) (data AskingData, err error) {
	err = t.noteRequest(ctx, lifecycle.Update, req.Request)
	if err == nil && req.Properties.Fail == "Update" {
		err = errors.New("as its properties say")
	}
	return AskingData{Note: req.Properties.Note}, err
}

func (t *Asking) Delete(ctx context.Context, req *cfnresource.DeleteRequest[AskingProps]) error {
	return t.noteRequest(ctx, lifecycle.Delete, req.Request)
}

// ask asks for a URL, if there is one.
func ask(ctx context.Context, url string) error {
	if url == "" {
		return nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// noteRequest writes down the stack's status and the phase, in the handler's own words and in the
// library's.
func (t *Asking) noteRequest(ctx context.Context, request lifecycle.RequestType, req cfnresource.Request) error {
	out, err := t.client.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: aws.String(string(req.StackID))})
	if err != nil {
		return err
	}
	return note("found", "%s %s %s: %s", out.Stacks[0].StackStatus, request, req.LogicalID, req.Phase(ctx))
}

func newClient() *cloudformation.Client {
	return cloudformation.New(cloudformation.Options{
		Region:       awsenv.Region(),
		BaseEndpoint: awsenv.Endpoint("CLOUDFORMATION"),
		Credentials:  awsenv.Credentials("nothing else"),
	})
}
