package parameter

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cfnresource/sdk-go/internal/cfn/template/source"
)

// Passed are the parameters that a nested stack is given: strings, and lists joined by commas [D].
func Passed(properties map[string]any) (map[string]string, error) {
	values := map[string]string{}
	given, is := properties["Parameters"].(map[string]any)
	if !is && properties["Parameters"] != nil {
		return nil, errors.New("the Parameters of a nested stack are an object of strings")
	}
	for name, value := range given {
		switch v := value.(type) {
		case string:
			values[name] = v
			continue
		case []any:
			items := make([]string, len(v))
			ok := true
			for i := range v {
				var is bool
				items[i], is = v[i].(string)
				ok = ok && is
			}
			if ok {
				values[name] = strings.Join(items, ",")
				continue
			}
		}
		return nil, fmt.Errorf("the parameter %s of a nested stack must be a string or a list of strings", source.Shorten(name))
	}
	return values, nil
}
