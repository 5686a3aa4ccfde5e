package main

import (
	"errors"
	"net"
	"net/url"

	"github.com/cfnresource/sdk-go/internal/cfn/local"
)

// A service is what runs beside a stack's functions.
type service struct {
	Service *string `name:"run" help:"A command that runs a service that the handler needs. Later commands on the stack run it too." placeholder:"COMMAND"`
	Ready   string  `name:"run-ready" help:"Where the service of --run answers when it is ready: a URL, or HOST:PORT. The default is a local address in the command, in --env or in a function's environment, or else the first line that the service prints." placeholder:"URL"`
}

// Validate refuses what no service can answer at.
func (s *service) Validate() error {
	u, err := url.Parse(s.Ready)
	isURL := err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
	if _, _, err := net.SplitHostPort(s.Ready); s.Ready == "" || isURL || err == nil {
		return nil
	}
	return errors.New("--run-ready: write http://HOST:PORT/PATH, or HOST:PORT")
}

// An environment is what programs find there.
type environment struct {
	Env map[string]string `help:"An environment variable for the functions and the service." placeholder:"NAME=VALUE" mapsep:"none"`
}

// An around is both, for the commands that deploy no template.
type around struct {
	service
	environment
}

func (r *around) said() local.Around {
	return local.Around{Service: r.Service, Ready: r.Ready, Env: r.Env}
}
