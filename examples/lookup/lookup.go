package main

import (
	"context"
	"crypto/sha1" //nolint:gosec // IAM defines thumbprints as SHA-1.
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/cfnresource/sdk-go/cfnresource"
)

type Props struct {
	_ struct{} `doc:"Looks up the thumbprints of an OpenID Connect provider."`

	Issuer  string `cfn:"required" doc:"The provider's URL, such as https://token.actions.githubusercontent.com."`
	Refresh string `doc:"Not read: another value makes CloudFormation ask again."`
}

// Validate is called before anything is looked up.
func (p Props) Validate() error {
	u, err := url.Parse(p.Issuer)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.RawQuery != "" {
		return errors.New("Issuer is not of the form https://HOST or https://HOST/PATH")
	}
	return nil
}

type Data struct {
	Thumbprints []string `doc:"For ThumbprintList of AWS::IAM::OIDCProvider."`
}

// A Lookup asks providers over HTTPS.
type Lookup struct{ client *http.Client }

// Thumbprints follows "Obtain the thumbprint for an OpenID Connect identity provider" in the IAM
// user guide: the hosts are those that serve the provider's configuration and its keys. It runs on
// Create and on each Update, and changes nothing, so that it may run any number of times.
func (l *Lookup) Thumbprints(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	configuration := strings.TrimSuffix(req.Properties.Issuer, "/") + "/.well-known/openid-configuration"
	body, first, err := l.get(ctx, configuration)
	if err != nil {
		return Data{}, err
	}
	var provider struct {
		KeysURL string `json:"jwks_uri"`
	}
	if err := json.Unmarshal(body, &provider); err != nil || provider.KeysURL == "" {
		return Data{}, fmt.Errorf("%s names no jwks_uri: is the issuer an OpenID Connect provider?", configuration)
	}
	_, second, err := l.get(ctx, provider.KeysURL)
	if err != nil {
		return Data{}, err
	}
	return Data{Thumbprints: slices.Compact([]string{second, first})}, nil
}

// get returns what a URL holds, and the thumbprint of the host that served it.
func (l *Lookup) get(ctx context.Context, target string) (body []byte, thumbprint string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, "", err
	}
	resp, err := l.client.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode != http.StatusOK:
		return nil, "", cfnresource.HTTPStatus(resp.StatusCode, fmt.Errorf("GET %s: %s", target, resp.Status))
	case resp.Request.URL.Host != req.URL.Host:
		return nil, "", fmt.Errorf("GET %s was redirected to another host, %s, whose certificate is not the provider's", target, resp.Request.URL.Host)
	case resp.TLS == nil:
		return nil, "", fmt.Errorf("%s is not served over TLS", target)
	}
	body, err = io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return nil, "", fmt.Errorf("GET %s: %w", target, err)
	}
	chain := resp.TLS.PeerCertificates
	top := sha1.Sum(chain[len(chain)-1].Raw) //nolint:gosec // see above
	return body, hex.EncodeToString(top[:]), nil
}
