// Package note has the handler of Custom::Note.
package note

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/cfnresource/schema"
)

// Props are what a template says of a note.
type Props struct {
	Board string `cfn:"createOnly,required"` // on another board it is another note
	Text  string
}

// Data is what a template can ask a note for, as !GetAtt Note.Path.
type Data struct{ Path string }

// Note is the handler. It keeps each note in a file.
type Note struct{ dir string }

// Create makes a note.
func (n *Note) Create(_ context.Context, req *cfnresource.CreateRequest[Props]) (Data, error) {
	id := req.StableID() // nobody else's name, and the same if the event comes twice
	file, err := os.OpenFile(n.path(id), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return Data{}, cfnresource.AlreadyExists(id) // made by an earlier delivery: Update finishes it
	}
	if err != nil {
		return Data{}, err
	}
	req.Created(id) // if anything fails from here on, it is deleted
	_, err = file.WriteString(req.Properties.Text)
	return Data{Path: file.Name()}, errors.Join(err, file.Close())
}

// Update brings a note to its properties.
func (n *Note) Update(_ context.Context, req *cfnresource.UpdateRequest[Props]) (Data, error) {
	path := n.path(req.PhysicalID)
	return Data{Path: path}, os.WriteFile(path, []byte(req.Properties.Text), 0o600)
}

// Delete removes a note. One that is gone already is no failure.
func (n *Note) Delete(_ context.Context, req *cfnresource.DeleteRequest[Props]) error {
	err := os.Remove(n.path(req.PhysicalID))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (n *Note) path(id string) string { return filepath.Join(n.dir, filepath.Base(id)+".note") }

// Function returns the function of Custom::Note, for Lambda and for the app.
func Function() *cfnresource.Dispatcher {
	d := cfnresource.NewDispatcher(schema.Describe)
	cfnresource.Handle(d, "Custom::Note", &Note{dir: os.TempDir()})
	return d
}
