// Several is one Lambda function behind two custom resources, the virtual hosts
// and the queues of a RabbitMQ broker, with middleware that writes metrics.
package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/schema"
)

func main() {
	lambda.Start(function(open, os.Stdout.Write))
}

// function returns the handlers of both types, over the broker that open
// returns, with metrics that go to write.
func function(open func(context.Context) (*Broker, error), write func([]byte) (int, error)) *cfnresource.Dispatcher {
	d := cfnresource.NewDispatcher(schema.Describe, func(o *cfnresource.Options) {
		o.Middleware = []cfnresource.Middleware{Metrics(write)}
	})
	cfnresource.Handle(d, "Custom::VirtualHost", cfnresource.Lazy(func(ctx context.Context) (*VirtualHost, error) {
		b, err := open(ctx)
		return &VirtualHost{b}, err
	}))
	cfnresource.Handle(d, "Custom::Queue", cfnresource.Lazy(func(ctx context.Context) (*Queue, error) {
		b, err := open(ctx)
		return &Queue{b}, err
	}))
	return d
}

// open runs at the first event of each type. If it fails, that event is
// answered with its error; had main failed, nobody would answer.
func open(context.Context) (*Broker, error) {
	for _, name := range []string{"BROKER_URL", "BROKER_USER", "BROKER_PASSWORD"} {
		if os.Getenv(name) == "" {
			return nil, errors.New("the function's environment has no " + name + ": set it to what the broker's management API takes")
		}
	}
	return &Broker{
		URL:      os.Getenv("BROKER_URL"),
		User:     os.Getenv("BROKER_USER"),
		Password: os.Getenv("BROKER_PASSWORD"),
		Client:   &http.Client{Timeout: 10 * time.Second},
	}, nil
}
