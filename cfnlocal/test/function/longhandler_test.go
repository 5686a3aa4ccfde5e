package function

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// LongProps are the properties of a [Long].
type LongProps struct {
	Name  string `cfn:"createOnly"`
	Ready int    // how many seconds it takes until a thing is ready, or an Update of it done
	Fail  int    // after how many seconds it fails, if not 0
	Note  string
}

// LongData are the attributes of a [Long].
type LongData struct{ Path string }

// A Long is a directory that is ready some time after it was made. Each call of a method is noted.
type Long struct{}

func path(id string) string { return filepath.Join(ofScene("things"), id) }

func (*Long) Create(ctx context.Context, req *cfnresource.CreateRequest[LongProps]) (data LongData, err error) {
	if err := note("calls", "Create %s", req.LogicalID); err != nil {
		return data, err
	}
	id := req.StableID()
	if err := os.Mkdir(path(id), 0o750); errors.Is(err, fs.ErrExist) {
		return data, cfnresource.AlreadyExists(id)
	} else if err != nil {
		return data, err
	}
	req.Created(id)
	return LongData{Path: path(id)}, wait(ctx, id, req.Properties)
}

func (*Long) Update(ctx context.Context, req *cfnresource.UpdateRequest[LongProps]) (data LongData, err error) {
	if err := note("calls", "Update %s adopted %t", req.LogicalID, req.Adopted); err != nil {
		return data, err
	}
	return LongData{Path: path(req.PhysicalID)}, wait(ctx, req.PhysicalID, req.Properties)
}

func (*Long) Delete(_ context.Context, req *cfnresource.DeleteRequest[LongProps]) error {
	return errors.Join(note("calls", "Delete %s", req.LogicalID), os.RemoveAll(path(req.PhysicalID)))
}

// wait waits until a thing is as old as it takes. A Note that is new begins anew.
func wait(ctx context.Context, id string, p LongProps) error {
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
