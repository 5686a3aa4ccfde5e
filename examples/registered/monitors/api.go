package monitors

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// An API is a client of the API that the program fakeapi serves.
type API struct {
	base, token string
	client      *http.Client
}

// NewAPI returns a client of the API at a base URL.
func NewAPI(base, token string) *API {
	return &API{base: strings.TrimSuffix(base, "/"), token: token, client: &http.Client{Timeout: 10 * time.Second}}
}

type monitor struct {
	ID      int               `json:"id,omitempty"`
	State   string            `json:"state,omitempty"` // provisioning, then active
	URL     string            `json:"url"`
	Seconds int               `json:"seconds"`
	Bearer  string            `json:"bearer"` // is taken, and never shown
	Labels  map[string]string `json:"labels,omitempty"`
}

// pageSize is how many monitors a page holds that is not the last.
const pageSize = 50

// create makes a monitor, or returns the one that was made with that key.
func (a *API) create(ctx context.Context, key string, m monitor) (made monitor, err error) {
	err = a.do(ctx, http.MethodPost, "/monitors", key, m, &made)
	return made, err
}

// change sets a monitor's settings and adds to its labels.
func (a *API) change(ctx context.Context, id string, m monitor) error {
	return a.do(ctx, http.MethodPatch, "/monitors/"+url.PathEscape(id), "", m, nil)
}

func (a *API) get(ctx context.Context, id string) (m monitor, err error) {
	err = a.do(ctx, http.MethodGet, "/monitors/"+url.PathEscape(id), "", nil, &m)
	return m, err
}

func (a *API) remove(ctx context.Context, id string) error {
	return a.do(ctx, http.MethodDelete, "/monitors/"+url.PathEscape(id), "", nil, nil)
}

// labelled returns the first page of the monitors that have a label.
func (a *API) labelled(ctx context.Context, name, value string) (found []monitor, err error) {
	query := url.Values{"label": {name + "=" + value}}
	err = a.do(ctx, http.MethodGet, "/monitors?"+query.Encode(), "", nil, &found)
	return found, err
}

// page returns the monitors that come after one, or the first ones.
func (a *API) page(ctx context.Context, after string) (found []monitor, err error) {
	query := url.Values{"after": {after}, "limit": {strconv.Itoa(pageSize)}}
	err = a.do(ctx, http.MethodGet, "/monitors?"+query.Encode(), "", nil, &found)
	return found, err
}

// do sends one request. Its errors have the codes by which the SDK knows what to
// try again and what is gone.
func (a *API) do(ctx context.Context, method, path, key string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, a.base+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("the API's base URL: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+a.token)
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return cfnresource.Errorf(cfnresource.CodeNetworkFailure, "the monitor API: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return cfnresource.Errorf(cfnresource.CodeNetworkFailure, "the monitor API's answer did not come whole: %w", err)
	}
	if resp.StatusCode >= 300 {
		return cfnresource.HTTPStatus(resp.StatusCode, fmt.Errorf("the monitor API answered %s to %s %s: %.200s", resp.Status, method, path, bytes.TrimSpace(text)))
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("the monitor API's answer is not what was expected: %w", err)
	}
	return nil
}
