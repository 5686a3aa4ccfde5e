package cfnresource

import (
	"fmt"
	"reflect"
)

// A ResourceType is one that a Dispatcher has a handler for.
type ResourceType struct {
	Name             string       // as given to Handle; "" is every type that has no handler of its own
	Properties, Data reflect.Type // the handler's P and D
}

// describe returns the description of the resource types.
func (d *Dispatcher) describe() ([]byte, error) {
	if err := d.Err(); err != nil {
		return nil, fmt.Errorf("the function is not configured as it must be: %w", err)
	}
	return d.opts.Describe(d.types)
}
