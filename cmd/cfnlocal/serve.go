package main

import (
	"errors"
	"fmt"
)

type serveCmd struct {
	Address string `help:"Where to listen: an address of this machine's loopback, and a port, 0 for a free one, which is what is taken without it." default:"127.0.0.1:0" placeholder:"HOST:PORT"`
}

// Help is shown by cfnlocal serve --help.
func (serveCmd) Help() string {
	return `Answers DescribeStacks, DescribeStackEvents, DescribeStackResource, DescribeStackResources, ListStackResources, ListStacks, GetTemplate and GetTemplateSummary (of a stack) as CloudFormation does, for the AWS CLI, the AWS SDKs and whatever else takes an endpoint. Every other action is refused: stacks are deployed and deleted by cfnlocal's own commands, while it serves too.

It listens on loopback alone. Signatures are not verified: any region and any credentials will do. Pages of other sites are refused, and on Linux other users of this machine; elsewhere they can read what it serves. Values of parameters with NoEcho are masked, as by CloudFormation.

Handlers that cfnlocal starts need none of this: they get endpoints of their own, in AWS_ENDPOINT_URL_CLOUDFORMATION and, for Lambda's Invoke, in AWS_ENDPOINT_URL_LAMBDA.`
}

// Run answers until it is interrupted.
func (c *serveCmd) Run(a *app) (err error) {
	h, err := a.home()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	server, err := h.Serve(c.Address)
	if err != nil {
		return &failure{err, "cfnlocal serve --address 127.0.0.1:0 takes a free port", exitUsage}
	}
	if a.json {
		a.print(map[string]any{"Endpoint": server.Origin()})
	} else {
		fmt.Fprintf(a.out, "CloudFormation's API, for reading, is at %s until Ctrl-C. For example:\n  aws cloudformation describe-stacks --endpoint-url %s\n", server.Origin(), server.Origin())
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	select {
	case <-a.ctx.Done():
		return server.Close()
	case err := <-ended:
		return err
	}
}
