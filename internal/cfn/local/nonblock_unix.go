//go:build unix

package local

import "syscall"

// nonblock has a pipe opened without waiting for somebody who writes to it.
const nonblock = syscall.O_NONBLOCK
