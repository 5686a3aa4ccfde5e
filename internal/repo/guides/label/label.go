package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// Props are what a template says of a label.
type Props struct{ Color string }

// Data is what a template can ask a label for.
type Data struct{ URL string }

// Label is the handler. The labels are in a service with a web API.
type Label struct{ client *http.Client }

// Create makes a label. The service answers 409 if there is one of that name.
func (l *Label) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
	id := req.StableID()
	err := l.call(ctx, http.MethodPost, id, req.Properties.Color)
	if cfnresource.CodeOf(err) == cfnresource.CodeResourceConflict {
		return Data{}, cfnresource.AlreadyExists(id) // made by an earlier delivery: Update finishes it
	}
	if err != nil {
		return Data{}, err
	}
	req.Created(id)
	return Data{URL: urlOf(id)}, nil
}

// Update paints a label.
func (l *Label) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	return Data{URL: urlOf(req.PhysicalID)}, l.call(ctx, http.MethodPut, req.PhysicalID, req.Properties.Color)
}

// Delete removes a label. The error of one that is gone has the code NotFound, with which a Delete succeeds.
func (l *Label) Delete(ctx context.Context, req *cfnresource.DeleteRequest[Props]) error {
	return l.call(ctx, http.MethodDelete, req.PhysicalID, "")
}

// call sends a request about a label. Its error has the code that the status means.
func (l *Label) call(ctx context.Context, method, id, color string) error {
	req, err := http.NewRequestWithContext(ctx, method, urlOf(id), strings.NewReader(color))
	if err != nil {
		return err
	}
	reply, err := l.client.Do(req)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	if reply.StatusCode >= http.StatusMultipleChoices {
		return cfnresource.HTTPStatus(reply.StatusCode, fmt.Errorf("%s of the label %s: %s", method, id, reply.Status))
	}
	return nil
}

func urlOf(id string) string { return "https://labels.example.com/" + url.PathEscape(id) }

func main() {
	lambda.Start(cfnresource.New(&Label{client: http.DefaultClient}))
}
