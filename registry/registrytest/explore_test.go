package registrytest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
	"github.com/cfnresource/sdk-go/internal/capture"
	"github.com/cfnresource/sdk-go/registry"
)

// Right resources leave nothing, and do not touch other resources.
func TestExploreRightResources(t *testing.T) {
	in := inputs
	in.Beside = props{Name: "beside", Size: 7}
	for name, service := range map[string]func() Process{
		"at once":     with(0, func(d *depot) callsStep { return callsStep{right{d}} }),
		"two minutes": with(2*time.Minute, func(d *depot) callsStep { return callsStep{right{d}} }),
		"named":       with(0, func(d *depot) named { return named{d} }),
		"by its user": with(0, func(d *depot) userNamed { return userNamed{named{d}} }),
	} {
		t.Run(name, func(t *testing.T) {
			Explore(t, in, func(*testing.T) Process { return service() })
		})
	}
}

// callsStep calls Step before and after it makes a crate.
type callsStep struct{ right }

func (s callsStep) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	if err := cfntest.Step(ctx); err != nil {
		return data{}, err
	}
	s.mu.Lock()
	s.ids()
	if s.names[req.Properties.Name] {
		s.mu.Unlock()
		return data{}, cfnresource.Errorf(cfnresource.CodeAlreadyExists, "the name is taken")
	}
	id := s.make(req.Properties, req.StableID())
	s.mu.Unlock()
	if err := cfntest.Step(ctx); err != nil {
		return data{}, err
	}
	req.Created(id)
	return data{}, s.ready(ctx, id)
}

// explored returns what Explore reports of a service, without failing t.
func explored(t *testing.T, in Inputs[props], service func() Process) []error {
	w, err := wireOf(in)
	if err != nil {
		t.Fatal(err)
	}
	log := capture.Start()
	defer log.Release()
	wrong, _ := explore(t, w, func(*testing.T) Process { return service() }, log)
	return wrong
}

// Each of these resources leaves something, or touches another's, if a fault happens at
// one step, and Explore finds it.
func TestExploreWrongResources(t *testing.T) {
	in := inputs
	in.Beside = props{Name: "beside", Size: 7}
	for _, test := range []struct {
		name, want string
		service    func() Process
	}{
		{"without a Find", "At the end there are still", with(0, func(d *depot) alwaysCreates { return alwaysCreates{named{d}} })},
		{"remembers what it made", "the UPDATE back fails", with(0, func(d *depot) *remembersInMemory { return &remembersInMemory{right{d}, map[string]bool{}} })},
		{"deletes by the size", "The resource of Inputs.Beside is not as it was", with(0, func(d *depot) deletesBySize { return deletesBySize{right{d}} })},
	} {
		t.Run(test.name, func(t *testing.T) {
			wrong := explored(t, in, test.service)
			for _, err := range wrong {
				t.Log(err)
			}
			// The verdict follows what happened, and what helps follows it.
			text := fmt.Sprint(wrong)
			if happened, seen := strings.Index(text, "What happened:"), strings.Index(text, test.want); seen < happened || happened < 0 || !strings.Contains(text[max(seen, 0):], "What helps: ") {
				t.Errorf("Explore reports %v, want %q", wrong, test.want)
			}
		})
	}
}

// What is wrong without a fault is told once, and no fault is blamed for it.
func TestExploreBeginsWithoutAFault(t *testing.T) {
	wrong := explored(t, inputs, with(0, func(d *depot) waitsForMetrics { return waitsForMetrics{measured{right{d}}} }))
	if text := fmt.Sprint(wrong); len(wrong) != 1 || !strings.Contains(text, "without a fault") || !strings.Contains(text, "does not return") {
		t.Errorf("Explore reports %v", wrong)
	}
}

// What is wrong without a fault is no matter of calls that come again.
func TestExploreOfWhatIsWrongWithoutAFaultDoesNotSpeakOfOne(t *testing.T) {
	wrong := explored(t, inputs, with(0, func(d *depot) readsPartially { return readsPartially{right{d}} }))
	if text := fmt.Sprint(wrong); len(wrong) != 1 || strings.Contains(text, "safe to call again") || !strings.Contains(text, "run TestContract") {
		t.Errorf("Explore reports %v", wrong)
	}
}

// refuses refuses each CREATE, or each UPDATE.
type refuses struct {
	right
	updates bool
}

func (s refuses) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (none data, err error) {
	if !s.updates {
		return none, cfnresource.Errorf(cfnresource.CodeInvalidRequest, "there are no such crates")
	}
	return s.right.Create(ctx, req)
}

func (s refuses) Update(context.Context, *cfnresource.UpdateRequest[props]) (none data, err error) {
	return none, cfnresource.Errorf(cfnresource.CodeNotUpdatable, "crates stay as they are")
}

// A life in which nothing is made, or nothing changes, shows nothing.
func TestExploreOfInputsThatAreRefused(t *testing.T) {
	for updates, want := range map[bool]string{false: "the CREATE fails with InvalidRequest", true: "the UPDATE fails with NotUpdatable"} {
		wrong := explored(t, inputs, with(0, func(d *depot) refuses { return refuses{right{d}, updates} }))
		if text := fmt.Sprint(wrong); len(wrong) != 1 || !strings.Contains(text, want) {
			t.Errorf("Explore reports %v, want %q", wrong, want)
		}
	}
}

// deletesBySize deletes all large crates.
type deletesBySize struct{ right }

func (s deletesBySize) Delete(ctx context.Context, req *cfnresource.DeleteRequest[props]) error {
	for id, c := range s.crates {
		if c.Size > 5 {
			delete(s.crates, id)
		}
	}
	return s.right.Delete(ctx, req)
}

var _ registry.Resource[props, data] = callsStep{}

// Inputs whose update changes nothing, or replaces the resource, are refused: with them
// the checks would prove nothing, or fail for another reason.
func TestInputsThatAreNoUpdate(t *testing.T) {
	for name, in := range map[string]Inputs[props]{
		"the same":                {Create: inputs.Create, Update: inputs.Create},
		"another createOnly Name": {Create: inputs.Create, Update: props{Name: "b", Size: 2}},
	} {
		if _, err := wireOf(in); err == nil {
			t.Errorf("%s: there is no error", name)
		}
	}
}
