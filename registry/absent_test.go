package registry_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/registry"
)

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
