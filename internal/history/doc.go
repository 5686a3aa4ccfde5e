// Package history says what Explore plays, without playing it: decisions about values.
//
// To read, in this order:
//
//   - history.go: what a history is, and the line that Replay reads
//   - plan.go: which histories there are
//   - request.go: what became of a request
//   - limits.go: what no handler can prevent
package history
