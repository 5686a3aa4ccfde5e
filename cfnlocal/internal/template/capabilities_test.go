package template

import (
	"strings"
	"testing"
)

func TestCapabilities(t *testing.T) {
	role := capabilityOf("AWS::IAM::Role", []string{"Path"})
	named := capabilityOf("AWS::IAM::Role", []string{"Path", "RoleName"})
	if got := capabilityOf("AWS::SNS::Topic", []string{"RoleName"}); got != "" {
		t.Errorf("a topic needs %s", got)
	}
	if key := capabilityOf("AWS::IAM::AccessKey", []string{"UserName"}); key != role {
		t.Errorf("an access key, which has its user's name, needs %s", key)
	}
	for _, tt := range []struct {
		needed []string
		given  string
		want   string
	}{
		{nil, "", ""},
		{[]string{role, role}, "", "CAPABILITY_IAM"},
		{[]string{role}, "CAPABILITY_IAM", ""},
		{[]string{role}, "CAPABILITY_NAMED_IAM", ""},
		{[]string{role, named}, "CAPABILITY_IAM", "CAPABILITY_NAMED_IAM"},
		{[]string{role, named, capabilityAutoExpand}, "", "CAPABILITY_NAMED_IAM CAPABILITY_AUTO_EXPAND"},
	} {
		if got := strings.Join(MissingCapabilities(tt.needed, strings.Fields(tt.given)), " "); got != tt.want {
			t.Errorf("%q with %q: missing %q, want %q", tt.needed, tt.given, got, tt.want)
		}
	}
}
