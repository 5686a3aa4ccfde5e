package cfnresource

import "context"

// A Dispatcher stands between Lambda and one [Handler]: pass it to
// lambda.Start. It is safe for concurrent use.
type Dispatcher struct{ mux *Mux }

// New returns a Dispatcher that passes every event to h, whatever its resource
// type. It never panics: what is wrong with h, its types or the options is
// reported by [Dispatcher.Err], and is the Reason of a FAILED answer to every
// event.
func New[H Handler[P, D], P, D any](h H, optFns ...func(*Options)) *Dispatcher {
	m := NewMux(optFns...)
	Handle(m, anyType, h)
	return &Dispatcher{m}
}

// Err returns what is wrong with the handler, its types and the options, or
// nil. It is for tests: New cannot return an error, since a program that ends
// before it answers is an hour's wait.
func (d *Dispatcher) Err() error { return d.mux.Err() }

// Invoke answers the events in payload: one as CloudFormation sends it, those
// in an SNS notification, or the one in the record that an on-failure
// destination gets. It returns nil once they are answered, a FAILED answer
// included, and an error if one could not be answered or delivered: then
// Lambda delivers the payload again. It writes nothing to its result.
func (d *Dispatcher) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	return d.mux.Invoke(ctx, payload)
}
