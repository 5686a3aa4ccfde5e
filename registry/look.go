package registry

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/properties"
	"github.com/cfnresource/sdk-go/physicalid"
)

// maxReads is how many calls a resource that is done may not be shown by Read: five minutes.
const maxReads = 60

func (c *call) read(ctx context.Context) *progress {
	if c.id == "" {
		return c.fail(cfnresource.CodeNotFound, "the request names no resource: "+Identifier+" is missing")
	}
	is, p := c.look(ctx, c.id)
	if p != nil {
		return p
	}
	return &progress{Status: succeeded, ResourceModel: c.d.res.echo(c.props, is).with(c.id)}
}

// settled answers a Create or Update that is done: with the resource as Read
// shows it, or with IN_PROGRESS until it does.
func (c *call) settled(ctx context.Context, id string) *progress {
	is, p := c.look(ctx, id)
	switch {
	case p == nil:
		return &progress{Status: succeeded, ResourceModel: c.d.res.echo(c.props, is).with(id)}
	case p.ErrorCode == cfnresource.CodeNotFound || p.ErrorCode.Transient() || ctx.Err() != nil:
		return c.unsettled(id, p.Message)
	}
	return p.about(c.open(id))
}

func (c *call) unsettled(id, why string) *progress {
	back := c.another()
	back.Settled = id
	if back.Reads++; back.Reads > maxReads {
		return c.fail(cfnresource.CodeNotStabilized, fmt.Sprintf("done, but Read does not tell after %d calls: %s", maxReads, why)).about(c.open(id))
	}
	return c.later(back, id, callbackDelay)
}

// look calls Read, and tries again what passes. It returns what Read has, or the
// answer to the failure.
func (c *call) look(ctx context.Context, id string) (members, *progress) {
	var is properties.Model // no result: a Read that was given up still writes to it
	p := c.retry(ctx, "Read", func(ctx context.Context) (err error) {
		var secrets []string
		is, secrets, err = c.d.res.read(ctx, &ReadRequest{Request: c.request(), PhysicalID: id})
		c.redactor.Add(secrets...)
		return err
	})
	if p != nil {
		return nil, p
	}
	return members(is), nil
}

func (c *call) list(ctx context.Context) *progress {
	var ids []string
	var next string
	if p := c.retry(ctx, "List", func(ctx context.Context) (err error) {
		ids, next, err = c.d.res.list(ctx, &ListRequest{Request: c.request(), NextToken: c.r.NextToken, Properties: c.props.json(), MaxResults: c.r.MaxResults})
		return err
	}); p != nil {
		return p
	}
	models := []members{}
	for _, id := range ids {
		if err := physicalid.Validate(id); err != nil {
			return c.fail(cfnresource.CodeInternalFailure, "List: "+err.Error())
		}
		models = append(models, members{}.with(id))
	}
	return &progress{Status: succeeded, ResourceModels: &models, NextToken: next}
}

// retry calls what only reads, and tries again what passes. It returns nil, or the
// answer to the failure.
func (c *call) retry(ctx context.Context, what string, fn func(context.Context) error) *progress {
	var code cfnresource.Code
	f := c.guard.Run(ctx, what, func(ctx context.Context) error {
		err := cfnresource.Retry(ctx, fn)
		code = cfnresource.CodeOf(err)
		return err
	})
	switch {
	case f == nil:
		return nil
	case f.Abandoned: // it still runs, and writes
		return c.fail(cfnresource.CodeNotStabilized, f.Text)
	case f.Stack != "":
		c.log(ctx, slog.LevelError, what+" panicked", slog.String("error", f.Text), slog.String("stack", f.Stack))
		return c.fail(cfnresource.CodeInternalFailure, f.Text)
	}
	return c.fail(code, f.Text)
}
