package monitors

import (
	"context"
	"strconv"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/registry"
)

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
