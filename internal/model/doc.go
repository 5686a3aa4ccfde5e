// Package model plays CloudFormation's side of a custom resource against real
// handlers behind the real dispatcher, in tests: all short histories of one
// resource, with one fault anywhere in them, in virtual time. It checks that
// nothing live and nothing of a stranger's is deleted, that nothing is left
// behind, and that no rollback fails; and it finds what is known not to hold,
// and nothing else.
//
// It knows CloudFormation from AWS's documents and from what people saw, not
// from an account. Where AWS's behaviour is not known it plays each way that
// is left (see reading).
package model
