package main

import (
	"errors"
	"net"
	"net/url"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/record"
)

// runFlags are the flags of a service that runs beside a stack's functions.
type runFlags struct {
	Service *string `name:"run" help:"A command that runs a service that the handler needs. Later commands on the stack run it too." placeholder:"COMMAND"`
	Ready   string  `name:"run-ready" help:"Where the service of --run answers when it is ready: a URL, or HOST:PORT. The default is a local address in the command, in --env or in a function's environment, or else the first line that the service prints." placeholder:"URL"`
}

// Validate refuses a --run-ready that is no address.
func (f *runFlags) Validate() error {
	u, err := url.Parse(f.Ready)
	isURL := err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
	if _, _, err := net.SplitHostPort(f.Ready); f.Ready == "" || isURL || err == nil {
		return nil
	}
	return errors.New("--run-ready: write http://HOST:PORT/PATH, or HOST:PORT")
}

// envFlags are the environment variables of the functions and the service.
type envFlags struct {
	Env map[string]string `help:"An environment variable for the functions and the service." placeholder:"NAME=VALUE" mapsep:"none"`
}

// serviceFlags are the flags of the commands that do not deploy a template, about
// the service and the environment.
type serviceFlags struct {
	runFlags
	envFlags
}

func (f *serviceFlags) values() record.Override {
	return record.Override{Service: f.Service, Ready: f.Ready, Env: f.Env}
}
