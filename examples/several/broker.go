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

	"github.com/cfnresource/sdk-go/cfnresource"
)

// A Broker is RabbitMQ's management API, as RabbitMQ itself and Amazon MQ serve it.
type Broker struct {
	URL, User, Password string
	Client              *http.Client
}

// put makes what a path names, or changes it, and reports which.
func (b *Broker) put(ctx context.Context, what any, path ...string) (made bool, err error) {
	status, err := b.do(ctx, http.MethodPut, path, what, nil)
	return status == http.StatusCreated, err
}

// remove removes what a path names, if it is there.
func (b *Broker) remove(ctx context.Context, path ...string) error {
	_, err := b.do(ctx, http.MethodDelete, path, nil, nil)
	if cfnresource.CodeOf(err) == cfnresource.CodeNotFound {
		return nil
	}
	return err
}

// has reports whether there is what a path names.
func (b *Broker) has(ctx context.Context, path ...string) (bool, error) {
	_, err := b.do(ctx, http.MethodGet, path, nil, nil)
	if cfnresource.CodeOf(err) == cfnresource.CodeNotFound {
		return false, nil
	}
	return err == nil, err
}

// do sends one request. Its errors have the codes by which the dispatcher
// knows what to try again and what is gone.
func (b *Broker) do(ctx context.Context, method string, path []string, in, out any) (status int, err error) {
	var body []byte
	if in != nil {
		if body, err = json.Marshal(in); err != nil {
			return 0, err
		}
	}
	escaped := make([]string, len(path))
	for i := range path {
		escaped[i] = url.PathEscape(path[i])
	}
	target := strings.TrimSuffix(b.URL, "/") + "/api/" + strings.Join(escaped, "/")
	req, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("BROKER_URL: %w", err)
	}
	req.SetBasicAuth(b.User, b.Password)
	req.Header.Set("Content-Type", "application/json")
	resp, err := b.Client.Do(req)
	if err != nil {
		return 0, cfnresource.Errorf(cfnresource.CodeNetworkFailure, "the broker: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return 0, cfnresource.Errorf(cfnresource.CodeNetworkFailure, "the broker's answer did not come whole: %w", err)
	}
	if resp.StatusCode >= 300 {
		return 0, cfnresource.HTTPStatus(resp.StatusCode, fmt.Errorf("the broker answered %s to %s %s: %.200s", resp.Status, method, strings.Join(path, "/"), bytes.TrimSpace(text)))
	}
	if out == nil {
		return resp.StatusCode, nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		return 0, fmt.Errorf("the broker's answer is not what was expected: %w", err)
	}
	return resp.StatusCode, nil
}
