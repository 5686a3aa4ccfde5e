// Package registrytest tests a resource type of the registry against the contract
// that CloudFormation asks of it, before anything is registered:
//
//	func TestContract(t *testing.T) {
//		registrytest.TestContract(t, registrytest.Inputs[Props]{
//			Create: Props{Name: "a", Size: 1},
//			Update: Props{Name: "a", Size: 2},
//		}, func(t *testing.T) registrytest.Process {
//			service := fake.New()
//			return func() *registry.Dispatcher {
//				return registry.New("Example::Shelf::Thing", &Things{service})
//			}
//		})
//	}
//
// The checks that are named contract_ are those of AWS's own suite (package contract of the
// CloudFormation CLI), with what it asserts of every answer. Those named between_calls_ are about
// what breaks between two calls, which that suite does not try. Each plays the calls and callbacks
// of CloudFormation against the Dispatcher, in virtual time.
//
// [Explore] takes the same, and has each step of a life meet each fault.
//
// Two of AWS's checks, of tags, are left out, as its suite skips them: the schema of a
// [registry.Resource] says that it is not taggable. AWS's contract_create_create asks for
// AlreadyExists, and contract_delete_create for a second resource, only where a template names the
// identifier. Here the identifier is the SDK's: the second CREATE may also make another resource,
// and what was deleted can be made again.
package registrytest
