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
// The checks that are named contract_ are those of AWS's own suite (package
// contract of the CloudFormation CLI), with what it asserts of every answer. Those
// named between_calls_ are about what breaks between two calls, which that suite
// does not try. Each plays the calls and callbacks of CloudFormation against the
// Dispatcher, in virtual time.
//
// AWS's checks of tags are not here, since a [registry.Resource] says nothing of
// tags. Its contract_create_create asks for AlreadyExists only where a template
// names the identifier; here the identifier is the SDK's, and the second CREATE
// may also make another resource.
package registrytest
