// Package provider finds out what is behind a ServiceToken, or a type of the registry,
// as it is deployed now: an update that changes a function's environment has changed
// it once the function's own row says so, and a rollback changes it back. Nothing is
// started here.
//
//	provider.go what was found
//	search.go   where: the stacks of a root, their functions, aliases and topics
//	function.go a function's properties, as the host takes them
//	failures.go retries, and what failed events go to
//	external.go what is no stack's here, by the command that is given for it
package provider
