package template

import "github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"

// zones is Fn::GetAZs: the availability zones of a region.
type zones struct{}

func (zones) compile(c *compiler, f call) expr {
	argument := c.textual(f.argument, "the argument of Fn::GetAZs")
	return applied{[]expr{argument}, func(ev *evaluation) (any, error) {
		region, err := ev.text(argument, f.at, "the argument of Fn::GetAZs")
		if err != nil {
			return nil, err
		}
		if region == "" {
			region, _ = source.Text(ev.pseudo["AWS::Region"])
		}
		letters := moreZones[region]
		if letters == "" {
			letters = "abc"
		}
		if err := ev.spend(len(letters)*(len(region)+1), f.at); err != nil {
			return nil, err
		}
		var all []any
		for _, letter := range letters {
			all = append(all, region+string(letter))
		}
		return all, nil
	}}
}

// moreZones are the regions whose accounts see other zones than a, b and c.
var moreZones = map[string]string{"us-east-1": "abcdef", "us-west-1": "ac", "us-west-2": "abcd", "ap-northeast-1": "acd", "ap-northeast-2": "abcd", "ca-central-1": "abd"}
