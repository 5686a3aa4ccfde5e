package registry_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
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
