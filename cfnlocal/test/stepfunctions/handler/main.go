// Handler is a function that goes on in another invocation, and may not invoke
// itself: a state machine does it.
package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/stackphase"
)

type Props struct {
	Project string `cfn:"createOnly,required"`
}

type Data struct{ Path string }

// An Export is a directory that another program fills. It writes a file ready
// beside it when that is done.
type Export struct{ root *os.Root }

func (e *Export) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
	id := req.StableID()
	if err := e.root.Mkdir(id, 0o750); errors.Is(err, fs.ErrExist) {
		return Data{}, cfnresource.AlreadyExists(id)
	} else if err != nil {
		return Data{}, err
	}
	req.Created(id)
	return e.wait(ctx, id)
}

func (e *Export) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	return e.wait(ctx, req.PhysicalID)
}

func (e *Export) Delete(_ context.Context, req *cfnresource.DeleteRequest[Props]) error {
	return e.root.RemoveAll(req.PhysicalID)
}

func (e *Export) wait(ctx context.Context, id string) (Data, error) {
	return Data{Path: filepath.Join(e.root.Name(), id)}, cfnresource.Poll(ctx, 10*time.Second, func(context.Context) (bool, error) {
		_, err := e.root.Stat("ready")
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	})
}

func open(context.Context) (*Export, error) {
	root, err := os.OpenRoot(os.Getenv("ROOT"))
	return &Export{root}, err
}

func main() {
	lambda.Start(cfnresource.New(cfnresource.Lazy(open), stackphase.FromEnvironment, stepFunctions))
}
