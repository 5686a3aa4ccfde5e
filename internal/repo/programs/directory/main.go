// Command directory is the program of docs/physical-ids.md: a directory on a
// file system that is mounted into the function.
package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
)

type Props struct {
	Team  string `cfn:"createOnly,required"` // another team is another directory
	Quota int    // changed in place
}

type Data struct{ Path string } // what !GetAtt Directory.Path reads

type Directory struct{ root *os.Root }

func (d *Directory) Create(_ context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
	id := req.StableID() // the name: the same in every event about this directory
	if err := d.root.Mkdir(id, 0o750); errors.Is(err, fs.ErrExist) {
		return Data{}, cfnresource.AlreadyExists(id) // an earlier delivery's: Update finishes it
	} else if err != nil {
		return Data{}, err
	}
	req.Created(id) // if anything fails from here on, it is deleted
	return d.settle(id, req.Properties)
}

func (d *Directory) Update(_ context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	return d.settle(req.PhysicalID, req.Properties)
}

func (d *Directory) Delete(_ context.Context, req *cfnresource.DeleteRequest[Props]) error {
	return d.root.RemoveAll(req.PhysicalID) // nil if it is gone
}

// settle writes the quota down, for the program that counts.
func (d *Directory) settle(id string, props Props) (Data, error) {
	err := d.root.WriteFile(filepath.Join(id, ".quota"), []byte(strconv.Itoa(props.Quota)), 0o600)
	return Data{Path: filepath.Join(d.root.Name(), id)}, err
}

// open runs at the first event, where its failure is answered.
func open(context.Context) (*Directory, error) {
	root, err := os.OpenRoot(os.Getenv("ROOT"))
	return &Directory{root}, err
}

func main() { lambda.Start(cfnresource.New(cfnresource.Lazy(open))) }
