package main

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

// An api is a client of the API that the program fakeapi serves.
type api struct {
	base, token string
	client      *http.Client
}

func newAPI(base, token string) *api {
	return &api{base: strings.TrimSuffix(base, "/"), token: token, client: &http.Client{Timeout: 10 * time.Second}}
}

type monitor struct {
	ID      int               `json:"id,omitempty"`
	State   string            `json:"state,omitempty"` // provisioning, then active
	URL     string            `json:"url"`
	Seconds int               `json:"seconds"`
	Labels  map[string]string `json:"labels,omitempty"`
}

type rule struct {
	ID      int    `json:"id,omitempty"`
	Monitor int    `json:"monitor"`
	Email   string `json:"email"`
}

// createMonitor makes a monitor, or returns the one that was made with that key.
func (a *api) createMonitor(ctx context.Context, key string, m monitor) (made monitor, err error) {
	err = a.do(ctx, http.MethodPost, "/monitors", key, m, &made)
	return made, err
}

// changeMonitor sets a monitor's settings and adds to its labels.
func (a *api) changeMonitor(ctx context.Context, id string, m monitor) error {
	return a.do(ctx, http.MethodPatch, "/monitors/"+url.PathEscape(id), "", m, nil)
}

func (a *api) monitor(ctx context.Context, id string) (m monitor, err error) {
	err = a.do(ctx, http.MethodGet, "/monitors/"+url.PathEscape(id), "", nil, &m)
	return m, err
}

func (a *api) removeMonitor(ctx context.Context, id string) error {
	return a.do(ctx, http.MethodDelete, "/monitors/"+url.PathEscape(id), "", nil, nil)
}

// labelled returns the monitors that the list shows with a label.
func (a *api) labelled(ctx context.Context, name, value string) (found []monitor, err error) {
	query := url.Values{"label": {name + "=" + value}}
	err = a.do(ctx, http.MethodGet, "/monitors?"+query.Encode(), "", nil, &found)
	return found, err
}

// rulesOf returns the rules that the list shows for a monitor.
func (a *api) rulesOf(ctx context.Context, monitor string) (found []rule, err error) {
	query := url.Values{"monitor": {monitor}}
	err = a.do(ctx, http.MethodGet, "/rules?"+query.Encode(), "", nil, &found)
	return found, err
}

func (a *api) createRule(ctx context.Context, r rule) (made rule, err error) {
	err = a.do(ctx, http.MethodPost, "/rules", "", r, &made)
	return made, err
}

func (a *api) changeRule(ctx context.Context, id int, r rule) (changed rule, err error) {
	err = a.do(ctx, http.MethodPatch, "/rules/"+strconv.Itoa(id), "", r, &changed)
	return changed, err
}

func (a *api) removeRule(ctx context.Context, id int) error {
	return a.do(ctx, http.MethodDelete, "/rules/"+strconv.Itoa(id), "", nil, nil)
}

// do sends one request. Its errors have the codes by which the dispatcher
// knows what to try again, when, and what is gone.
func (a *api) do(ctx context.Context, method, path, key string, in, out any) error {
	// The request, with the key under which the API does it once.
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
	// Its answer; whoever sends no answer is asked again.
	resp, err := a.client.Do(req)
	if err != nil {
		return cfnresource.Errorf(cfnresource.CodeNetworkFailure, "the monitor API: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return cfnresource.Errorf(cfnresource.CodeNetworkFailure, "the monitor API's answer did not come whole: %w", err)
	}
	// What it refuses, with the time after which it may be asked again.
	if resp.StatusCode >= 300 {
		err := fmt.Errorf("the monitor API answered %s to %s %s: %.200s", resp.Status, method, path, bytes.TrimSpace(text))
		err = cfnresource.HTTPStatus(resp.StatusCode, err)
		if seconds, bad := strconv.Atoi(resp.Header.Get("Retry-After")); bad == nil {
			err = cfnresource.RetryAfter(err, time.Duration(seconds)*time.Second)
		}
		return err
	}
	// What it gives.
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("the monitor API's answer is not what was expected: %w", err)
	}
	return nil
}
