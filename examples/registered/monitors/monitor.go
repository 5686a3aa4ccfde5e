// Package monitors is the handler of a monitor: of a custom resource, and of a registered type.
package monitors

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/schema"
	"github.com/cfnresource/sdk-go/registry"
)

// Props are the properties of a monitor.
type Props struct {
	_ struct{} `doc:"Checks a URL again and again."`

	URL     Address  `json:"Url" cfn:"createOnly,required" doc:"The URL to check, with https. Another URL makes another monitor."`
	Seconds Interval `cfn:"required" doc:"The seconds between two checks, from 30 to 3600."`
	Bearer  string   `cfn:"secret" doc:"The token that the URL asks for."`
}

// An Address is a URL. The schema says which: CloudFormation then refuses others, and its
// contract tests make up these alone.
type Address string

// DescribeProperty says what the schema has of an Address.
func (Address) DescribeProperty(p *schema.Property) {
	p.Pattern = `^https://[a-z0-9]+([.-][a-z0-9]+)*(:[0-9]{1,4})?(/[A-Za-z0-9._-]*)*$`
	p.Examples = []any{"https://example.com/orders"}
}

// An Interval is a number of seconds.
type Interval int

// DescribeProperty says what the schema has of an Interval.
func (Interval) DescribeProperty(p *schema.Property) { p.Minimum, p.Maximum = "30", "3600" }

// Validate is called before anything is made or changed.
func (p Props) Validate() error {
	switch u, err := url.Parse(string(p.URL)); {
	case err != nil || u.Scheme != "https" || u.Host == "":
		return errors.New("Url is not of the form https://HOST/PATH")
	case p.Seconds < 30 || p.Seconds > 3600:
		return errors.New("Seconds is not between 30 and 3600")
	}
	return nil
}

// Data are the attributes of a monitor.
type Data struct {
	Dashboard string `doc:"The page that shows the results."`
}

// A Monitor manages monitors of an API that numbers them. Each is labelled with the StableID, by
// which Find leads back to it when the answer to its Create was lost.
type Monitor struct {
	// API returns the API for one event or request.
	API func(context.Context) (*API, error)
}

// label is the name of the label that says whose a monitor is.
const label = "cloudformation"

// Create makes a monitor, and waits until it is active. A custom resource waits
// for that in one invocation; a registered type in calls of a minute.
func (m *Monitor) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
	api, err := m.API(ctx)
	if err != nil {
		return Data{}, err
	}
	wanted := settingsOf(req.Properties)
	wanted.Labels = map[string]string{label: req.StableID()}
	made, err := api.create(ctx, req.IdempotencyToken(), wanted)
	if err != nil {
		return Data{}, err
	}
	req.Created(strconv.Itoa(made.ID)) // before the wait: a registered type answers it with IN_PROGRESS
	return active(ctx, api, strconv.Itoa(made.ID))
}

// Update changes a monitor. It is also what goes on with a Create whose monitor
// was not active when the minute was over.
func (m *Monitor) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	api, err := m.API(ctx)
	if err != nil {
		return Data{}, err
	}
	wanted := settingsOf(req.Properties)
	if !req.IdentityChanged {
		wanted.Labels = map[string]string{label: req.StableID()} // so that Find knows it, whoever made it
	}
	if err := api.change(ctx, req.PhysicalID, wanted); err != nil {
		return Data{}, err
	}
	return active(ctx, api, req.PhysicalID)
}

// Delete deletes a monitor.
func (m *Monitor) Delete(ctx context.Context, req *cfnresource.DeleteRequest[Props]) error {
	api, err := m.API(ctx)
	if err != nil {
		return err
	}
	return api.remove(ctx, req.PhysicalID) // CodeNotFound if it is gone
}

// Find implements [cfnresource.Finder].
func (m *Monitor) Find(ctx context.Context, req *cfnresource.FindRequest[Props]) (physicalID string, err error) {
	api, err := m.API(ctx)
	if err != nil {
		return "", err
	}
	if req.PhysicalID != "" {
		got, err := api.get(ctx, req.PhysicalID)
		switch {
		case err == nil && got.Labels[label] == req.StableID():
			return req.PhysicalID, nil
		case err != nil && cfnresource.CodeOf(err) != cfnresource.CodeNotFound:
			return "", err
		}
	}
	found, err := api.labelled(ctx, label, req.StableID())
	if err != nil || len(found) == 0 {
		return "", err
	}
	return strconv.Itoa(found[0].ID), nil
}

// active waits until a monitor is active.
func active(ctx context.Context, api *API, id string) (Data, error) {
	err := cfnresource.Poll(ctx, 2*time.Second, func(ctx context.Context) (bool, error) {
		got, err := api.get(ctx, id)
		return got.State == "active", err
	})
	return dataOf(api, id), err
}

func dataOf(api *API, id string) Data { return Data{api.base + "/dashboards/" + id} }

func settingsOf(p Props) monitor {
	return monitor{URL: string(p.URL), Seconds: int(p.Seconds), Bearer: p.Bearer}
}

// What follows is for the registered type alone: a custom resource is neither read nor listed.
var _ registry.Resource[Props, Data] = (*Monitor)(nil)

// Read reads a monitor by its number, which is all that an import knows.
func (m *Monitor) Read(ctx context.Context, req *registry.ReadRequest) (model registry.Model[Props, Data], err error) {
	api, err := m.API(ctx)
	if err != nil {
		return model, err
	}
	got, err := api.get(ctx, req.PhysicalID)
	if err != nil {
		return model, err // CodeNotFound if there is none
	}
	return registry.Model[Props, Data]{
		Properties: Props{URL: Address(got.URL), Seconds: Interval(got.Seconds)}, // the API keeps the Bearer to itself
		Data:       dataOf(api, req.PhysicalID),
	}, nil
}

// List lists all monitors, whoever made them, a page at a time.
func (m *Monitor) List(ctx context.Context, req *registry.ListRequest) (ids []string, next string, err error) {
	api, err := m.API(ctx)
	if err != nil {
		return nil, "", err
	}
	if _, err := strconv.Atoi(req.NextToken); err != nil && req.NextToken != "" {
		return nil, "", cfnresource.Errorf(cfnresource.CodeInvalidRequest, "the nextToken is of no page of monitors")
	}
	page, err := api.page(ctx, req.NextToken)
	for _, m := range page {
		ids = append(ids, strconv.Itoa(m.ID))
	}
	if len(ids) == pageSize {
		next = ids[len(ids)-1]
	}
	return ids, next, err
}
