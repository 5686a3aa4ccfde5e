// Command healthy is the program of docs/long-work.md: it waits until a URL
// answers 200, so that what depends on it in the template is made afterwards.
package main

import (
	"context"
	"net/http"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
)

type Props struct {
	URL string `json:"Url" cfn:"required"`
}

type Data struct{ WaitedSeconds int }

// Wait runs on Create and on each Update. It starts nothing, so it may run twice.
func Wait(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	began := time.Now()
	err := cfnresource.Poll(ctx, 5*time.Second, func(ctx context.Context) (bool, error) {
		get, err := http.NewRequestWithContext(ctx, http.MethodGet, req.Properties.URL, nil)
		if err != nil {
			return false, err // no later try is any better
		}
		got, err := http.DefaultClient.Do(get)
		if err != nil {
			return false, nil //nolint:nilerr // not up yet: ask again
		}
		return got.StatusCode == http.StatusOK, got.Body.Close()
	})
	return Data{WaitedSeconds: int(time.Since(began).Seconds())}, err
}

func main() { lambda.Start(cfnresource.New(cfnresource.Action(Wait))) }
