package main

import (
	"errors"
	"reflect"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/api"
	"github.com/cfnresource/sdk-go/cfnlocal/internal/local"
)

type serveCmd struct {
	Address string `help:"The loopback address and port to listen on. Port 0, the default, is any free port." default:"127.0.0.1:0" placeholder:"HOST:PORT"`
	Deploy  bool   `help:"Also answer the actions that create, change and delete stacks, for requests that are signed with the key that cfnlocal prints."`
	orderFlags
}

// orderFlags are about the operations that clients order.
type orderFlags struct {
	Logs bool `help:"With --deploy: print what handlers write."`
	substituteFlags
	typeFlags
	envFlags
}

// Help is shown by cfnlocal serve --help.
func (serveCmd) Help() string {
	return `The browser shows a time line for each stack, which follows running operations. cfnlocal story writes the same page as a file.

At the same address it answers DescribeStacks, DescribeStackEvents, DescribeStackResource, DescribeStackResources, ListStackResources, ListStacks, GetTemplate and GetTemplateSummary (of a stack) as CloudFormation does, for the AWS CLI, the AWS SDKs and every other client that takes an endpoint. For these actions, signatures are not verified: any region and any credentials work. Stacks are in the Region that they were deployed to, whatever region a client uses.

With --deploy it also answers CreateStack, UpdateStack, DeleteStack, CancelUpdateStack, RollbackStack, ContinueUpdateRollback and UpdateTerminationProtection. These requests must be signed with the key that it prints at the start, a new one each time. Anyone with the key can run programs as you: those that --function names, and those in the CodeUri of a template, relative to the working directory. An operation that a client ordered goes on until the stack is at rest. Ctrl-C interrupts it, and the next serve --deploy continues it. Change sets, on which aws cloudformation deploy depends, and templates in S3 are not supported.

Older clients do not know AWS_ENDPOINT_URL_CLOUDFORMATION, and would go to AWS: give them --endpoint-url, or endpoint_url.

It listens on loopback only. Requests from other web sites are refused, and on Linux so are other users of this machine. On other systems they can read what it serves. Values of NoEcho parameters are masked, as in CloudFormation.

Handlers that cfnlocal starts need none of this: they get endpoints of their own, in AWS_ENDPOINT_URL_CLOUDFORMATION and, for Lambda's Invoke, in AWS_ENDPOINT_URL_LAMBDA.`
}

// Run serves until it is interrupted.
func (c *serveCmd) Run(a *app) error {
	hasOrderFlags := !reflect.ValueOf(c.orderFlags).IsZero()
	if hasOrderFlags && !c.Deploy {
		return &failure{errors.New("without --deploy nothing is deployed, and only --address has an effect"), "cfnlocal serve --deploy, with the same flags", exitUsage}
	}
	h, err := a.home()
	if err != nil {
		return err
	}
	var writer *api.Writer
	if c.Deploy {
		operator, err := c.operator(a, h)
		if err != nil {
			return err
		}
		defer operator.Close()
		writer = &api.Writer{Key: api.NewKey(), Operator: operator}
	}
	server, err := h.Serve(c.Address, writer)
	if err != nil {
		return &failure{err, "cfnlocal serve --address 127.0.0.1:0 takes a free port", exitUsage}
	}
	// The address is printed once it answers: whoever reads it may call at once.
	c.announce(a, server.Origin(), writer)
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	select {
	case <-a.ctx.Done():
		return server.Close()
	case err := <-ended:
		return err
	}
}

// operator returns an operator that runs the programs of the flags.
func (c *serveCmd) operator(a *app, h *local.Home) (*local.Operator, error) {
	types, err := c.registeredTypes()
	if err != nil {
		return nil, err
	}
	if err := a.trust(h); err != nil { // here, where there is somebody to ask
		return nil, err
	}
	return h.NewOperator(a.ctx, c.substitutes(c.Env, types), func() local.Settings {
		return local.Settings{Watcher: newPrinter(a, c.Logs), Guard: guard{a, h}}
	})
}

// announce prints the server's address, and how a client gets there.
func (c *serveCmd) announce(a *app, at string, writer *api.Writer) {
	if writer == nil {
		a.tell("The stacks are shown at "+at+" until Ctrl-C: open it in a browser. CloudFormation's API is there as well, read-only. For example:\n  AWS_ACCESS_KEY_ID=x AWS_SECRET_ACCESS_KEY=x AWS_DEFAULT_REGION=us-east-1 aws cloudformation describe-stacks --endpoint-url "+at,
			map[string]any{"Endpoint": at})
		return
	}
	a.tell("The stacks are shown at "+at+" until Ctrl-C: open it in a browser. CloudFormation's API is there as well, for clients with\n"+
		"  export AWS_ENDPOINT_URL_CLOUDFORMATION="+at+"\n"+
		"  export AWS_ACCESS_KEY_ID="+writer.Key.ID+"\n"+
		"  export AWS_SECRET_ACCESS_KEY="+writer.Key.Secret+"\n"+
		"  export AWS_DEFAULT_REGION=us-east-1\n"+
		"For example: aws cloudformation create-stack --endpoint-url "+at+" --stack-name shop --template-body file://template.yaml",
		map[string]any{"Endpoint": at, "AccessKeyID": writer.Key.ID, "SecretAccessKey": writer.Key.Secret})
}
