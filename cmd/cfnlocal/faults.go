package main

import (
	"fmt"

	"github.com/alecthomas/kong"

	"github.com/cfnresource/sdk-go/internal/cfn/local"
)

// helpFaults is a flag that lists the faults and ends the program.
type helpFaults bool

// BeforeReset is called before anything else is checked, as for --help.
func (helpFaults) BeforeReset(k *kong.Kong) error { //nolint:unparam // kong looks for this signature
	fmt.Fprintf(k.Stdout, "A fault is written %s\n", local.FaultForm)
	fmt.Fprintln(k.Stdout, "#N is the Nth request that matches (the first without it), #* each, ~P% each by chance, from --seed.")
	fmt.Fprintln(k.Stdout, "An event about a request by which a function invokes itself counts as one more; cancel comes before it.")
	for _, f := range local.FaultKinds {
		fmt.Fprintf(k.Stdout, "  %-16s %s\n", f.Name, f.Does)
	}
	k.Exit(exitComplete)
	return nil
}
