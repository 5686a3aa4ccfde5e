package longwork

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/selfinvoke"
	"github.com/cfnresource/sdk-go/cfnresource/stackphase"
)

// The handler is a function as users write it, which asks and invokes with the AWS SDK's clients.
// Its things are directories in THINGS; each call of a method is a line in CALLS.

type Props struct {
	Name  string `cfn:"createOnly"`
	Ready int    // how many seconds it takes until a thing is ready, or an Update of it done
	Fail  int    // after how many seconds it fails, if not 0
	Note  string
}

type Data struct{ Path string }

// A Thing is a directory that is ready some time after it was made.
type Thing struct{}

func path(id string) string { return filepath.Join(os.Getenv("THINGS"), id) }

func (*Thing) Create(ctx context.Context, req *cfnresource.CreateRequest[Props]) (data Data, err error) {
	if err := note("Create %s", req.LogicalID); err != nil {
		return data, err
	}
	id := req.StableID()
	if err := os.Mkdir(path(id), 0o750); errors.Is(err, fs.ErrExist) {
		return data, cfnresource.AlreadyExists(id)
	} else if err != nil {
		return data, err
	}
	req.Created(id)
	return Data{Path: path(id)}, wait(ctx, id, req.Properties)
}

func (*Thing) Update(ctx context.Context, req *cfnresource.UpdateRequest[Props]) (data Data, err error) {
	if err := note("Update %s adopted %t", req.LogicalID, req.Adopted); err != nil {
		return data, err
	}
	return Data{Path: path(req.PhysicalID)}, wait(ctx, req.PhysicalID, req.Properties)
}

func (*Thing) Delete(_ context.Context, req *cfnresource.DeleteRequest[Props]) error {
	return errors.Join(note("Delete %s", req.LogicalID), os.RemoveAll(path(req.PhysicalID)))
}

// wait waits until a thing is as old as it takes. A Note that is new begins anew.
func wait(ctx context.Context, id string, p Props) error {
	mark := filepath.Join(path(id), "note "+p.Note)
	if _, err := os.Stat(mark); errors.Is(err, fs.ErrNotExist) {
		if err := os.WriteFile(mark, nil, 0o600); err != nil {
			return err
		}
	}
	return cfnresource.Poll(ctx, 100*time.Millisecond, func(context.Context) (bool, error) {
		about, err := os.Stat(mark)
		if err != nil {
			return false, err
		}
		age := time.Since(about.ModTime())
		if p.Fail > 0 && age >= time.Duration(p.Fail)*time.Second {
			return false, errors.New("it fails as its properties say")
		}
		return age >= time.Duration(p.Ready)*time.Second, nil
	})
}

// note writes down a call.
func note(format string, args ...any) error {
	f, err := os.OpenFile(os.Getenv("CALLS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, format+"\n", args...)
	return errors.Join(err, f.Close())
}

func startHandler() {
	lambda.Start(cfnresource.New(&Thing{}, stackphase.FromEnvironment, selfinvoke.FromEnvironment))
}
