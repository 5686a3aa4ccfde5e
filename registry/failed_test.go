package registry_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/physicalid"
	"github.com/cfnresource/sdk-go/registry"
)

// brokenDoor is a door whose changes fail after they took effect.
type brokenDoor struct{ *door }

var errJammed = errors.New("the door is jammed")

func (b brokenDoor) Create(ctx context.Context, req *cfnresource.CreateRequest[doorProps]) (none struct{}, err error) {
	_, _ = b.door.Create(ctx, req)
	req.Created("door-1")
	return none, errJammed
}

func (brokenDoor) Update(context.Context, *cfnresource.UpdateRequest[doorProps]) (none struct{}, err error) {
	return none, errJammed
}

func (brokenDoor) Delete(context.Context, *cfnresource.DeleteRequest[doorProps]) error {
	return errJammed
}

// A FAILED answer goes on nowhere: it names the resource, and has no secret, at any depth.
func TestFailedAnswersHaveNoSecret(t *testing.T) {
	const all = `"Name":"a","Pin":"hush-hush","Login":{"User":"u","Password":"hush-hush"},"Logins":[{"User":"v","Password":"hush-hush"}]`
	const id = `"PhysicalResourceId":"door-1"`
	d := registry.New(typeName, brokenDoor{&door{}})
	for _, e := range []event{
		{action: "CREATE", properties: "{" + all + "}"},
		{action: "UPDATE", token: "2", properties: "{" + all + "," + id + "}", previous: "{" + all + "," + id + "}"},
		{action: "DELETE", token: "3", properties: "{" + all + "," + id + "}"},
	} {
		a := invoke(t, d, e.json())
		if a.Status != "FAILED" || strings.Contains(string(a.ResourceModel), "hush") ||
			!strings.Contains(string(a.ResourceModel), `"PhysicalResourceId":`) || !strings.Contains(string(a.ResourceModel), `"Name":"a"`) {
			t.Errorf("%s is answered %s %s", e.action, a.Status, a.ResourceModel)
		}
	}
}

// deafDoor is a door whose Read goes on after its context has ended.
type deafDoor struct {
	*door
	over chan struct{}
}

func (d deafDoor) Read(ctx context.Context, req *registry.ReadRequest) (registry.Model[doorProps, struct{}], error) {
	<-ctx.Done()
	defer close(d.over)
	<-time.After(10 * time.Second)
	return registry.Model[doorProps, struct{}]{}, cfnresource.Errorf(cfnresource.CodeThrottling, "slower")
}

// A Read that is given up still runs: nothing that it writes is read or written by
// others, as the race detector sees.
func TestAnAbandonedReadWritesNothingThatIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := deafDoor{&door{}, make(chan struct{})}
		a := invoke(t, registry.New(typeName, d), event{action: "READ", properties: `{"PhysicalResourceId":"door-1"}`}.json())
		if a.ErrorCode != "NotStabilized" {
			t.Errorf("the answer is %s %s %q", a.Status, a.ErrorCode, a.Message)
		}
		<-d.over
		synctest.Wait()
	})
}

// A CREATE fails, and Read does not show yet what it has made. CloudFormation takes
// the DELETE's NotFound for the end of the resource, so Delete is called all the same.
func TestDeleteOfWhatReadDoesNotShowYet(t *testing.T) {
	for _, takes := range []time.Duration{0, 3 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf()
			s.lag = time.Hour
			a, _ := play(t, always(registry.New(typeName, &halfway{s})), event{action: "CREATE", stack: stackARN, properties: asked})
			s.takes = takes // to be deleted
			a, _ = play(t, always(newType(t, s)), event{action: "DELETE", token: "2", stack: stackARN, properties: string(a.ResourceModel)})
			if a.Status != "SUCCESS" && a.ErrorCode != "NotFound" || s.at("t-1") != nil {
				t.Errorf("the DELETE is answered %s %s (%s), and there are %v", a.Status, a.ErrorCode, a.Message, s.things)
			}
		})
	}
}

// What is not there is NotFound, however Delete says so: with nothing, with a code
// that a service has for it, or with none. That it may not delete is another matter.
func TestDeleteOfNothing(t *testing.T) {
	for want, failures := range map[string][]error{
		"NotFound":     {nil, cfnresource.Errorf(cfnresource.CodeNotFound, "no"), cfnresource.Errorf(cfnresource.CodeInvalidRequest, "no"), errors.New("no")},
		"AccessDenied": {cfnresource.Errorf(cfnresource.CodeAccessDenied, "no")},
	} {
		for _, failure := range failures {
			r := &refused{newShelf(), failure}
			a := invoke(t, registry.New(typeName, r), event{action: "DELETE", stack: stackARN, properties: `{"PhysicalResourceId":"t-7"}`}.json())
			if a.Status != "FAILED" || a.ErrorCode != want || a.Message == "" {
				t.Errorf("where Delete returns %v the answer is %s %s %q", failure, a.Status, a.ErrorCode, a.Message)
			}
		}
	}
}

// refused is a shelf whose Delete returns an error.
type refused struct {
	*shelf
	err error
}

func (r *refused) Delete(context.Context, *cfnresource.DeleteRequest[props]) error { return r.err }

// A DELETE is of the identifier that came, and of nothing else, whatever that looks
// like: an ID that CloudFormation would make up for a custom resource, or the
// StableID. What fails in it has failed.
func TestDeleteGoesByTheIdentifier(t *testing.T) {
	const made = "shop-Thing-1ABCDEFGHIJKL"
	stable := physicalid.Stable(stackARN, "Thing", `{"Name":"a"}`, 0)
	for _, id := range []string{made, stable} {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf()
			s.things[id] = &thing{props: props{Name: "a"}}
			s.things["t-1"] = &thing{props: props{Name: "a"}, mark: stable}
			start := time.Now()
			e := event{action: "DELETE", stack: stackARN, properties: `{"Name":"a","PhysicalResourceId":"` + id + `"}`}
			a := invoke(t, newType(t, s), e.json())
			if a.Status != "SUCCESS" || len(s.calls) != 1 || s.calls[0] != "Delete "+id || time.Since(start) > time.Second {
				t.Errorf("after %s the DELETE of %s is answered %+v; the calls are %q", time.Since(start), id, a, s.calls)
			}
			s.things[id] = &thing{props: props{Name: "a"}}
			e.token = "2"
			a = invoke(t, registry.New(typeName, refusing{s}), e.json())
			if a.Status != "FAILED" || a.ErrorCode != "GeneralServiceException" {
				t.Errorf("the DELETE of %s that fails is answered %+v", id, a)
			}
		})
	}
}

// refusing deletes nothing, and has no code for that.
type refusing struct{ *shelf }

func (refusing) Delete(context.Context, *cfnresource.DeleteRequest[props]) error {
	return errors.New("it does not come off")
}
