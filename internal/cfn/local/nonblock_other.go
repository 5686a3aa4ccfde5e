//go:build !unix

package local

const nonblock = 0
