// Package hint says, of a handler that was played and failed, what helps, and what else
// than the handler may be the cause.
package hint
