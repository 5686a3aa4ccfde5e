package main

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/examples/registered/fakeapi/server"
	"github.com/cfnresource/sdk-go/examples/registered/monitors"
	"github.com/cfnresource/sdk-go/registry"
)

// The account's configuration says where the API is, and without one the answer says so.
func TestSettingsAreTheAccounts(t *testing.T) {
	t.Setenv("API_URL", "")
	store, err := server.Open("", 0)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(server.New(store, "secret-token"))
	defer srv.Close()
	d := registry.New(typeName, &monitors.Monitor{API: api}, describe)
	if err := d.Err(); err != nil {
		t.Fatal(err)
	}
	for configuration, want := range map[string]string{
		`null`: `"errorCode":"InvalidTypeConfiguration"`,
		`{"ApiUrl":"` + srv.URL + `","ApiToken":"wrong"}`:        `"errorCode":"InvalidCredentials"`,
		`{"ApiUrl":"` + srv.URL + `","ApiToken":"secret-token"}`: `"status":"SUCCESS"`,
	} {
		answer, err := d.Invoke(t.Context(), []byte(`{"action":"LIST","requestData":{"typeConfiguration":`+configuration+`}}`))
		if err != nil || !strings.Contains(string(answer), want) {
			t.Errorf("with %s the answer is %s, %v, want %s", configuration, answer, err, want)
		}
	}
}

// The schema is what the registry asks for.
func TestSchema(t *testing.T) {
	var o registry.Options
	describe(&o)
	text, err := o.Schema()
	if err != nil {
		t.Fatal(err)
	}
	type lists struct {
		PrimaryIdentifier, ReadOnlyProperties, WriteOnlyProperties, CreateOnlyProperties []string

		TypeConfiguration struct{ Required []string }
	}
	var got lists
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	want := lists{
		PrimaryIdentifier:    []string{"/properties/PhysicalResourceId"},
		ReadOnlyProperties:   []string{"/properties/Dashboard", "/properties/PhysicalResourceId"},
		WriteOnlyProperties:  []string{"/properties/Bearer"},
		CreateOnlyProperties: []string{"/properties/Url"},
		TypeConfiguration:    struct{ Required []string }{[]string{"ApiUrl"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("schema (-want +got):\n%s\n%s", diff, text)
	}
}
