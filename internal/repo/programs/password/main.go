// Command password is the program of docs/secrets.md: a password that is derived, not stored.
package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
)

type Props struct {
	Pepper string `cfn:"secret"` // struck out of Reasons and of the SDK's log records
	Length int    `cfn:"default=32"`
}

type Data struct {
	Password string `cfn:"secret"` // sets NoEcho
}

// Passwords derives them from a key. The same key and properties give the same
// password in every delivery of an event, and in every later Update.
type Passwords struct{ key []byte }

func (p *Passwords) Create(_ context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
	return p.derive(req.StableID(), req.Properties)
}

func (p *Passwords) Update(_ context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	return p.derive(req.PhysicalID, req.Properties)
}

func (p *Passwords) Delete(context.Context, *cfnresource.DeleteRequest[Props]) error { return nil }

func (p *Passwords) derive(id string, props Props) (Data, error) {
	h := hmac.New(sha256.New, p.key)
	h.Write([]byte(id + "\n" + props.Pepper))
	text := base64.RawURLEncoding.EncodeToString(h.Sum(nil))
	if props.Length < 16 || props.Length > len(text) {
		return Data{}, fmt.Errorf("a Length of 16 to %d can be had", len(text))
	}
	return Data{Password: text[:props.Length]}, nil
}

// keyFile is where the key is mounted.
var keyFile = "/mnt/keys/passwords"

// open reads the key at the first event, where its failure is answered. In most
// functions this is a call of Secrets Manager.
func open(ctx context.Context) (*Passwords, error) {
	key, err := os.ReadFile(keyFile)
	cfnresource.Secret(ctx, string(key)) // redacted from now on, in later events too
	if err == nil && len(key) < sha256.Size {
		err = errors.New("the key has less than 32 bytes")
	}
	return &Passwords{key}, err
}

func main() { lambda.Start(cfnresource.New(cfnresource.Lazy(open))) }
