package main

import (
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

// The program that the guide leads with holds what CloudFormation demands, and lets no secret out.
func TestContract(t *testing.T) {
	passwords := &Passwords{key: []byte(strings.Repeat("k", 32))}
	cfntest.TestHandler(t, cfntest.Contract{
		New: func(testing.TB) cfntest.Service {
			return cfntest.Service{Function: func() cfntest.Function { return cfnresource.New(passwords) }}
		},
		Properties: Props{Pepper: "a pepper", Length: 20},
		InPlace:    Props{Pepper: "another pepper", Length: 20},
		Refused:    Props{Pepper: "a pepper", Length: 1000},
	})
}
