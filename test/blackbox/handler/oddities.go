package main

import (
	"context"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/test/blackbox/internal/behave"
)

// vault answers with a secret attribute.
type vault struct{ service behave.Service }

// Key is what a vault's Fn::GetAtt reads.
type Key struct {
	Name     string
	Password string `cfn:"secret"`
}

func (h vault) Create(_ context.Context, req *createRequest) (key Key, err error) {
	behave.Called("Create", "")
	id := req.StableID()
	if err := h.service.Put(id, id); err != nil {
		return key, err
	}
	req.Created(id)
	return Key{Name: "main", Password: req.Properties.Password}, nil
}

func (h vault) Update(_ context.Context, req *updateRequest) (key Key, err error) {
	behave.Called("Update", req.PhysicalID)
	return Key{Name: "main", Password: req.Properties.Password}, nil
}

func (h vault) Delete(ctx context.Context, req *deleteRequest) error {
	behave.Called("Delete", req.PhysicalID)
	return remove(ctx, h.service, req)
}

// badTag has properties that nobody can use.
type badTag struct{}

// BadProps has a tag that does not exist.
type BadProps struct {
	Name string `cfn:"createonly"`
}

func (badTag) Create(context.Context, *cfnresource.CreateRequest[BadProps]) (data Data, err error) {
	behave.Called("Create", "")
	return data, nil
}

func (badTag) Update(context.Context, *cfnresource.UpdateRequest[BadProps]) (data Data, err error) {
	behave.Called("Update", "")
	return data, nil
}

func (badTag) Delete(context.Context, *cfnresource.DeleteRequest[BadProps]) error {
	behave.Called("Delete", "")
	return nil
}

// pointer is a handler that is nil.
type pointer struct{ named }
