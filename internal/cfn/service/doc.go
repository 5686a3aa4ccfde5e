// Package service runs the programs that people name by a command line: a service
// that handlers need while they work, and a command that says what there is.
//
//	service.go a program that runs until it is stopped
//	ready.go   when it serves
//	output.go  a command that ends
//	group_*.go what belongs to a program and ends with it, by operating system
package service
