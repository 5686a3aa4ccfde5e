package testrun

import (
	"bytes"
	"encoding/json"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"testing"
)

// EveryPlace checks that a table has a row for each place at which the user's code gets a context
// from a package, and no others. The places are read from the types of what the packages export, so
// that one that is added later has no row: a method of an interface is Interface.Method, a function
// in a field is Struct.Field, a function that is passed is Func(parameter). beside are places that
// the types do not show.
func EveryPlace[R any](t *testing.T, rows map[string]R, packages []string, beside ...string) {
	t.Helper()
	places := beside
	for _, p := range exported(t, packages) {
		places = append(places, placesOf(p)...)
	}
	for _, place := range places {
		if _, ok := rows[place]; !ok {
			t.Errorf("%s gets a context, and the table has no row for it: play what it does with it", place)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		if !slices.Contains(places, name) {
			t.Errorf("the row %s is of no place at which a context is passed", name)
		}
	}
}

// exported returns packages, type-checked.
func exported(t *testing.T, patterns []string) (packages []*types.Package) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Export,DepOnly"}, patterns...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", cmd, err)
	}
	files, named := map[string]string{}, []string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Export string
			DepOnly            bool
		}
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%s: %v", cmd, err)
		}
		if files[p.ImportPath] = p.Export; !p.DepOnly {
			named = append(named, p.ImportPath)
		}
	}
	from := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
	for _, path := range named {
		p, err := from.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	return packages
}

// placesOf returns the places of a package.
func placesOf(p *types.Package) (places []string) {
	for _, name := range p.Scope().Names() {
		object := p.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		switch object := object.(type) {
		case *types.Func:
			places = append(places, passed(name, object.Signature())...)
		case *types.TypeName:
			places = append(places, placesOfType(name, object.Type())...)
		}
	}
	for i, place := range places {
		places[i] = p.Name() + "." + place
	}
	return places
}

func placesOfType(name string, of types.Type) (places []string) {
	if named, ok := of.(*types.Named); ok {
		for m := range named.Methods() {
			if m.Exported() {
				places = append(places, passed(name+"."+m.Name(), m.Signature())...)
			}
		}
	}
	switch u := of.Underlying().(type) {
	case *types.Interface:
		for m := range u.Methods() {
			if m.Exported() && hasContext(m.Signature()) {
				places = append(places, name+"."+m.Name())
			}
		}
	case *types.Struct:
		for f := range u.Fields() {
			if f.Exported() && getsContext(f.Type()) {
				places = append(places, name+"."+f.Name())
			}
		}
	}
	return places
}

// passed returns the parameters of a function that are called with a context.
func passed(name string, s *types.Signature) (places []string) {
	for p := range s.Params().Variables() {
		if getsContext(p.Type()) {
			places = append(places, name+"("+p.Name()+")")
		}
	}
	return places
}

// getsContext reports whether a value is called with a context: a function, several of them, or a
// logger, whose handler is. An interface is a place of the package that declares it.
func getsContext(t types.Type) bool {
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Signature:
		return hasContext(u)
	case *types.Slice:
		return getsContext(u.Elem())
	case *types.Map:
		return getsContext(u.Elem())
	case *types.Pointer:
		return u.Elem().String() == "log/slog.Logger"
	}
	return false
}

func hasContext(s *types.Signature) bool {
	for p := range s.Params().Variables() {
		if p.Type().String() == "context.Context" {
			return true
		}
	}
	return false
}
