// Registered is a resource type of CloudFormation's registry.
package main

import (
	"context"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/examples/registered/monitors"
	"github.com/cfnresource/sdk-go/registry"
)

const typeName = "Example::Monitors::Monitor"

func main() {
	lambda.Start(registry.New(typeName, &monitors.Monitor{API: api}, describe))
}

// describe lets tools ask for the schema, with which the type is registered. No
// handler calls AWS, so that none needs permissions.
func describe(o *registry.Options) {
	o.Schema = func() ([]byte, error) {
		return registry.Schema[monitors.Props, monitors.Data, settings](typeName, registry.Handlers{
			Create: registry.Handler{Timeout: 30 * time.Minute},
		})
	}
}

// settings are the type's configuration: each account that uses the type sets its
// own, since the function's environment is not the account's.
type settings struct {
	_        struct{} `doc:"The API, and who calls it."`
	APIURL   string   `json:"ApiUrl" cfn:"required"`
	APIToken string   `json:"ApiToken" cfn:"secret"`
}

// api is called for each request. On a developer's machine the environment has the settings.
func api(ctx context.Context) (*monitors.API, error) {
	if base := os.Getenv("API_URL"); base != "" {
		return monitors.NewAPI(base, os.Getenv("API_TOKEN")), nil
	}
	s, err := registry.Configuration[settings](ctx)
	if err != nil {
		return nil, err
	}
	return monitors.NewAPI(s.APIURL, s.APIToken), nil
}
