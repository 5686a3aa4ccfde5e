package clients

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"

	"github.com/cfnresource/sdk-go/cfnlocal/internal/api"
)

var creation = &cloudformation.CreateStackInput{StackName: aws.String("shop"), TemplateBody: aws.String(oneResource)}

// strangerVariable is the environment variable that makes this program one that orders a
// stack of the server of that origin.
const strangerVariable = "CLIENTS_STRANGER"

func orderAsStranger(origin string) error {
	_, err := clientOf(origin, api.Key{ID: os.Getenv("AWS_ACCESS_KEY_ID"), Secret: os.Getenv("AWS_SECRET_ACCESS_KEY")}).CreateStack(context.Background(), creation)
	return err
}

// Nobody orders anything without the key.
func TestOrdersAreSigned(t *testing.T) {
	s, _ := startOrders(t, filepath.Join(t.TempDir(), "stacks"))
	_, err := s.clientWith(api.NewKey()).CreateStack(t.Context(), creation)
	refused(t, err, "InvalidClientTokenId", "")
	_, err = s.clientWith(api.Key{ID: s.key.ID, Secret: "guessed"}).CreateStack(t.Context(), creation)
	refused(t, err, "SignatureDoesNotMatch", "")
	form := "Action=DeleteStack&Version=2010-05-15&StackName=shop"
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		req, err := http.NewRequestWithContext(t.Context(), method, s.origin+"/?"+form, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s without a signature: %s", method, resp.Status)
		}
	}
	s.nothingOrdered()
}

// A page of another site orders nothing, even with the key. Package loopback has a table of what is such a page.
func TestPagesOrderNothing(t *testing.T) {
	s, _ := startOrders(t, filepath.Join(t.TempDir(), "stacks"))
	c := cloudformation.New(s.clientWith(s.key).Options(), func(o *cloudformation.Options) {
		o.HTTPClient = sender(func(r *http.Request) (*http.Response, error) {
			r.Header.Set("Origin", "https://attacker.example")
			return http.DefaultClient.Do(r)
		})
	})
	_, err := c.CreateStack(t.Context(), creation)
	if e, ok := errors.AsType[*awshttp.ResponseError](err); !ok || e.HTTPStatusCode() != http.StatusForbidden {
		t.Errorf("%v", err)
	}
	s.nothingOrdered()
}

// A sender is a client of HTTP.
type sender func(*http.Request) (*http.Response, error)

// Do sends a request.
func (s sender) Do(r *http.Request) (*http.Response, error) { return s(r) }

// nothingOrdered checks that no order was taken.
func (s *orderServer) nothingOrdered() {
	s.t.Helper()
	if all, err := s.Stacks(); err != nil || len(all) != 0 {
		s.t.Errorf("there are %d stacks, %v", len(all), err)
	}
}
