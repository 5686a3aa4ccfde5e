package provider

import (
	"cmp"
	"maps"
	"strconv"
	"time"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/host"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/service"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template"
)

// function is a function as its properties and its configuration of events describe
// it, without its program.
func function(of *deployedResource, arn string, config eventInvokeConfig) host.Function {
	properties := of.Properties.Map()
	f := host.Function{
		ARN:                  arn,
		Env:                  map[string]string{},
		Handler:              text(properties, "Handler"),
		Timeout:              time.Duration(number(properties, "Timeout", 3)) * time.Second, // [D] Lambda's own
		MemorySize:           number(properties, "MemorySize", 128),
		Recursive:            text(properties, "RecursiveLoop") == "Allow",
		MaximumRetryAttempts: number(config, "MaximumRetryAttempts", 2),
		MaximumEventAge:      time.Duration(number(config, "MaximumEventAgeInSeconds", 0)) * time.Second, // zero is Lambda's own
	}
	for name, value := range object(properties, "Environment", "Variables") {
		f.Env[name], _ = value.(string)
	}
	return f
}

// addFunction adds a function with its program: the command that is given for it,
// what was built of its code, or what is to be built.
func (s *search) addFunction(of *deployedResource, f host.Function) {
	d, plan := s.madeBy(of)
	if d == nil {
		return
	}
	p := s.found
	f.Dir = d.Dir
	maps.Copy(f.Env, d.Env)
	path := of.stack.PathOf(of.LogicalID)
	var declared template.Function
	for _, one := range plan.Functions {
		if one.LogicalID == of.LogicalID {
			declared = one
			p.Forbidden[of.PhysicalID] = one.SelfInvocationDenied
		}
	}
	program := s.record.Programs[d.Revision][path]
	switch command := d.Commands[of.LogicalID]; {
	case command != "":
		f.Command = service.Shell(command)
	case program != "":
		f.Command, f.Dir = []string{program}, cmp.Or(d.CodeOf(&declared), d.Dir)
	case of.stack.Parent != "" && declared.CodeURI != "":
		f.Dir = cmp.Or(d.CodeOf(&declared), d.Dir)
		p.Unbuilt = append(p.Unbuilt, Unbuilt{len(p.Functions), d, declared})
	default:
		p.Reason = NoProgram(path)
	}
	p.Names[of.PhysicalID] = path
	p.Functions = append(p.Functions, f)
}

// text is a property as it is on the wire, where all scalars are strings.
func text(properties map[string]any, name string) string {
	s, _ := properties[name].(string)
	return s
}

func number(properties map[string]any, name string, otherwise int) int {
	n, err := strconv.Atoi(text(properties, name))
	if err != nil {
		return otherwise
	}
	return n
}

// object is an object in properties, at the end of names; nil if there is none.
func object(properties map[string]any, names ...string) map[string]any {
	for _, name := range names {
		properties, _ = properties[name].(map[string]any)
	}
	return properties
}
