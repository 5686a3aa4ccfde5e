package registry_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/registry"
)

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
