package engine

import "github.com/rogpeppe/go-internal/txtar"

// An archive is a file in the txtar format: a comment, then files.
type archive struct {
	comment string
	files   []archived
}

type archived struct{ name, data string }

func readArchive(file string) (*archive, error) {
	parsed, err := txtar.ParseFile(file)
	if err != nil {
		return nil, err
	}
	a := &archive{comment: string(parsed.Comment)}
	for _, f := range parsed.Files {
		a.files = append(a.files, archived{f.Name, string(f.Data)})
	}
	return a, nil
}

func (a *archive) format() []byte {
	out := &txtar.Archive{Comment: []byte(a.comment)}
	for _, f := range a.files {
		out.Files = append(out.Files, txtar.File{Name: f.name, Data: []byte(f.data)})
	}
	return txtar.Format(out)
}
