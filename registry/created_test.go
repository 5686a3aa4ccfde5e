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

// A second CREATE of the same logical resource adopts nothing, even if the
// properties, and so the StableID, are the same: it may be the replacement of the
// first, which CloudFormation then deletes.
func TestCreateAdoptsNothingInAStack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		d := newType(t, s)
		invoke(t, d, event{action: "CREATE", stack: stackARN, properties: asked}.json())
		a := invoke(t, d, event{action: "CREATE", token: "2", stack: stackARN, properties: asked}.json())
		if a.ErrorCode != "AlreadyExists" || a.ResourceModel != nil || s.made != 1 {
			t.Errorf("the answer is %+v, and %d things are made", a, s.made)
		}
	})
}

// A name that is taken, which the service says without an ID, is AlreadyExists,
// though Find is asked after that.
func TestTakenNames(t *testing.T) {
	for _, stack := range []string{"", stackARN} {
		s := newShelf()
		s.things["t-9"] = &thing{props: props{Name: "a"}, mark: "another's"}
		a := invoke(t, newType(t, s), event{action: "CREATE", stack: stack, properties: asked}.json())
		if a.ErrorCode != "AlreadyExists" || a.ResourceModel != nil {
			t.Errorf("the answer is %+v", a)
		}
	}
}

// What a failed CREATE has made is named, so that CloudFormation deletes it.
func TestFailedCreateNamesWhatItMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := invoke(t, registry.New(typeName, &halfway{newShelf()}), event{action: "CREATE", stack: stackARN, properties: asked}.json())
		if a.Status != "FAILED" || a.ErrorCode != "NotStabilized" || !strings.Contains(string(a.ResourceModel), `"t-1"`) {
			t.Errorf("the answer is %+v", a)
		}
	})
}

type halfway struct{ *shelf }

func (h *halfway) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	_, _ = h.shelf.Create(ctx, req)
	return data{}, cfnresource.Errorf(cfnresource.CodeNotStabilized, "it broke")
}

// What is named stays so if a part of the resource is what exists already, in whichever call: an
// answer with AlreadyExists names nothing, since what exists then is another's.
func TestAPartThatExistsAlready(t *testing.T) {
	for _, takes := range []time.Duration{0, 3 * time.Minute} {
		for _, stack := range []string{"", stackARN} {
			synctest.Test(t, func(t *testing.T) {
				s := newShelf()
				s.takes = takes
				a, _ := play(t, always(registry.New(typeName, &labelled{s})), event{action: "CREATE", stack: stack, properties: asked})
				if a.Status != "FAILED" || a.ErrorCode != "GeneralServiceException" || !strings.Contains(string(a.ResourceModel), `"t-1"`) {
					t.Errorf("the answer is %s %s %s, and there are %v", a.Status, a.ErrorCode, a.ResourceModel, s.things)
				}
			})
		}
	}
}

// labelled is a shelf whose things get a label, which is taken.
type labelled struct{ *shelf }

func (l *labelled) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	if d, err := l.shelf.Create(ctx, req); err != nil {
		return d, err
	}
	return data{}, cfnresource.Errorf(cfnresource.CodeAlreadyExists, "the label is taken")
}

func (l *labelled) Update(ctx context.Context, req *cfnresource.UpdateRequest[props]) (data, error) {
	if d, err := l.shelf.Update(ctx, req); err != nil {
		return d, err
	}
	return data{}, cfnresource.Errorf(cfnresource.CodeAlreadyExists, "the label is taken")
}

// A CREATE whose reply is lost may have made the resource. It is named by what Find
// leads to, since no later request leads from the StableID to it.
func TestACreateWithoutAReplyNamesWhatItMade(t *testing.T) {
	for _, stack := range []string{"", stackARN} {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf()
			a := invoke(t, registry.New(typeName, &unheard{s}), event{action: "CREATE", stack: stack, properties: asked}.json())
			if a.Status != "FAILED" || a.ErrorCode != "NetworkFailure" || !strings.Contains(string(a.ResourceModel), `"t-1"`) {
				t.Errorf("the answer is %+v, and there are %v", a, s.things)
			}
		})
	}
}

// A CREATE that failed before Create was called names nothing, and neither does one
// whose Create has made nothing that Find leads to: a DELETE of an ID that nothing has
// could fail, and the rollback with it.
func TestACreateThatMadeNothingNamesNothing(t *testing.T) {
	for _, stack := range []string{"", stackARN} {
		for name, r := range map[string]registry.Resource[props, data]{"Find": lost{newShelf()}, "Create": refusal{newShelf()}} {
			synctest.Test(t, func(t *testing.T) {
				a := invoke(t, registry.New(typeName, r), event{action: "CREATE", stack: stack, properties: asked}.json())
				if a.Status != "FAILED" || a.ErrorCode != "AccessDenied" || a.ResourceModel != nil {
					t.Errorf("after %s has failed the answer is %+v", name, a)
				}
			})
		}
	}
}

// lost is a shelf that may not be searched, and refusal one that takes nothing.
type (
	lost    struct{ *shelf }
	refusal struct{ *shelf }
)

var errDenied = cfnresource.Errorf(cfnresource.CodeAccessDenied, "no")

func (lost) Find(context.Context, *cfnresource.FindRequest[props]) (string, error) {
	return "", errDenied
}

func (refusal) Create(_ context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	_ = req.StableID()
	return data{}, errDenied
}

// unheard is a shelf whose replies to a Create are lost.
type unheard struct{ *shelf }

func (u *unheard) Create(_ context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	_, _ = u.make(req)
	return data{}, cfnresource.Errorf(cfnresource.CodeNetworkFailure, "the connection broke")
}

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
			synctest.Test(t, func(t *testing.T) {
				r := &refused{newShelf(), failure}
				a := invoke(t, registry.New(typeName, r), event{action: "DELETE", stack: stackARN, properties: `{"PhysicalResourceId":"t-7"}`}.json())
				if a.Status != "FAILED" || a.ErrorCode != want || a.Message == "" {
					t.Errorf("where Delete returns %v the answer is %s %s %q", failure, a.Status, a.ErrorCode, a.Message)
				}
			})
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
			a = invoke(t, registry.New(typeName, &refused{s, errors.New("it does not come off")}), e.json())
			if a.Status != "FAILED" || a.ErrorCode != "GeneralServiceException" {
				t.Errorf("the DELETE of %s that fails is answered %+v", id, a)
			}
		})
	}
}
