package registry

import (
	"encoding/json"
	"fmt"
)

// describe answers who asks for the type's schema, in the form in which functions
// of custom resources answer.
func (d *Dispatcher) describe() ([]byte, error) {
	if d.err != nil {
		return nil, fmt.Errorf("the function is not configured as it must be: %w", d.err)
	}
	raw, err := d.opts.Schema()
	if err != nil {
		return nil, fmt.Errorf("the schema: %w", err)
	}
	return json.Marshal(map[string]any{"resourceTypes": []any{map[string]any{"schema": json.RawMessage(raw)}}})
}
