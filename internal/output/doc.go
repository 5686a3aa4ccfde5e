// Package output is what a handler writes while it is tested: to the log, which is kept out of the
// test's output, to the standard streams, and in the last words of a process that it ends.
package output
