// Command archive is the program of docs/rollback.md: a directory that is
// deleted with what is in it only where that is meant.
package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/stackphase"
	"github.com/cfnresource/sdk-go/lifecycle"
)

type Props struct {
	Project string `cfn:"createOnly,required"`
}

type Data struct{ Path string }

type Archive struct{ root *os.Root }

func (a *Archive) Create(_ context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
	id := req.StableID()
	if err := a.root.Mkdir(id, 0o750); errors.Is(err, fs.ErrExist) {
		return Data{}, cfnresource.AlreadyExists(id)
	} else if err != nil {
		return Data{}, err
	}
	req.Created(id)
	return a.data(id), nil
}

// Update makes what is missing: it does not work from the difference to the old
// properties, which in a rollback may never have been applied.
func (a *Archive) Update(_ context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	return a.data(req.PhysicalID), a.root.MkdirAll(req.PhysicalID, 0o750)
}

func (a *Archive) Delete(ctx context.Context, req *cfnresource.DeleteRequest[Props]) error {
	switch req.Phase(ctx) {
	case lifecycle.PhaseDeleting:
		return a.root.RemoveAll(req.PhysicalID) // the stack goes
	default: // a rollback, a change of the template, or not known: what holds files stays
		if err := a.root.Remove(req.PhysicalID); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
}

func (a *Archive) data(id string) Data { return Data{Path: filepath.Join(a.root.Name(), id)} }

// open runs at the first event, where its failure is answered.
func open(context.Context) (*Archive, error) {
	root, err := os.OpenRoot(os.Getenv("ROOT"))
	return &Archive{root}, err
}

func main() { lambda.Start(cfnresource.New(cfnresource.Lazy(open), stackphase.FromEnvironment)) }
