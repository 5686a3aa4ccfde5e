package registry_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/physicalid"
	"github.com/cfnresource/sdk-go/registry"
)

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
