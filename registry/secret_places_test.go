package registry_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/internal/testrun"
	"github.com/cfnresource/sdk-go/registry"
)

const hush = "hunter2hunter2"

// waysOut are how user code that got a context lets a secret out after it has said that it is one.
var waysOut = map[string]func(context.Context) error{
	"error": func(ctx context.Context) error {
		cfnresource.Secret(ctx, hush)
		return errors.New("it says " + hush)
	},
	"panic": func(ctx context.Context) error {
		cfnresource.Secret(ctx, hush)
		panic("it says " + hush)
	},
	"context that outlives the call": func(ctx context.Context) error {
		cfnresource.Secret(context.WithoutCancel(ctx), hush)
		return errors.New("it says " + hush)
	},
	"log": func(ctx context.Context) error {
		before := registry.Logger(ctx).With("before-"+hush, "it says "+hush).WithGroup("group-" + hush)
		cfnresource.Secret(ctx, hush)
		before.InfoContext(ctx, "it says "+hush, hush, hush, slog.Group(hush, hush, hush))
		return errors.New("it says " + hush)
	},
}

// A doll is a Resource of one function, which gets the name of the method.
type doll func(ctx context.Context, method string) error

func (d doll) Create(ctx context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	req.Created("t-1")
	return data{}, d(ctx, "Create")
}

func (d doll) Update(ctx context.Context, _ *cfnresource.UpdateRequest[props]) (data, error) {
	return data{}, d(ctx, "Update")
}

func (d doll) Delete(ctx context.Context, _ *cfnresource.DeleteRequest[props]) error {
	return d(ctx, "Delete")
}

func (d doll) Read(ctx context.Context, _ *registry.ReadRequest) (m registry.Model[props, data], _ error) {
	m.Properties.Name = "a"
	return m, d(ctx, "Read")
}

func (d doll) List(ctx context.Context, _ *registry.ListRequest) ([]string, string, error) {
	return nil, "", d(ctx, "List")
}

// A findable doll has Find, too.
type findable struct{ doll }

func (d findable) Find(ctx context.Context, _ *cfnresource.FindRequest[props]) (string, error) {
	return "", d.doll(ctx, "Find")
}

// in returns a doll that tells in one method.
func in(method string, tell func(context.Context) error) doll {
	return func(ctx context.Context, called string) error {
		if called == method {
			return tell(ctx)
		}
		return nil
	}
}

// A place is one where user code gets a context: in a Dispatcher that new makes, tell is called there
// in each of the actions.
type place struct {
	actions []string
	new     func(tell func(context.Context) error, option func(*registry.Options)) *registry.Dispatcher
}

func method(name string, actions ...string) place {
	return place{actions, func(tell func(context.Context) error, option func(*registry.Options)) *registry.Dispatcher {
		return registry.New(typeName, in(name, tell), option)
	}}
}

var places = map[string]place{
	"registry.Resource.Create": method("Create", "CREATE"),
	"registry.Resource.Update": method("Update", "UPDATE"),
	"registry.Resource.Delete": method("Delete", "DELETE"),
	"registry.Resource.Read":   method("Read", "READ", "CREATE", "UPDATE", "DELETE"),
	"registry.Resource.List":   method("List", "LIST"),
	"cfnresource.Finder.Find": {[]string{"CREATE"}, func(tell func(context.Context) error, option func(*registry.Options)) *registry.Dispatcher {
		return registry.New(typeName, findable{in("Find", tell)}, option)
	}},
	"registry.Lazy(open)": {[]string{"CREATE", "READ", "LIST"}, func(tell func(context.Context) error, option func(*registry.Options)) *registry.Dispatcher {
		return registry.New(typeName, registry.Lazy(func(ctx context.Context) (doll, error) { return nil, tell(ctx) }), option)
	}},
	"registry.Options.Middleware": {[]string{"CREATE", "UPDATE", "DELETE"}, func(tell func(context.Context) error, option func(*registry.Options)) *registry.Dispatcher {
		return registry.New(typeName, in("", nil), option, func(o *registry.Options) {
			o.Middleware = []cfnresource.Middleware{func(ctx context.Context, _ *cfnresource.Operation, _ func(context.Context) error) error {
				return tell(ctx)
			}}
		})
	}},
	// Nothing shows what a logger fails with: what it has said to be secret stands in the failure of
	// the method that logs.
	"registry.Options.Logger": {[]string{"CREATE", "READ", "LIST"}, func(tell func(context.Context) error, option func(*registry.Options)) *registry.Dispatcher {
		once := false
		d := doll(func(ctx context.Context, _ string) error {
			registry.Logger(ctx).InfoContext(ctx, "it begins")
			return errors.New("it says " + hush)
		})
		return registry.New(typeName, d, option, func(o *registry.Options) {
			o.Logger = slog.New(tellingLog{o.Logger.Handler(), func(ctx context.Context) error {
				if once {
					return nil
				}
				once = true
				defer func() { _ = recover() }() // it would be the method's panic
				return tell(ctx)
			}})
		})
	}},
}

// A tellingLog tells at each record.
type tellingLog struct {
	slog.Handler
	tell func(context.Context) error
}

func (l tellingLog) Handle(ctx context.Context, r slog.Record) error {
	return errors.Join(l.Handler.Handle(ctx, r), l.tell(ctx))
}

// Wherever this package hands out a context, a secret that is registered with it is in no answer and
// in no record. The places are those of the exported API, and Find: one that is added needs a row.
func TestSecretWorksAtEveryPlace(t *testing.T) {
	testrun.EveryPlace(t, places, []string{"."}, "cfnresource.Finder.Find")
	for name, p := range places {
		for _, action := range p.actions {
			for how, tell := range waysOut {
				t.Run(name+" "+action+" "+how, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						var log bytes.Buffer
						told := 0
						d := p.new(func(ctx context.Context) error {
							told++
							return tell(ctx)
						}, func(o *registry.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
						properties := `{"Name":"a","PhysicalResourceId":"t-1"}`
						if action == "CREATE" {
							properties = `{"Name":"a"}`
						}
						a := invoke(t, d, event{action: action, properties: properties}.json())
						written := a.Message + "\n" + log.String()
						if told == 0 || strings.Contains(written, hush) || !strings.Contains(a.Message, "it says ***") {
							t.Errorf("it was called %d times, and what is written holds the secret, or nothing of the rest:\n%s", told, written)
						}
						if how == "log" && !strings.Contains(log.String(), "it says ***") {
							t.Errorf("what it logged is missing:\n%s", &log)
						}
						<-time.After(time.Minute) // what was given up ends
					})
				})
			}
		}
	}
}

// What was read when the resource was opened stays secret for the process, the type's configuration
// included.
func TestSecretsOfLazyLast(t *testing.T) {
	for name, learn := range map[string]func(context.Context) error{
		"registered": func(ctx context.Context) error { cfnresource.Secret(ctx, hush); return nil },
		"of the configuration": func(ctx context.Context) error {
			_, err := registry.Configuration[struct {
				Key string `cfn:"secret"`
			}](ctx)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := registry.New(typeName, registry.Lazy(func(ctx context.Context) (doll, error) {
					return func(context.Context, string) error { return errors.New("it says " + hush) }, learn(ctx)
				}))
				more := `,"typeConfiguration":{"Key":"` + hush + `"}`
				for _, action := range []string{"LIST", "READ", "LIST"} {
					if a := invoke(t, d, event{action: action, properties: `{"PhysicalResourceId":"t-1"}`, more: more}.json()); !strings.Contains(a.Message, "it says ***") {
						t.Errorf("%s is answered %+v", action, a)
					}
				}
			})
		})
	}
}

// A record that waits for the end of the request is masked by what is known then.
func TestRecordsThatWaitAreMaskedAtLast(t *testing.T) {
	group := &logGroup{}
	server := httptest.NewServer(group)
	defer server.Close()
	t.Setenv("AWS_ENDPOINT_URL_CLOUDWATCH_LOGS", server.URL)
	t.Setenv("AWS_REGION", "eu-west-1")
	d := registry.New(typeName, doll(func(ctx context.Context, _ string) error {
		registry.Logger(ctx).InfoContext(ctx, "it says "+hush)
		cfnresource.Secret(ctx, hush)
		return nil
	}))
	invoke(t, d, event{action: "LIST", more: `,"providerLogGroupName":"g","providerCredentials":{"accessKeyId":"AKIAPROVIDER","secretAccessKey":"s3cret-key"}`}.json())
	if strings.Contains(group.text, hush) || !strings.Contains(group.text, "it says ***") {
		t.Errorf("the log group has\n%s", group.text)
	}
}

// What a method has left running may log while the records are masked and written: the race detector
// is to find nothing.
func TestRecordsThatComeWhileOthersAreWritten(t *testing.T) {
	server := httptest.NewServer(&logGroup{})
	defer server.Close()
	t.Setenv("AWS_ENDPOINT_URL_CLOUDWATCH_LOGS", server.URL)
	t.Setenv("AWS_REGION", "eu-west-1")
	var left sync.WaitGroup
	d := registry.New(typeName, doll(func(ctx context.Context, _ string) error {
		begun := make(chan struct{})
		left.Go(func() {
			for i := range 1000 {
				if registry.Logger(ctx).InfoContext(ctx, "it says "+hush); i == 100 {
					close(begun)
				}
			}
		})
		<-begun
		cfnresource.Secret(ctx, hush)
		return nil
	}))
	invoke(t, d, event{action: "LIST", more: `,"providerLogGroupName":"g","providerCredentials":{"accessKeyId":"AKIAPROVIDER","secretAccessKey":"s3cret-key"}`}.json())
	left.Wait()
}

// What With and WithGroup got is written as it was, but for secrets, and in its order.
func TestLoggerKeepsWithAndWithGroup(t *testing.T) {
	var log bytes.Buffer
	d := registry.New(typeName, doll(func(ctx context.Context, _ string) error {
		registry.Logger(ctx).With("a", 1).WithGroup("").WithGroup("g").With("b", 2, slog.Group("h", "c", 3)).InfoContext(ctx, "it begins", "d", 4, "e", 5)
		return nil
	}), func(o *registry.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	invoke(t, d, event{action: "LIST"}.json())
	if want := `msg="it begins" a=1 g.b=2 g.h.c=3 g.d=4 g.e=5` + "\n"; !strings.Contains(log.String(), want) {
		t.Errorf("the log is\n%s, want %s in it", &log, want)
	}
}
