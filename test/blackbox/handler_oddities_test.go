package blackbox_test

import (
	"context"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// vault answers with a secret attribute.
type vault struct{ service store }

// Key is what a vault's Fn::GetAtt reads.
type Key struct {
	Name     string
	Password string `cfn:"secret"`
}

func (h vault) Create(_ context.Context, req *createRequest) (key Key, err error) {
	called("Create", "")
	id := req.StableID()
	if err := h.service.put(id, id); err != nil {
		return key, err
	}
	req.Created(id)
	return Key{Name: "main", Password: req.Properties.Password}, nil
}

func (h vault) Update(_ context.Context, req *updateRequest) (key Key, err error) {
	called("Update", req.PhysicalID)
	return Key{Name: "main", Password: req.Properties.Password}, nil
}

func (h vault) Delete(ctx context.Context, req *deleteRequest) error {
	called("Delete", req.PhysicalID)
	return remove(ctx, h.service, req)
}

// badTag has properties that nobody can use.
type badTag struct{}

// BadProps has a tag that does not exist.
type BadProps struct {
	Name string `cfn:"createonly"`
}

func (badTag) Create(context.Context, *cfnresource.CreateRequest[BadProps]) (data Data, err error) {
	called("Create", "")
	return data, nil
}

func (badTag) Update(context.Context, *cfnresource.UpdateRequest[BadProps]) (data Data, err error) {
	called("Update", "")
	return data, nil
}

func (badTag) Delete(context.Context, *cfnresource.DeleteRequest[BadProps]) error {
	called("Delete", "")
	return nil
}

// pointer is a handler that is nil.
type pointer struct{ named }
