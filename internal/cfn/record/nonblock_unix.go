//go:build unix

package record

import "syscall"

// nonblock has a pipe opened without waiting for somebody who writes to it.
const nonblock = syscall.O_NONBLOCK
