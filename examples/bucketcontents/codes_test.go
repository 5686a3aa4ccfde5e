package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// By its code the dispatcher knows what to try again and what is gone.
func TestErrorsHaveCodes(t *testing.T) {
	for _, tc := range []struct {
		status int
		code   string
		want   cfnresource.Code
	}{
		{404, "NoSuchBucket", cfnresource.CodeNotFound},
		{403, "AccessDenied", cfnresource.CodeAccessDenied},
		{403, "SignatureDoesNotMatch", cfnresource.CodeInvalidCredentials},
		{400, "ExpiredToken", cfnresource.CodeInvalidCredentials},
		{409, "OperationAborted", cfnresource.CodeResourceConflict},
		{403, "Unheard", cfnresource.CodeAccessDenied},
		{503, "SlowDown", cfnresource.CodeThrottling},
		{500, "InternalError", cfnresource.CodeServiceInternalError},
		{400, "RequestTimeout", cfnresource.CodeNetworkFailure},
		{502, "Unheard", cfnresource.CodeServiceInternalError},
		{404, "NoSuchUpload", cfnresource.CodeInvalidRequest}, // never NotFound: only of a bucket that is gone nothing is left
		{400, "InvalidBucketName", cfnresource.CodeInvalidRequest},
	} {
		synctest.Test(t, func(t *testing.T) { // the client tries some of them again, after a while
			b := newBed(false)
			b.intercept = func(*http.Request) string {
				return fmt.Sprintf("%d <Error><Code>%s</Code><Message>S3's own words</Message></Error>", tc.status, tc.code)
			}
			err := b.contents().Delete(t.Context(), &cfnresource.DeleteRequest[Props]{PhysicalID: placeIn(cfnresource.Request{}, "site").id()})
			if cfnresource.CodeOf(err) != tc.want || err == nil || !strings.Contains(err.Error(), "S3's own words") {
				t.Errorf("%d %s: code %q, want %q; error %v", tc.status, tc.code, cfnresource.CodeOf(err), tc.want, err)
			}
		})
	}
	if coded(t.Context(), nil) != nil {
		t.Error("an error came from nowhere")
	}
}

// What cannot be reached is tried again; its error does not hold the key.
func TestAServerThatIsNotThereIsANetworkFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Contents{workers: workers, s3: newClient(clientConfig("http://127.0.0.1:1", "key", "secret", "us-east-1"),
			roundTrip(func(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") }))}
		_, err := c.Create(t.Context(), &cfnresource.CreateRequest[Props]{Properties: many(1)})
		if cfnresource.CodeOf(err) != cfnresource.CodeNetworkFailure || err == nil || strings.Contains(err.Error(), "page") {
			t.Errorf("error %v has code %q", err, cfnresource.CodeOf(err))
		}
	})
}

// A request that hangs longer than an attempt may is one that is tried again.
func TestAServerThatHangsIsANetworkFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(false)
		b.delay = 2 * attempt
		_, err := b.contents().Find(t.Context(), &cfnresource.FindRequest[Props]{Properties: site})
		if cfnresource.CodeOf(err) != cfnresource.CodeNetworkFailure || b.cut != 3 {
			t.Errorf("error %v has code %q, after %d attempts", err, cfnresource.CodeOf(err), b.cut)
		}
	})
}

func TestTheEndOfTheContextCanBeSeen(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b := newBed(false)
	_, err := b.contents().Create(ctx, &cfnresource.CreateRequest[Props]{Properties: site})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Create: %v, want an error that wraps the context's", err)
	}
	_, err = b.contents().Find(ctx, &cfnresource.FindRequest[Props]{Properties: site})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Find: %v, want an error that wraps the context's", err)
	}
	err = b.contents().Delete(ctx, &cfnresource.DeleteRequest[Props]{PhysicalID: placeIn(cfnresource.Request{}, "site").id()})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Delete: %v, want an error that wraps the context's", err)
	}
}
