package main

import (
	"context"
	"errors"
	"net/url"

	"github.com/cfnresource/sdk-go/cfnresource"
)

type Props struct {
	_ struct{} `doc:"A webhook of a web API."`

	URL    string   `json:"Url" cfn:"createOnly,required" doc:"Where the API delivers, with https. Another endpoint is another webhook."`
	Events []string `cfn:"required" doc:"The events to deliver."`
	Paused bool     `doc:"Whether deliveries are paused."` // zero keeps them going
}

// Validate is called before anything is made or changed.
func (p Props) Validate() error {
	if u, err := url.Parse(p.URL); err != nil || u.Scheme != "https" || u.Host == "" {
		return errors.New("Url is not of the form https://HOST/PATH")
	}
	return nil
}

type Data struct {
	Secret string `cfn:"secret" doc:"The key that signs the deliveries."`
}

// A Webhook manages webhooks of an API that gives them IDs of its own. Each is tagged with its
// StableID, by which Find leads back to it when the answer to its Create was lost.
type Webhook struct{ api *api }

// tag is the name of the tag that says whose a webhook is.
const tag = "cloudformation"

func (w *Webhook) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
	wanted := settings(req.Properties)
	wanted.Tags = map[string]string{tag: req.StableID()}
	made, err := w.api.create(ctx, req.IdempotencyToken(), wanted)
	if err != nil {
		return Data{}, err
	}
	req.Created(made.ID)
	return Data{made.Secret}, nil
}

func (w *Webhook) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	wanted := settings(req.Properties)
	if !req.IdentityChanged {
		// Also what another program made can be found from now on. One that
		// becomes another endpoint's is not tagged: the rollback of that would
		// take it for the new endpoint's and replace it.
		wanted.Tags = map[string]string{tag: req.StableID()}
	}
	changed, err := w.api.change(ctx, req.PhysicalID, wanted)
	return Data{changed.Secret}, err
}

func (w *Webhook) Delete(ctx context.Context, req *cfnresource.DeleteRequest[Props]) error {
	return w.api.remove(ctx, req.PhysicalID) // CodeNotFound if it is gone
}

// Find implements [cfnresource.Finder].
func (w *Webhook) Find(ctx context.Context, req *cfnresource.FindRequest[Props]) (physicalID string, err error) {
	if mine, err := w.isTagged(ctx, req.PhysicalID, req.StableID()); mine || err != nil {
		return req.PhysicalID, err
	}
	found, err := w.api.find(ctx, tag, req.StableID())
	for _, h := range found {
		if mine, err := w.isTagged(ctx, h.ID, req.StableID()); mine || err != nil {
			return h.ID, err
		}
	}
	return "", err
}

// isTagged reports whether there is a webhook of that ID, and it bears the StableID. A search may
// show one that is deleted, and an ID may be one that CloudFormation made up.
func (w *Webhook) isTagged(ctx context.Context, id, stableID string) (bool, error) {
	if id == "" {
		return false, nil
	}
	h, err := w.api.get(ctx, id)
	switch cfnresource.CodeOf(err) {
	case cfnresource.CodeNotFound, cfnresource.CodeInvalidRequest:
		return false, nil
	}
	return err == nil && h.Tags[tag] == stableID, err
}

func settings(p Props) hook {
	return hook{URL: p.URL, Events: p.Events, Active: !p.Paused}
}
