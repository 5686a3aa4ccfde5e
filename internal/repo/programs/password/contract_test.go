package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfntest"
)

// The program that the guide leads with holds what CloudFormation demands, and lets no secret out.
func TestContract(t *testing.T) {
	passwords := &Passwords{key: []byte(strings.Repeat("k", 32))}
	cfntest.TestHandler(t, cfntest.Contract{
		New: func(testing.TB) cfntest.Service {
			return cfntest.Service{Function: func() cfntest.Function { return cfnresource.New(passwords) }}
		},
		Properties: Props{Pepper: "a pepper", Length: 20},
		InPlace:    Props{Pepper: "another pepper", Length: 20},
		Refused:    Props{Pepper: "a pepper", Length: 1000},
	})
}

func withKey(t *testing.T, key string) *cfnresource.Dispatcher {
	t.Helper()
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
	keyFile = file
	return cfnresource.New(cfnresource.Lazy(open))
}

// A derived password is the same in every delivery, in every process, and after
// an update of something else.
func TestPasswordIsDerived(t *testing.T) {
	key := strings.Repeat("k", 32)
	created := cfntest.Invoke(t, withKey(t, key), cfntest.CreateEvent(Props{Pepper: "pepper", Length: 20}))
	password, _ := created.Data["Password"].(string)
	if created.Status != "SUCCESS" || len(password) != 20 || !created.NoEcho {
		t.Fatalf("%+v", created)
	}
	updated := cfntest.Invoke(t, withKey(t, key), cfntest.UpdateEvent(created.PhysicalResourceID, Props{Pepper: "pepper", Length: 20}, Props{Pepper: "pepper"}))
	if updated.Data["Password"] != password || updated.PhysicalResourceID != created.PhysicalResourceID {
		t.Errorf("%+v after %+v", updated, created)
	}
}

// A key that cannot be had is an answer, not a function that never starts.
func TestNoKeyIsAnswered(t *testing.T) {
	got := cfntest.Invoke(t, withKey(t, "short"), cfntest.CreateEvent(Props{Length: 20}))
	if got.Status != "FAILED" || !strings.Contains(got.Reason, "less than 32 bytes") {
		t.Errorf("%+v", got)
	}
}
