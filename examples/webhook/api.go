package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// An api is a client of the API that the program fakeapi serves.
type api struct {
	base, token string
	client      *http.Client
}

func newAPI(base, token string) *api {
	return &api{base: strings.TrimSuffix(base, "/"), token: token, client: &http.Client{Timeout: 10 * time.Second}}
}

// A hook is a webhook as the API describes it.
type hook struct {
	ID     string            `json:"id,omitempty"`
	URL    string            `json:"url"`
	Events []string          `json:"events"`
	Active bool              `json:"active"`
	Secret string            `json:"secret,omitempty"`
	Tags   map[string]string `json:"tags,omitempty"`
}

// create makes a webhook, or returns the one that was made with that key.
func (a *api) create(ctx context.Context, key string, h hook) (made hook, err error) {
	err = a.do(ctx, http.MethodPost, "/webhooks", key, h, &made)
	return made, err
}

// change sets a webhook's settings and adds to its tags.
func (a *api) change(ctx context.Context, id string, h hook) (changed hook, err error) {
	err = a.do(ctx, http.MethodPatch, "/webhooks/"+url.PathEscape(id), "", h, &changed)
	return changed, err
}

func (a *api) get(ctx context.Context, id string) (h hook, err error) {
	err = a.do(ctx, http.MethodGet, "/webhooks/"+url.PathEscape(id), "", nil, &h)
	return h, err
}

func (a *api) remove(ctx context.Context, id string) error {
	return a.do(ctx, http.MethodDelete, "/webhooks/"+url.PathEscape(id), "", nil, nil)
}

// find returns the webhooks that have a tag.
func (a *api) find(ctx context.Context, name, value string) (found []hook, err error) {
	query := url.Values{"tag": {name + "=" + value}}
	err = a.do(ctx, http.MethodGet, "/webhooks?"+query.Encode(), "", nil, &found)
	return found, err
}

// do sends one request. Its errors have the codes by which the dispatcher
// knows what to try again and what is gone.
func (a *api) do(ctx context.Context, method, path, key string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, a.base+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("API_URL: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+a.token)
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return cfnresource.Errorf(cfnresource.CodeNetworkFailure, "the webhook API: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return cfnresource.Errorf(cfnresource.CodeNetworkFailure, "the webhook API's answer did not come whole: %w", err)
	}
	if resp.StatusCode >= 300 {
		return cfnresource.HTTPStatus(resp.StatusCode, fmt.Errorf("the webhook API answered %s to %s %s: %.200s", resp.Status, method, path, bytes.TrimSpace(text)))
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("the webhook API's answer is not what was expected: %w", err)
	}
	return nil
}
