package registry

import (
	"context"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/properties"
)

// Credentials returns the caller's credentials, with which the handler works in the caller's
// account: the function's own role is CloudFormation's. Pass the ctx of a handler's method. If the
// request has none, the first call to AWS fails with InvalidCredentials, before it sends anything.
// Make a client for each request, because each request has its own credentials.
func Credentials(ctx context.Context) aws.CredentialsProvider {
	c := callOf(ctx)
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		if c == nil || c.r.Data.Caller == nil {
			return aws.Credentials{}, cfnresource.Errorf(cfnresource.CodeInvalidCredentials, "the request has no callerCredentials: does the type have an execution role?")
		}
		return c.r.Data.Caller.aws(), nil
	})
}

func (c *credentials) aws() aws.Credentials {
	return aws.Credentials{AccessKeyID: c.AccessKeyID, SecretAccessKey: c.SecretAccessKey, SessionToken: c.SessionToken, Source: "CloudFormation"}
}

// Configuration returns the configuration of the type in the caller's account: the
// struct that [Schema] was given, read as properties are, tags included. ctx is that
// of a handler's method. Its error has a code, and holds no value.
func Configuration[C any](ctx context.Context) (C, error) {
	var zero C
	s, err := properties.SchemaOf(reflect.TypeFor[C]())
	if err != nil {
		return zero, cfnresource.Errorf(cfnresource.CodeInternalFailure, "the configuration's type: %w", err)
	}
	c := callOf(ctx)
	if c == nil {
		return zero, cfnresource.Errorf(cfnresource.CodeInternalFailure, "the context is none of a registry request's")
	}
	conf := new(C)
	res := s.Decode(c.r.Data.Configuration, conf)
	cfnresource.Secret(ctx, s.Secrets(c.r.Data.Configuration, conf)...) // read in Lazy, they last
	const cure = "aws cloudformation set-type-configuration --type RESOURCE --type-name %s --configuration '{...}'"
	for _, problems := range [][]*properties.Error{res.Bad, res.Unknown} {
		if len(problems) > 0 {
			return zero, cfnresource.Errorf(cfnresource.CodeInvalidTypeConfiguration, "the type's configuration: %w: correct it with "+cure, problems[0], c.d.typeName)
		}
	}
	if len(res.Required) > 0 {
		return zero, cfnresource.Errorf(cfnresource.CodeInvalidTypeConfiguration, "the type's configuration has no %s: set it with "+cure, res.Required[0].Path, c.d.typeName)
	}
	return *conf, nil
}
