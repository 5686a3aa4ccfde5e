package cfnresource_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// Which properties are refused, by operation. A refused Create costs an edit
// of the template; a refused rollback or Delete costs the stack.
func TestWhatIsRefused(t *testing.T) {
	tests := []struct {
		name, reason string
		event        payload
		refused      string // a part of the Reason; "" if the handler is called
	}{
		{"Create, bad value", "named with its path", created(object{"ResourceProperties": object{"Size": "large"}}), "Size"},
		{"Create, unknown property", "a typing error, with the nearest name", created(object{"ResourceProperties": object{"Nmae": "a"}}), `"Name"`},
		{"Create, unresolved reference", "CloudFormation does not resolve these for custom resources",
			created(object{"ResourceProperties": object{"Secret": "{{resolve:secretsmanager:x}}"}}), "Secret"},
		{"Create, unresolved reference in a longer text", "CloudFormation resolves them there, too",
			created(object{"ResourceProperties": object{"Name": "db-{{resolve:secretsmanager:x}}"}}), "Name"},
		{"Create, required one missing", "", created(object{"ResourceProperties": object{}, "ResourceType": "Custom::Strict"}), "Need"},
		{"Create, Validate", "", created(object{"ResourceProperties": object{"Need": "no"}, "ResourceType": "Custom::Strict"}), "must be yes"},
		{"Create, Validate panics", "it is the user's code", created(object{"ResourceProperties": object{"Need": "panic"}, "ResourceType": "Custom::Strict"}), "panic"},
		{"Create, no properties", "absent is empty", created(object{"ResourceProperties": nil}), ""},
		{"Create, properties are not an object", "", created(object{"ResourceProperties": "x"}), "propert"},
		{"Create, ServiceToken and ServiceTimeout", "they are CloudFormation's",
			created(object{"ResourceProperties": object{"ServiceToken": "arn:…", "ServiceTimeout": "60"}}), ""},
		{"Update, bad value", "", event("Update", object{"PhysicalResourceId": "x", "ResourceProperties": object{"Size": "large"}}), "Size"},
		{"Update, unknown property", "the rollback of an upgrade brings such", event("Update", object{"PhysicalResourceId": "x", "ResourceProperties": object{"Nmae": "a"}}), ""},
		{"Update, unresolved reference", "warned of", event("Update", object{"PhysicalResourceId": "x", "ResourceProperties": object{"Secret": "{{resolve:ssm-secure:x}}"}}), ""},
		{"Update, required one missing", "", event("Update", object{"PhysicalResourceId": "x", "ResourceProperties": object{}, "ResourceType": "Custom::Strict"}), "Need"},
		{"Update, bad and unknown old ones", "they are a hint",
			event("Update", object{"PhysicalResourceId": "x", "OldResourceProperties": object{"Size": "large", "Nmae": "a"}}), ""},
		{"Delete, bad value", "nothing undecodable blocks a Delete", event("Delete", object{"PhysicalResourceId": "x", "ResourceProperties": object{"Size": "large"}}), ""},
		{"Delete, unknown property", "nothing blocks a Delete", event("Delete", object{"PhysicalResourceId": "x", "ResourceProperties": object{"Nmae": "a"}}), ""},
		{"Delete, required one missing", "nothing blocks a Delete",
			event("Delete", object{"PhysicalResourceId": "x", "ResourceProperties": object{"Need": "no"}, "ResourceType": "Custom::Strict"}), ""},
		{"Delete, no properties", "nothing blocks a Delete", event("Delete", object{"PhysicalResourceId": "x", "ResourceProperties": nil}), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := cfnresource.NewDispatcher(silent)
			cfnresource.Handle(m, "Custom::Topic", &fake{})
			cfnresource.Handle(m, "Custom::Strict", cfnresource.Action(func(context.Context, *cfnresource.UpdateRequest[strict]) (res data, err error) {
				return res, nil
			}))
			got := invoke(t, m, tt.event)
			if (got.Status == "FAILED") != (tt.refused != "") || !strings.Contains(got.Reason, tt.refused) {
				t.Errorf("%s (%s), want one that says %q, since %s", got.Status, got.Reason, tt.refused, tt.reason)
			}
		})
	}
}

type strict struct {
	Need string `cfn:"required"`
}

func (s *strict) Validate() error {
	switch s.Need {
	case "no":
		return errors.New("Need must be yes")
	case "panic":
		panic("no")
	case "hang":
		<-time.After(time.Minute)
	}
	return nil
}

// A handler that resolves references itself gets their text, and no warning.
func TestTaggedReferencesReachTheHandler(t *testing.T) {
	type takes struct {
		URL string `cfn:"reference"`
	}
	const url = "postgres://u:{{resolve:secretsmanager:db:SecretString:password}}@db"
	var log bytes.Buffer
	var got []string
	d := cfnresource.New(cfnresource.Action(func(_ context.Context, req *cfnresource.UpdateRequest[takes]) (none struct{}, err error) {
		got = append(got, req.Properties.URL)
		return none, nil
	}), silent, func(o *cfnresource.Options) {
		o.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	})
	invoke(t, d, created(object{"ResourceProperties": object{"URL": url}}))
	invoke(t, d, event("Update", object{"PhysicalResourceId": "x", "ResourceProperties": object{"URL": url}}))
	if diff := cmp.Diff([]string{url, url}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if log.Len() > 0 {
		t.Errorf("log: %s", &log)
	}
}

// All problems are told at once: each costs a deployment.
func TestAllProblemsAreTold(t *testing.T) {
	got := invoke(t, dispatcher(&fake{}), created(object{"ResourceProperties": object{"Size": "hunter2000", "Nmae": "a", "Name": object{}}}))
	for _, want := range []string{"Size", "Nmae", "Name"} {
		if !strings.Contains(got.Reason, want) {
			t.Errorf("Reason %q does not name %s", got.Reason, want)
		}
	}
	if strings.Contains(got.Reason, "hunter2000") {
		t.Errorf("Reason %q repeats a value", got.Reason)
	}
}

// What can be read of old and of deleted properties is there, beside the error.
func TestUnreadablePropertiesAreReadAsFarAsPossible(t *testing.T) {
	bad := object{"Name": "a", "Size": "large", "Secret": "s"}
	h := &fake{
		onUpdate: func(_ context.Context, req *update) (res data, err error) {
			var p *cfnresource.PropertyError
			if want := (props{Name: "a", Secret: "s"}); req.OldProperties != want || !errors.As(req.OldPropertiesErr, &p) || p.Path != "Size" {
				t.Errorf("Update: %+v (%v), want %+v and an error about Size", req.OldProperties, req.OldPropertiesErr, want)
			}
			return res, nil
		},
		onDelete: func(_ context.Context, req *del) error {
			var p *cfnresource.PropertyError
			if want := (props{Name: "a", Secret: "s"}); req.Properties != want || !errors.As(req.PropertiesErr, &p) || p.Path != "Size" {
				t.Errorf("Delete: %+v (%v), want %+v and an error about Size", req.Properties, req.PropertiesErr, want)
			}
			return nil
		},
	}
	d := dispatcher(h)
	invoke(t, d, event("Update", object{"PhysicalResourceId": "x", "OldResourceProperties": bad}))
	invoke(t, d, event("Delete", object{"PhysicalResourceId": "x", "ResourceProperties": bad}))
	if len(h.calls) != 2 {
		t.Errorf("calls %q, want an Update and a Delete", h.calls)
	}
}
