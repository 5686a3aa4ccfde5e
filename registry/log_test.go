package registry_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/registry"
)

// badLog is a logger that does not do its work.
type badLog struct {
	slog.Handler
	hangs bool
}

func (l badLog) Handle(context.Context, slog.Record) error {
	if l.hangs {
		<-time.After(time.Hour)
		return nil
	}
	panic("no")
}

// A logger that panics keeps no answer back, and one that hangs keeps it for a moment.
func TestALoggerCannotPreventTheAnswer(t *testing.T) {
	for _, hangs := range []bool{false, true} {
		for _, action := range []string{"CREATE", "READ", "LIST"} {
			synctest.Test(t, func(t *testing.T) {
				d := registry.New(typeName, panics{newShelf()}, func(o *registry.Options) {
					o.Logger = slog.New(badLog{slog.NewTextHandler(new(bytes.Buffer), nil), hangs})
				})
				start := time.Now()
				a := invoke(t, d, event{action: action, properties: `{"PhysicalResourceId":"t-1"}`}.json())
				if a.ErrorCode != "InternalFailure" || strings.Contains(a.Message, "SDK") || time.Since(start) > 2*time.Second {
					t.Errorf("after %s %s is answered %+v", time.Since(start), action, a)
				}
				<-time.After(2 * time.Hour) // what was given up ends
			})
		}
	}
}

// hidden shows its key in JSON alone.
type hidden struct{ Key string }

func (hidden) String() string { return "hidden" }

// A secret is in no record, however it is written, and however far behind.
func TestRecordsOfTheHandlerHoldNoSecret(t *testing.T) {
	for name, value := range map[string]any{
		"a type that hides it": hidden{"hush-hush"},
		"a list of such":       []hidden{{"hush-hush"}},
		"a long text":          strings.Repeat("x", 20<<10) + "hush-hush",
		"a very long text":     strings.Repeat("x", 200<<10) + "hush-hush",
	} {
		var records bytes.Buffer
		s := asking{newShelf(), func(ctx context.Context) error {
			registry.Logger(ctx).Info("it is asked", "value", value)
			return nil
		}}
		d := registry.New(typeName, s, func(o *registry.Options) { o.Logger = slog.New(slog.NewJSONHandler(&records, nil)) })
		invoke(t, d, event{action: "CREATE", properties: asked}.json())
		if text := records.String(); strings.Contains(text, "hush") || !strings.Contains(text, "it is asked") {
			t.Errorf("%s: the records are %.300s … %s", name, text, text[max(0, len(text)-300):])
		}
	}
}

type login struct {
	User     string
	Password string `cfn:"secret"`
}

type doorProps struct {
	Name   string `cfn:"required"`
	Note   string
	Pin    string `cfn:"secret"`
	Login  login
	Logins []login
}

// A door is one resource, in memory.
type door struct {
	is doorProps
}

func (d *door) Create(_ context.Context, req *cfnresource.CreateRequest[doorProps]) (none struct{}, err error) {
	d.is = req.Properties
	return none, nil
}

func (d *door) Update(_ context.Context, req *cfnresource.UpdateRequest[doorProps]) (none struct{}, err error) {
	d.is = req.Properties
	return none, nil
}

func (d *door) Delete(context.Context, *cfnresource.DeleteRequest[doorProps]) error { return nil }

func (d *door) Read(context.Context, *registry.ReadRequest) (registry.Model[doorProps, struct{}], error) {
	return registry.Model[doorProps, struct{}]{Properties: d.is}, nil
}

func (d *door) List(context.Context, *registry.ListRequest) ([]string, string, error) {
	return nil, "", nil
}

// A property is answered as it came where Read has the same, and as Read has it where
// a secret is in it, in whatever depth.
func TestAnswersHaveNoSecretAtAnyDepth(t *testing.T) {
	const first = `"Name":"a","Pin":"hush-hush","Login":{"User":"u","Password":"hush-hush"},"Logins":[{"User":"v","Password":"hush-hush"}]`
	const id = `"PhysicalResourceId":"door-1"`
	d := registry.New(typeName, &door{})
	for _, e := range []event{
		{action: "CREATE", properties: "{" + first + "}"},
		{action: "UPDATE", token: "2", properties: "{" + first + `,"Note":"b",` + id + "}", previous: "{" + first + "," + id + "}"},
	} {
		a := invoke(t, d, e.json())
		if a.Status != "SUCCESS" || strings.Contains(string(a.ResourceModel), "hush") ||
			!strings.Contains(string(a.ResourceModel), `"Login":{"User":"u"},"Logins":[{"User":"v"}]`) {
			t.Errorf("%s is answered %s %s", e.action, a.Status, a.ResourceModel)
		}
	}
}

// READ answers as CREATE does: a text keeps the form in which it came, also beside a secret, and so
// does an empty one. An import brings none, and gets the form that the schema takes.
func TestWhatCameComesBack(t *testing.T) {
	const came = `{"Name":"a","Note":"","Rests":{"Wait":"60m","Key":"hush-hush"}}`
	const want = `{"Name":"a","Note":"","PhysicalResourceId":"chair-1","Rests":{"Wait":"60m"}}`
	d := registry.New(typeName, &chair{})
	for _, test := range []struct {
		event
		want string
	}{
		{event{action: "CREATE", properties: came}, want},
		{event{action: "READ", properties: want}, want},
		{event{action: "READ", properties: `{"PhysicalResourceId":"chair-1"}`}, `{"Name":"a","PhysicalResourceId":"chair-1","Rests":{"Wait":"1h"}}`},
	} {
		if a := invoke(t, d, test.json()); a.Status != "SUCCESS" || string(a.ResourceModel) != test.want {
			t.Errorf("%s of %s is answered %s %s, want %s", test.action, test.properties, a.Status, a.ResourceModel, test.want)
		}
	}
}

// The registry replaces by createOnly, also where nothing leads from the properties to the
// ID: nobody is told that it does not.
func TestNoAdviceForCustomResources(t *testing.T) {
	var records strings.Builder
	d := registry.New(typeName, &chair{}, func(o *registry.Options) { o.Logger = slog.New(slog.NewTextHandler(&records, nil)) })
	a := invoke(t, d, event{action: "CREATE", properties: `{"Name":"a"}`}.json())
	if a.Status != "SUCCESS" || strings.Contains(records.String(), "level=WARN") || records.Len() == 0 {
		t.Errorf("the answer is %+v, and the log\n%s", a, records.String())
	}
}

type chairProps struct {
	Name, Note string
	Rests      struct {
		Wait time.Duration
		Key  string `cfn:"secret"`
	}
}

// A chair is one resource, in memory.
type chair struct{ is chairProps }

func (c *chair) Create(_ context.Context, req *cfnresource.CreateRequest[chairProps]) (none struct{}, err error) {
	c.is = req.Properties
	req.Created("chair-1")
	return none, nil
}

func (c *chair) Update(_ context.Context, req *cfnresource.UpdateRequest[chairProps]) (none struct{}, err error) {
	c.is = req.Properties
	return none, nil
}

func (c *chair) Delete(context.Context, *cfnresource.DeleteRequest[chairProps]) error { return nil }

func (c *chair) Read(_ context.Context, req *registry.ReadRequest) (m registry.Model[chairProps, struct{}], err error) {
	if req.PhysicalID != "chair-1" {
		return m, cfnresource.Errorf(cfnresource.CodeNotFound, "there is no such chair")
	}
	m.Properties = c.is
	return m, nil
}

func (c *chair) List(context.Context, *registry.ListRequest) ([]string, string, error) {
	return []string{"chair-1"}, "", nil
}
