package main

type serveCmd struct {
	Address string `help:"The loopback address and port to listen on. Port 0, the default, is any free port." default:"127.0.0.1:0" placeholder:"HOST:PORT"`
}

// Help is shown by cfnlocal serve --help.
func (serveCmd) Help() string {
	return `The browser shows a time line for each stack, which follows running operations. cfnlocal story writes the same page as a file.

At the same address it answers DescribeStacks, DescribeStackEvents, DescribeStackResource, DescribeStackResources, ListStackResources, ListStacks, GetTemplate and GetTemplateSummary (of a stack) as CloudFormation does, for the AWS CLI, the AWS SDKs and every other client that takes an endpoint. Other actions are refused. Deploy and delete stacks with cfnlocal's own commands, also while it serves.

It listens on loopback only. Signatures are not verified: any region and any credentials work. Requests from other web sites are refused, and on Linux so are other users of this machine. On other systems they can read what it serves. Values of NoEcho parameters are masked, as in CloudFormation.

Handlers that cfnlocal starts need none of this: they get endpoints of their own, in AWS_ENDPOINT_URL_CLOUDFORMATION and, for Lambda's Invoke, in AWS_ENDPOINT_URL_LAMBDA.`
}

// Run serves until it is interrupted.
func (c *serveCmd) Run(a *app) error {
	h, err := a.home()
	if err != nil {
		return err
	}
	server, err := h.Serve(c.Address)
	if err != nil {
		return &failure{err, "cfnlocal serve --address 127.0.0.1:0 takes a free port", exitUsage}
	}
	at := server.Origin()
	a.tell("The stacks are shown at "+at+" until Ctrl-C: open it in a browser. CloudFormation's API, for reading, is there as well. For example:\n  AWS_ACCESS_KEY_ID=x AWS_SECRET_ACCESS_KEY=x AWS_DEFAULT_REGION=us-east-1 aws cloudformation describe-stacks --endpoint-url "+at,
		map[string]any{"Endpoint": at})
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	select {
	case <-a.ctx.Done():
		return server.Close()
	case err := <-ended:
		return err
	}
}
