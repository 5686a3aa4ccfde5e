package registrytest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/capture"
	"github.com/cfnresource/sdk-go/registry"
)

const typeName = "Example::Depot::Crate"

// with returns what makes a depot, and a Process of a resource that works with it.
func with[R registry.Resource[props, data]](takes time.Duration, resource func(*depot) R) func() Process {
	return func() Process {
		d := newDepot(takes)
		return func() *registry.Dispatcher { return registry.New(typeName, resource(d)) }
	}
}

// Right resources are not flagged: at once done, or after an hour, with IDs of the
// service's, or named.
func TestRightResources(t *testing.T) {
	for name, process := range map[string]func() Process{
		"at once":                      with(0, func(d *depot) right { return right{d} }),
		"after some seconds":           with(4*time.Second, func(d *depot) right { return right{d} }),
		"after an hour":                with(time.Hour, func(d *depot) right { return right{d} }),
		"whose calls take seconds":     with(4*time.Second, func(d *depot) slow { return slow{right{d}} }),
		"of a client without context":  with(0, func(d *depot) heedless { return heedless{right{d}} }),
		"named":                        with(0, func(d *depot) named { return named{d} }),
		"with a token to renew":        with(0, func(d *depot) right { go renew(); return right{d} }),
		"with metrics to send":         with(4*time.Second, func(d *depot) measured { return measured{right{d}} }),
		"that passes the token":        with(5*time.Minute, func(d *depot) passesToken { return passesToken{right{d}} }),
		"that wraps Poll's error":      with(5*time.Minute, func(d *depot) wraps { return wraps{right{d}, "it is not ready: %w"} }),
		"marked, as its ID comes late": with(5*time.Minute, func(d *depot) marked { return marked{d} }),
		"by its user":                  with(0, func(d *depot) userNamed { return userNamed{named{d}} }),
	} {
		t.Run(name, func(t *testing.T) { TestContract(t, beside, func(*testing.T) Process { return process() }) })
	}
}

var beside = func() Inputs[props] {
	in := inputs
	in.Beside = props{Name: "beside", Size: 7}
	return in
}()

type wrong struct {
	check   string
	process func() Process
}

// wrongs has a wrong resource for each check.
var wrongs = []wrong{
	{"contract_create_create", with(0, func(d *depot) takesOver { return takesOver{right{d}} })},
	{"contract_create_read", with(0, func(d *depot) readsPartially { return readsPartially{right{d}} })},
	{"contract_create_delete", with(0, func(d *depot) neverDeletes { return neverDeletes{right{d}} })},
	{"contract_create_list", with(0, func(d *depot) listsNothing { return listsNothing{right{d}} })},
	{"contract_update_read", with(0, func(d *depot) updatesNothing { return updatesNothing{right{d}} })},
	{"contract_update_list", with(0, func(d *depot) listsOnlyUnchanged { return listsOnlyUnchanged{right{d}} })},
	{"contract_update_without_create", with(0, func(d *depot) readsMissing { return readsMissing{right{d}} })},
	{"contract_delete_create", with(0, func(d *depot) keepsName { return keepsName{right{d}} })},
	{"contract_delete_update", with(0, func(d *depot) *reappears { return &reappears{right: right{d}} })},
	{"contract_delete_delete", with(0, func(d *depot) *reappears { return &reappears{right: right{d}} })},
	{"contract_delete_read", with(0, func(d *depot) readableAfterDelete { return readableAfterDelete{right{d}} })},
	{"contract_delete_list", with(0, func(d *depot) listsDeleted { return listsDeleted{right{d}} })},
	{"between_calls_process_dies", with(5*time.Minute, func(d *depot) *remembersInMemory { return &remembersInMemory{right{d}, map[string]bool{}} })},
	{"between_calls_callback_twice", with(5*time.Minute, func(d *depot) addsOnUpdate { return addsOnUpdate{right{d}} })},
	{"between_calls_create_answer_lost", with(0, func(d *depot) alwaysCreates { return alwaysCreates{named{d}} })},
	{"between_calls_throttled", with(0, func(d *depot) deletesOnce { return deletesOnce{right{d}} })},
	{"between_calls_slow_service", with(4*time.Second, func(d *depot) restarts { return restarts{right{d}} })},
}

// Each wrong resource fails the check of its row, and each check has a wrong resource.
func TestWrongResources(t *testing.T) {
	for _, c := range checks {
		if !slices.ContainsFunc(wrongs, func(w wrong) bool { return w.check == c.name }) {
			t.Errorf("no wrong resource fails %s", c.name)
		}
	}
	for _, test := range wrongs {
		t.Run(test.check, func(t *testing.T) {
			if playCheck(t, test.check, test.process()) == "" {
				t.Error("the resource is not flagged")
			}
		})
	}
}

// A fault shows nothing new of a resource that is wrong without one, and its advice would be of the fault.
func TestWhatIsWrongWithoutAFaultIsPlayedWithoutOne(t *testing.T) {
	const inner = "REGISTRYTEST_INNER"
	if os.Getenv(inner) != "" {
		TestContract(t, beside, func(*testing.T) Process {
			return with(0, func(d *depot) readsPartially { return readsPartially{right{d}} })()
		})
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), inner+"=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "contract_create_read") || strings.Contains(string(out), betweenCalls) {
		t.Errorf("with the error %v it prints:\n%s", err, out)
	}
}

// playCheck plays a check, and returns its report.
func playCheck(t *testing.T, name string, p Process) string {
	t.Helper()
	w, err := wireOf(beside)
	if err != nil {
		t.Fatal(err)
	}
	log := capture.Start()
	defer log.Release()
	i := slices.IndexFunc(checks, func(c check) bool { return c.name == name })
	report := checks[i].play(t, newClient(w), func(*testing.T) Process { return p }, log)
	t.Log(report)
	return report
}

// Each of these resources is found by a check that its name does not tell, with what helps.
func TestFindings(t *testing.T) {
	for name, test := range map[string]struct {
		check, want, cure string
		process           func() Process
	}{
		"names itself anew": {"contract_create_read", "names c-1, but named resource-resource-", "call Created with the ID as soon as",
			with(5*time.Minute, func(d *depot) namesLate { return namesLate{named{d}} })},
		"ignores its context": {"contract_create_read", "A method of the resource does not return", "return when the context is done",
			with(0, func(d *depot) ignoresContext { return ignoresContext{right{d}} })},
		"waits for its metrics": {"contract_update_read", "A method of the resource does not return", "such as metrics",
			with(0, func(d *depot) waitsForMetrics { return waitsForMetrics{measured{right{d}}} })},
		"waits for its metrics until the call ends": {"between_calls_slow_service", "the call ended while Update still waited", "such as metrics",
			with(0, func(d *depot) lingers { return lingers{right{d}} })},
		"keeps what an UPDATE leaves out": {"contract_update_read", "the UPDATE leaves Note out, but the property is as it was", "clear those that are left out",
			with(0, func(d *depot) keepsNote { return keepsNote{right{d}} })},
		"tells a secret in an attribute": {"contract_create_read", "a secret's value in Label", "leave the secret out",
			with(0, func(d *depot) tellsPassword { return tellsPassword{right{d}} })},
		"goes on after its answer": {"contract_update_read", "the request was answered before the change was done", "change nothing in a goroutine that outlives its method",
			with(0, func(d *depot) updatesLater { return updatesLater{right{d}} })},
		"starts its change anew in each call": {"contract_update_read", "CREATE is still in progress after 2h0m0s", "runs the method again from its first line",
			with(3*time.Minute, func(d *depot) restarts { return restarts{right{d}} })},
		"starts its change anew in each call, which takes seconds": {"between_calls_slow_service", "CREATE is still in progress after 2h0m0s", "runs the method again from its first line",
			with(4*time.Second, func(d *depot) restarts { return restarts{right{d}} })},
		"hides Poll's error": {"contract_create_read", "CREATE failed because its call was over", "wrap it with %w",
			with(5*time.Minute, func(d *depot) wraps { return wraps{right{d}, "it is not ready: %v"} })},
		"swallows Poll's error": {"contract_create_read", "the call ended while Create still waited", "return Poll's error",
			with(5*time.Minute, func(d *depot) swallows { return swallows{right{d}, time.Second} })},
		"swallows the error of a Poll with a pause": {"contract_create_read", "the call ended while Create still waited", "return Poll's error",
			with(5*time.Minute, func(d *depot) swallows { return swallows{right{d}, time.Minute} })},
		"gets its ID late": {"contract_create_read", "the answer has no identifier", "call Created with the ID of the service's job",
			with(5*time.Minute, func(d *depot) idComesLate { return idComesLate{right{d}} })},
		"names an ID that Read does not find": {"contract_create_read", "Read does not tell", "have Read find the resource by the ID",
			with(0, func(d *depot) unread { return unread{right{d}} })},
		"lists one page": {"contract_create_list", "LIST and READ do not agree", "over all pages",
			with(0, func(d *depot) listsOnePage { return listsOnePage{right{d}} })},
		"lists each twice": {"contract_create_list", "LIST shows one resource twice", "once, over all pages",
			with(0, func(d *depot) listsTwice { return listsTwice{right{d}} })},
		"deletes the one beside": {"contract_create_delete", "The resource of Inputs.Beside is not as it was", "under the physical ID",
			with(0, func(d *depot) deletesBySize { return deletesBySize{right{d}} })},
		"leaves one that no LIST shows": {"between_calls_process_dies", "LIST and READ do not agree on c-2", "have List return",
			with(0, func(d *depot) hidesDeleted { return hidesDeleted{right{d}} })},
	} {
		t.Run(name, func(t *testing.T) {
			report := playCheck(t, test.check, test.process())
			happened, seen := strings.Index(report, "What happened:\n"), strings.Index(report, test.want)
			if happened != 0 || seen < happened || !strings.Contains(report[max(seen, 0):], "What helps: ") || !strings.Contains(report, test.cure) {
				t.Errorf("the report lacks %q, or %q:\n%s", test.want, test.cure, report)
			}
			if _, log, _ := strings.Cut(report, "The end of the log:\n"); strings.Count(log, "\n") > 10 {
				t.Errorf("the log is too long:\n%s", report)
			}
		})
	}
}

// namesLate names what it has made after it has waited for it.
type namesLate struct{ named }

func (r namesLate) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	if r.made == 0 {
		r.make(req.Properties, "")
	}
	if err := right(r.named).ready(ctx, "c-1"); err != nil {
		return data{}, err
	}
	req.Created("c-1")
	return data{}, nil
}

// ignoresContext waits for what never comes.
type ignoresContext struct{ right }

func (ignoresContext) Create(context.Context, *cfnresource.CreateRequest[props]) (data, error) {
	select {}
}

// keepsNote keeps a note that an UPDATE leaves out.
type keepsNote struct{ right }

func (r keepsNote) Update(ctx context.Context, req *cfnresource.UpdateRequest[props]) (data, error) {
	if c := r.at(req.PhysicalID); c != nil && req.Properties.Note == "" {
		req.Properties.Note = c.Note
	}
	return r.right.Update(ctx, req)
}

// tellsPassword tells the password in an attribute.
type tellsPassword struct{ right }

func (r tellsPassword) Read(ctx context.Context, req *registry.ReadRequest) (registry.Model[props, data], error) {
	m, err := r.right.Read(ctx, req)
	m.Data.Label = "crate of " + m.Properties.Password
	return m, err
}

// listsOnePage forgets the token of the next page.
type listsOnePage struct{ right }

func (r listsOnePage) List(ctx context.Context, req *registry.ListRequest) ([]string, string, error) {
	ids, _, err := r.right.List(ctx, req)
	return ids, "", err
}

// listsTwice lists each crate twice.
type listsTwice struct{ right }

func (r listsTwice) List(ctx context.Context, req *registry.ListRequest) ([]string, string, error) {
	ids, next, err := r.right.List(ctx, req)
	return append(ids, ids...), next, err
}

// hidesDeleted deletes nothing, and says that it did: no LIST shows it.
type hidesDeleted struct{ right }

func (r hidesDeleted) Delete(_ context.Context, req *cfnresource.DeleteRequest[props]) error {
	r.crates[req.PhysicalID].mark = "hidden"
	return nil
}

func (r hidesDeleted) Read(ctx context.Context, req *registry.ReadRequest) (registry.Model[props, data], error) {
	if c := r.at(req.PhysicalID); c != nil && c.mark == "hidden" {
		c.mark = "shown again"
		return registry.Model[props, data]{}, absent(req.PhysicalID)
	}
	return r.right.Read(ctx, req)
}

func (r hidesDeleted) List(context.Context, *registry.ListRequest) (ids []string, _ string, _ error) {
	for _, id := range r.ids() {
		if c := r.crates[id]; c.mark != "hidden" && c.mark != "shown again" {
			ids = append(ids, id)
		}
	}
	return ids, "", nil
}

// takesOver takes over the resource that holds its name.
type takesOver struct{ right }

func (r takesOver) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	for id, c := range r.crates {
		if c.Name == req.Properties.Name {
			c.props = req.Properties
			req.Created(id)
			return data{}, nil
		}
	}
	return r.right.Create(ctx, req)
}

// readsPartially reads some of the properties.
type readsPartially struct{ right }

func (r readsPartially) Read(ctx context.Context, req *registry.ReadRequest) (registry.Model[props, data], error) {
	m, err := r.right.Read(ctx, req)
	m.Properties.Rest = 0
	return m, err
}

// neverDeletes fails each Delete.
type neverDeletes struct{ right }

func (neverDeletes) Delete(context.Context, *cfnresource.DeleteRequest[props]) error {
	return errors.New("it does not come off")
}

// listsNothing lists nothing.
type listsNothing struct{ right }

func (listsNothing) List(context.Context, *registry.ListRequest) ([]string, string, error) {
	return nil, "", nil
}

// updatesNothing updates nothing.
type updatesNothing struct{ right }

func (updatesNothing) Update(context.Context, *cfnresource.UpdateRequest[props]) (data, error) {
	return data{}, nil
}

// listsOnlyUnchanged lists only what was never updated.
type listsOnlyUnchanged struct{ right }

func (r listsOnlyUnchanged) List(context.Context, *registry.ListRequest) (ids []string, _ string, _ error) {
	for id, c := range r.crates {
		if c.Size == inputs.Create.Size {
			ids = append(ids, id)
		}
	}
	return ids, "", nil
}

// readsMissing reads what is not there, and makes it in an Update.
type readsMissing struct{ right }

func (r readsMissing) Read(ctx context.Context, req *registry.ReadRequest) (registry.Model[props, data], error) {
	m, err := r.right.Read(ctx, req)
	if cfnresource.CodeOf(err) == cfnresource.CodeNotFound {
		err = nil
	}
	return m, err
}

func (r readsMissing) Update(_ context.Context, req *cfnresource.UpdateRequest[props]) (data, error) {
	r.crates[req.PhysicalID] = &crate{props: req.Properties}
	return data{}, nil
}

// keepsName keeps the name of what is deleted.
type keepsName struct{ right }

func (r keepsName) Delete(ctx context.Context, req *cfnresource.DeleteRequest[props]) error {
	name := r.crates[req.PhysicalID].Name
	err := r.right.Delete(ctx, req)
	r.names[name] = true
	return err
}

// readableAfterDelete can be read after its Delete.
type readableAfterDelete struct{ right }

func (r readableAfterDelete) Delete(_ context.Context, req *cfnresource.DeleteRequest[props]) error {
	delete(r.names, r.crates[req.PhysicalID].Name)
	return nil
}

// reappears is gone for one Read after its Delete, and then there again.
type reappears struct {
	right
	ghost *crate
	seen  bool
}

func (r *reappears) Delete(ctx context.Context, req *cfnresource.DeleteRequest[props]) error {
	r.ghost = r.crates[req.PhysicalID]
	return r.right.Delete(ctx, req)
}

func (r *reappears) Read(ctx context.Context, req *registry.ReadRequest) (registry.Model[props, data], error) {
	if r.ghost != nil && r.seen {
		r.crates[req.PhysicalID] = &crate{props: r.ghost.props}
	}
	r.seen = r.ghost != nil
	return r.right.Read(ctx, req)
}

// listsDeleted lists also what was deleted.
type listsDeleted struct{ right }

func (r listsDeleted) List(context.Context, *registry.ListRequest) (ids []string, _ string, _ error) {
	for i := range r.made {
		ids = append(ids, fmt.Sprintf("c-%d", i+1))
	}
	return ids, "", nil
}

// remembersInMemory keeps in memory what it has made.
type remembersInMemory struct {
	right
	mine map[string]bool
}

func (r *remembersInMemory) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	d, err := r.right.Create(ctx, req)
	r.mine[req.CreatedID()] = true
	return d, err
}

func (r *remembersInMemory) Update(ctx context.Context, req *cfnresource.UpdateRequest[props]) (data, error) {
	if !r.mine[req.PhysicalID] {
		return data{}, errors.New("I know of no such crate")
	}
	return r.right.Update(ctx, req)
}

// addsOnUpdate adds to the size with each Update.
type addsOnUpdate struct{ right }

func (r addsOnUpdate) Update(ctx context.Context, req *cfnresource.UpdateRequest[props]) (data, error) {
	if !req.Adopted {
		req.Properties.Size += r.crates[req.PhysicalID].Size - 1
	}
	return r.right.Update(ctx, req)
}

// alwaysCreates makes a crate in each Create, and has no Find.
type alwaysCreates struct{ named }

func (r alwaysCreates) Create(_ context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	req.Created(r.make(req.Properties, ""))
	return data{}, nil
}

// deletesOnce fails the second Delete of a resource.
type deletesOnce struct{ right }

func (r deletesOnce) Delete(ctx context.Context, req *cfnresource.DeleteRequest[props]) error {
	if r.at(req.PhysicalID) == nil {
		return errors.New("there is nothing to delete")
	}
	return r.right.Delete(ctx, req)
}
