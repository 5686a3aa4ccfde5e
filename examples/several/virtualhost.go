package main

import (
	"context"

	"github.com/cfnresource/sdk-go/cfnresource"
)

type HostProps struct {
	_ struct{} `doc:"A virtual host of a RabbitMQ broker."`

	Description string   `doc:"The purpose of the virtual host."`
	Tags        []string `doc:"Words to search for."`
}

// A VirtualHost manages virtual hosts, which bear their StableID as their name:
// it is what !Ref reads.
type VirtualHost struct{ broker *Broker }

//nolint:unparam // there is no Data
func (v *VirtualHost) Create(ctx context.Context, req *cfnresource.CreateRequest[HostProps]) (struct{}, error) {
	id := req.StableID()
	made, err := v.put(ctx, id, req.Properties)
	if made {
		req.Created(id)
	} else if err == nil {
		err = cfnresource.AlreadyExists(id) // by an earlier delivery
	}
	return struct{}{}, err
}

//nolint:unparam // there is no Data
func (v *VirtualHost) Update(ctx context.Context, req *cfnresource.UpdateRequest[HostProps]) (struct{}, error) {
	_, err := v.put(ctx, req.PhysicalID, req.Properties)
	return struct{}{}, err
}

// Delete removes a virtual host with all that is in it.
func (v *VirtualHost) Delete(ctx context.Context, req *cfnresource.DeleteRequest[HostProps]) error {
	return v.broker.remove(ctx, "vhosts", req.PhysicalID)
}

func (v *VirtualHost) put(ctx context.Context, id string, p HostProps) (made bool, err error) {
	return v.broker.put(ctx, map[string]any{"description": p.Description, "tags": p.Tags}, "vhosts", id)
}
