package template

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// passedParameters are the parameters that a nested stack is given: strings, and lists joined by commas [D].
func passedParameters(properties map[string]any) (map[string]string, error) {
	values := map[string]string{}
	given, is := properties["Parameters"].(map[string]any)
	if !is && properties["Parameters"] != nil {
		return nil, errors.New("the Parameters of a nested stack are an object of strings")
	}
	for name, value := range given {
		items, isList := value.([]any)
		if !isList {
			items = []any{value}
		}
		texts := make([]string, len(items))
		for i, item := range items {
			if texts[i], is = item.(string); !is {
				return nil, fmt.Errorf("the parameter %s of a nested stack must be a string or a list of strings", source.Shorten(name))
			}
		}
		values[name] = strings.Join(texts, ",")
	}
	return values, nil
}
