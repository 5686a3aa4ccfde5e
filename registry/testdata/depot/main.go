// Depot is a function with a registered type, for the tests of cfnlocal and for AWS's contract
// suite. Its service is the file that DEPOT names. Read shows a crate once it was asked LAG times,
// and says who has inspected it from the second answer on. List has pages of two.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/schema"
	"github.com/cfnresource/sdk-go/registry"
)

const typeName = "Example::Depot::Crate"

type props struct {
	Name     string `cfn:"createOnly,required"`
	Size     int
	Labels   []string
	Doors    doors
	Password string `cfn:"secret"`
	Fail     string // the method that fails when it has worked
	Rest     time.Duration
}

// doors are a set, which the service keeps in its own order.
type doors []string

func (doors) DescribeProperty(p *schema.Property) { p.InsertionOrder, p.UniqueItems = new(bool), true }

type data struct {
	Address   string
	Inspected string // by whom: nobody has when the crate is made
}

type crate struct {
	Properties props
	Mark       string
	Reads      int
}

type depot struct {
	Made   int
	Crates map[string]*crate
}

// change has a function change what there is, of one process at a time.
func change(do func(*depot) error) error {
	lock := os.Getenv("DEPOT") + ".lock"
	for tries := 0; os.Mkdir(lock, 0o700) != nil; tries++ {
		if tries > 5000 {
			return errors.New("the depot is locked")
		}
		time.Sleep(time.Millisecond)
	}
	defer func() { _ = os.Remove(lock) }()
	d := &depot{Crates: map[string]*crate{}}
	raw, err := os.ReadFile(os.Getenv("DEPOT"))
	if err == nil {
		err = json.Unmarshal(raw, d)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	failed := do(d)
	if raw, err = json.MarshalIndent(d, "", " "); err == nil {
		err = os.WriteFile(os.Getenv("DEPOT"), raw, 0o600)
	}
	return errors.Join(failed, err)
}

// with is change of one crate.
func with(id string, do func(*depot, *crate) error) error {
	return change(func(d *depot) error {
		if c := d.Crates[id]; c != nil {
			return do(d, c)
		}
		return cfnresource.Errorf(cfnresource.CodeNotFound, "there is no crate %s", id)
	})
}

func (p *props) fails(method string) error {
	if p.Fail == method {
		return cfnresource.Errorf(cfnresource.CodeServiceLimitExceeded, "%s fails, as the properties say", method)
	}
	return nil
}

type handler struct{}

func (handler) Create(_ context.Context, req *cfnresource.CreateRequest[props]) (data, error) {
	return data{}, change(func(d *depot) error {
		for _, c := range d.Crates {
			if c.Properties.Name == req.Properties.Name {
				return cfnresource.Errorf(cfnresource.CodeAlreadyExists, "the name is taken")
			}
		}
		d.Made++
		id := fmt.Sprintf("c-%d", d.Made)
		d.Crates[id] = &crate{Properties: req.Properties, Mark: req.StableID()}
		req.Created(id)
		return req.Properties.fails("Create")
	})
}

func (handler) Update(_ context.Context, req *cfnresource.UpdateRequest[props]) (data, error) {
	return data{}, with(req.PhysicalID, func(_ *depot, c *crate) error {
		c.Properties = req.Properties
		return req.Properties.fails("Update")
	})
}

func (handler) Delete(_ context.Context, req *cfnresource.DeleteRequest[props]) error {
	return with(req.PhysicalID, func(d *depot, _ *crate) error {
		delete(d.Crates, req.PhysicalID)
		return nil
	})
}

func (handler) Find(_ context.Context, req *cfnresource.FindRequest[props]) (id string, err error) {
	return id, change(func(d *depot) error {
		for known, c := range d.Crates {
			if c.Mark == req.StableID() {
				id = known
			}
		}
		return nil
	})
}

func (handler) Read(_ context.Context, req *registry.ReadRequest) (m registry.Model[props, data], err error) {
	lag, _ := strconv.Atoi(os.Getenv("LAG"))
	return m, with(req.PhysicalID, func(_ *depot, c *crate) error {
		if c.Reads++; c.Reads <= lag {
			return cfnresource.Errorf(cfnresource.CodeNotFound, "there is no crate %s yet", req.PhysicalID)
		}
		m = registry.Model[props, data]{Properties: c.Properties, Data: data{Address: "depot/" + req.PhysicalID}}
		m.Properties.Doors = slices.Sorted(slices.Values(c.Properties.Doors))
		if c.Reads > lag+1 {
			m.Data.Inspected = "by the keeper"
		}
		return nil
	})
}

func (handler) List(_ context.Context, req *registry.ListRequest) (ids []string, next string, err error) {
	const page = 2
	return ids, next, change(func(d *depot) error {
		for _, id := range slices.Sorted(maps.Keys(d.Crates)) {
			switch {
			case id <= req.NextToken: // of an earlier page
			case len(ids) == page:
				next = ids[page-1]
				return nil
			default:
				ids = append(ids, id)
			}
		}
		return nil
	})
}

func main() {
	lambda.Start(registry.New(typeName, handler{}, func(o *registry.Options) {
		o.Schema = func() ([]byte, error) { return registry.Schema[props, data, struct{}](typeName, registry.Handlers{}) }
	}))
}
