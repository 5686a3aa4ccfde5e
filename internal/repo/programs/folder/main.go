// Command folder is the program that the documentation of package cfnresource begins with.
package main

import (
	"context"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/cfnresource/sdk-go/cfnresource"
)

type Props struct {
	Team string `cfn:"createOnly,required"` // another team has another folder
}

type Data struct{ Name string } // what !GetAtt Folder.Name reads

type Folder struct{ root *os.Root }

func (f *Folder) Create(_ context.Context, req *cfnresource.CreateRequest[Props]) (data Data, err error) {
	id := req.StableID() // the same in every event about this folder
	if err = f.root.Mkdir(id, 0o750); os.IsExist(err) {
		return data, cfnresource.AlreadyExists(id) // an earlier delivery made it: Update finishes it
	} else if err != nil {
		return data, err
	}
	req.Created(id) // if anything fails from here on, it is deleted
	return Data{id}, nil
}

func (f *Folder) Update(_ context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	return Data{req.PhysicalID}, f.root.MkdirAll(req.PhysicalID, 0o750)
}

func (f *Folder) Delete(_ context.Context, req *cfnresource.DeleteRequest[Props]) error {
	return f.root.RemoveAll(req.PhysicalID) // nil if it is gone
}

// open runs at the first event, so that its failure is answered.
func open(context.Context) (*Folder, error) {
	root, err := os.OpenRoot(os.Getenv("ROOT"))
	return &Folder{root}, err
}

func main() { lambda.Start(cfnresource.New(cfnresource.Lazy(open))) }
