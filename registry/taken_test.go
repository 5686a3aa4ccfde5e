package registry_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/registry"
)

type alarmProps struct {
	Every time.Duration `cfn:"createOnly,required"`
}

// alarms bear their StableID as their name, and there is no Find.
type alarms struct {
	there map[string]alarmProps
	waits time.Duration // before an alarm is made
	fails error         // of Create
	reads error         // of Read
	calls []string
}

func (s *alarms) Create(ctx context.Context, req *cfnresource.CreateRequest[alarmProps]) (none struct{}, err error) {
	s.calls = append(s.calls, "Create")
	id := req.StableID()
	if s.fails != nil {
		return none, s.fails
	}
	begun := time.Now()
	if err := cfnresource.Poll(ctx, time.Second, func(context.Context) (bool, error) {
		return len(s.calls) > 1 || time.Since(begun) >= s.waits, nil
	}); err != nil {
		return none, err
	}
	if _, taken := s.there[id]; taken {
		return none, cfnresource.AlreadyExists(id)
	}
	s.there[id] = req.Properties
	return none, nil
}

func (s *alarms) Update(_ context.Context, req *cfnresource.UpdateRequest[alarmProps]) (none struct{}, err error) {
	s.calls = append(s.calls, "Update "+req.PhysicalID)
	s.there[req.PhysicalID] = req.Properties
	return none, nil
}

func (s *alarms) Delete(_ context.Context, req *cfnresource.DeleteRequest[alarmProps]) error {
	delete(s.there, req.PhysicalID)
	return nil
}

func (s *alarms) Read(_ context.Context, req *registry.ReadRequest) (m registry.Model[alarmProps, struct{}], err error) {
	p, ok := s.there[req.PhysicalID]
	if !ok && s.reads == nil {
		return m, cfnresource.Errorf(cfnresource.CodeNotFound, "there is no alarm %s", req.PhysicalID)
	}
	m.Properties = p
	return m, s.reads
}

func (s *alarms) List(context.Context, *registry.ListRequest) ([]string, string, error) {
	return slices.Sorted(maps.Keys(s.there)), "", nil
}

// 60m and 1h are another text to CloudFormation, which replaces the resource, and the
// same StableID. The replacement adopts nothing, even if its Create waits beyond a
// call: the cleanup would delete the only alarm. And it names nothing, however its
// Create fails: the rollback would delete it.
func TestAReplacementWithTheSameStableID(t *testing.T) {
	for name, second := range map[string]alarms{
		"waits":           {waits: time.Hour},
		"loses its reply": {fails: cfnresource.Errorf(cfnresource.CodeNetworkFailure, "the connection broke")},
		"is refused":      {fails: cfnresource.Errorf(cfnresource.CodeAccessDenied, "no")},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &alarms{there: map[string]alarmProps{}}
			first, _ := play(t, always(registry.New(typeName, s)), event{action: "CREATE", stack: stackARN, properties: `{"Every":"60m"}`})
			second.there = s.there
			a, _ := play(t, always(registry.New(typeName, &second)), event{action: "CREATE", token: "2", stack: stackARN, properties: `{"Every":"1h"}`})
			if first.Status != "SUCCESS" || a.ErrorCode != "AlreadyExists" || a.ResourceModel != nil || len(second.calls) > 0 {
				t.Errorf("the second CREATE, which %s, is answered %s %s %s; its calls are %q", name, a.Status, a.ErrorCode, a.ResourceModel, second.calls)
			}
		})
	}
}

// A Read of a name that a service does not take says that it is free. One that
// says nothing of it leaves that open: nothing is made, and nothing is named.
func TestWhetherANameIsTaken(t *testing.T) {
	for code, want := range map[cfnresource.Code]int{
		cfnresource.CodeInvalidRequest: 1, cfnresource.CodeGeneralServiceException: 0,
		cfnresource.CodeAccessDenied: 0, cfnresource.CodeServiceInternalError: 0,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &alarms{there: map[string]alarmProps{}, reads: cfnresource.Errorf(code, "no")}
			a := invoke(t, registry.New(typeName, s), event{action: "CREATE", stack: stackARN, properties: `{"Every":"1h"}`}.json())
			if len(s.calls) != want || want == 0 && (a.ErrorCode != string(code) || a.ResourceModel != nil) {
				t.Errorf("where Read fails with %s the answer is %s %s %s, and the calls are %q", code, a.Status, a.ErrorCode, a.ResourceModel, s.calls)
			}
		})
	}
}
