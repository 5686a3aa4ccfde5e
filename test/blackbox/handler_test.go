package blackbox_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// init: as a function of Lambda's, the tests' program is a handler as the SDK's users write them,
// that goes wrong when a property asks for it. The environment variable KIND chooses which. What
// sends it events and judges its answers is in another package, so that the two share nothing.
func init() { //nolint:gochecknoinits // it is another program
	if os.Getenv("AWS_LAMBDA_RUNTIME_API") != "" {
		beHandler()
		os.Exit(0)
	}
}

func beHandler() {
	service := open()
	kind := os.Getenv("KIND")
	if strings.HasSuffix(kind, "-at-init") && os.Getenv("AWS_LAMBDA_FUNCTION_NAME") == "provider-failures" {
		kind = "named" // what keeps the function from starting is in its own configuration
	}
	switch kind {
	// Handlers.
	case "named":
		lambda.Start(cfnresource.New(named{service}))
	case "found":
		lambda.Start(cfnresource.New(found{plain{service}}))
	case "plain":
		lambda.Start(cfnresource.New(plain{service}))
	case "secret":
		lambda.Start(cfnresource.New(vault{service}))
	case "action":
		lambda.Start(cfnresource.New(cfnresource.Action(lookUp)))
	case "lazy":
		lambda.Start(cfnresource.New(cfnresource.Lazy(func(context.Context) (named, error) {
			if service.count("open") == 1 {
				return named{}, errors.New("the account's settings cannot be read")
			}
			return named{service}, nil
		})))
	case "lazy-panics":
		lambda.Start(cfnresource.New(cfnresource.Lazy(func(context.Context) (named, error) { panic("no settings") })))
	case "several":
		d := cfnresource.NewDispatcher()
		cfnresource.Handle(d, "Custom::Thing", named{service})
		cfnresource.Handle(d, "Custom::Found", found{plain{service}})
		lambda.Start(d)
	case "several-twice":
		d := cfnresource.NewDispatcher()
		cfnresource.Handle(d, "Custom::Thing", named{service})
		cfnresource.Handle(d, "Custom::Thing", plain{service})
		lambda.Start(d)
	// Functions that cannot start.
	case "bad-tag":
		lambda.Start(cfnresource.New(badTag{}))
	case "nil":
		lambda.Start(cfnresource.New[*pointer](nil))
	case "exits-at-init":
		os.Exit(7)
	case "panics-at-init":
		panic("no settings at all")
	}
}

// Props are the properties of all handlers here.
type Props struct {
	Name     string            `cfn:"createOnly"`
	Behave   string            // how to go wrong
	Made     bool              // after the thing was made, not before
	ReturnID string            // what Create names instead of the thing's ID
	Note     string            // what no log may hold
	Password string            `cfn:"secret"`
	Count    int               // the rest is there to be decoded
	Ratio    float64           //
	Enabled  bool              //
	Ports    []uint16          //
	Labels   map[string]string //
	Rule     struct{ Port uint16 }
}

// behaviour is how to go wrong in a method: "Create:error" goes wrong in Create alone.
func (p *Props) behaviour(method string) string {
	if only, how, ok := strings.Cut(p.Behave, ":"); ok {
		if only == method {
			return how
		}
		return ""
	}
	return p.Behave
}

// Validate refuses properties, or panics.
func (p *Props) Validate() error {
	switch p.Behave {
	case "invalid":
		return errors.New("Behave and Name do not go together")
	case "validate-panics":
		panic("no opinion")
	}
	return nil
}

// Data are the attributes: a map, since a struct has no room for what cannot be encoded.
type Data = map[string]any

type (
	createRequest = cfnresource.CreateRequest[Props]
	updateRequest = cfnresource.UpdateRequest[Props]
	deleteRequest = cfnresource.DeleteRequest[Props]
	findRequest   = cfnresource.FindRequest[Props]
)

func lookUp(ctx context.Context, req *updateRequest) (Data, error) {
	called("Run", req.PhysicalID)
	data, err := behave(ctx, req.Properties.behaviour("Run"), req.Properties.Password)
	return data, err
}

// errNotFound is what the service says of a thing that it does not have.
var errNotFound = errors.New("no such thing")

// A store keeps things in a folder, one file each, named for the thing and
// holding its tag. Processes that share the folder share the things.
type store struct{ folder string }

// open returns the store of the folder in the environment variable STATE. It makes the process end
// when its standard input does: with the test, however that ends.
func open() store {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(9)
	}()
	return store{os.Getenv("STATE")}
}

// put makes the thing name, or changes its tag.
func (s store) put(name, tag string) error {
	return os.WriteFile(filepath.Join(s.folder, name), []byte(tag), 0o600)
}

// add makes a thing under a name of the service's own choice.
func (s store) add(tag string) (name string, err error) {
	for n := 1; ; n++ {
		name = fmt.Sprintf("svc-%d", n)
		f, err := os.OpenFile(filepath.Join(s.folder, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.WriteString(tag)
		return name, errors.Join(err, f.Close())
	}
}

// find returns the thing that bears tag, or "".
func (s store) find(tag string) (name string, err error) {
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if b, err := os.ReadFile(filepath.Join(s.folder, e.Name())); err == nil && string(b) == tag {
			return e.Name(), nil
		}
	}
	return "", nil
}

// has reports whether there is a thing called name.
func (s store) has(name string) bool {
	_, err := os.Stat(filepath.Join(s.folder, name))
	return err == nil
}

// remove removes the thing name.
func (s store) remove(name string) error {
	err := os.Remove(filepath.Join(s.folder, name))
	if errors.Is(err, fs.ErrNotExist) {
		return errNotFound
	}
	return err
}

// count counts the calls of what, for what goes wrong only the first times.
func (s store) count(what string) int {
	folder := s.folder + "-counts"
	_ = os.MkdirAll(folder, 0o700)
	b, _ := os.ReadFile(filepath.Join(folder, what))
	_ = os.WriteFile(filepath.Join(folder, what), append(b, '.'), 0o600)
	return len(b) + 1
}

// called writes a line to the log that says that the handler was called. The
// test counts these lines.
func called(method, physicalID string) { fmt.Printf("CALL %s %s\n", method, physicalID) }
