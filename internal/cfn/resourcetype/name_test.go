package resourcetype_test

import (
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/internal/cfn/resourcetype"
)

func TestNames(t *testing.T) {
	long := strings.Repeat("x", 64)
	for name, want := range map[string][2]bool{
		"Example::Web::Monitor":               {true, false},
		long + "::" + long + "::" + long:      {true, false},
		long + "x::Web::Monitor":              {false, false},
		"Example::W::Monitor":                 {false, false},
		"Example::Web":                        {false, false},
		"Example::Web::Monitor::MODULE":       {false, false},
		"Example::Web::Mo-nitor":              {false, false},
		"Example::Web::Mönitor":               {false, false},
		"":                                    {false, false},
		"Custom::A":                           {false, true},
		"Custom::My_Type@2-b":                 {false, true},
		"Custom::" + strings.Repeat("x", 60):  {false, true},
		"Custom::" + strings.Repeat("x", 61):  {false, false},
		"Custom::":                            {false, false},
		"Custom::A::B":                        {false, false},
		"Custom::AB::CD":                      {true, false},
		"Custom::A B":                         {false, false},
		"AWS::CloudFormation::CustomResource": {true, false},
		"Example::Web::Monitor\n":             {false, false},
		"Custom::A\n":                         {false, false},
		"Custom::\xff":                        {false, false},
	} {
		if got := [2]bool{resourcetype.IsName(name), resourcetype.IsCustom(name)}; got != want {
			t.Errorf("%q: a name, and one of a custom resource: %t, want %t", name, got, want)
		}
	}
}
