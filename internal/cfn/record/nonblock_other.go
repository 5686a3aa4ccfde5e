//go:build !unix

package record

const nonblock = 0
