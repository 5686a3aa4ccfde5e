package properties

// Stringify returns a template's value, as encoding/json reads it into any, as CloudFormation sends
// it: booleans and numbers are strings, in lists and objects too; null members and elements are
// left out, since a template cannot hold them. v is not changed.
func Stringify(v any) any {
	raw, err := marshal(v)
	if err != nil {
		return nil
	}
	sent, _ := parse(raw) // nil if it is nested too deep
	return sent
}
