// Package record holds what is kept of a stack: its state, and the deployments that a
// rollback can lead back to. It tells which template and which secrets each stack of a
// root has. It reads files and starts nothing.
//
//	record.go      what is kept of a stack
//	deployment.go  a template with all that was said about it
//	inherit.go     what an update need not say again
//	override.go    what a command says otherwise for itself
//	nested.go      the part of a deployment that is about a nested stack
//	nestedfiles.go the templates of nested stacks
//	code.go        where the programs of functions and types are built from
//	types.go       the registered types whose handlers run here
//	secrets.go     what is not to be shown
package record
