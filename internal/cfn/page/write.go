package page

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	_ "embed" // of what follows
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/cfnresource/sdk-go/internal/cfn/printable"
)

//go:embed page.html
var markup string

//go:embed page.css
var style string

//go:embed page.js
var script string

// pages are the templates, once one is asked for: most commands write no page.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"pc":   func(x float64) string { return fmt.Sprintf("%.2f%%", x) },
		"span": func(from, to float64) string { return fmt.Sprintf("%.2f%%", max(to-from, 1.5)) },
		"many": plural,
		"key":  key,
	}).Parse(markup))
})

// key is a mark in the legend.
func key(name string) template.HTML {
	x := "9"
	if name == "gone" { // this mark stands behind a deleted resource
		x = "-1"
	}
	return template.HTML(`<svg class="key" aria-hidden="true" width="18" height="24"><use href="#m-` + name + `" class="p-` + name + `" x="` + x + `" y="12"/></svg>`) //nolint:gosec // the template's own words
}

// Policy returns the Content-Security-Policy of a page: its style and its script, by
// their hashes, and nothing else. A page that is served may be asked for again.
func Policy(served bool) string {
	policy := "default-src 'none'; img-src data:; style-src " + hash(style) + "; script-src " + hash(script) + "; base-uri 'none'; form-action 'none'"
	if served {
		policy += "; connect-src 'self'"
	}
	return policy
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Write writes the page of a stack.
func (v View) Write(w io.Writer) error {
	title := v.Title
	if v.Status != "" {
		title += " · " + v.Status
	}
	return write(w, "stack", title, v.Served, v)
}

// A List is the page of all stacks, which is served.
type List struct {
	Dir, Host string
	Stacks    []Listed
}

// A Listed is a stack in a List.
type Listed struct {
	Name, Status, State string
	Requests            int
	Left                int // how many resources exist, or may exist, that belong to no stack
}

// Class is the style of the status.
func (l Listed) Class() string { return Class(l.Status) }

// Write writes the page of all stacks.
func (l List) Write(w io.Writer) error { return write(w, "list", "Stacks", true, l) }

// WriteMissing writes the page for an address without a stack, with the reason.
func WriteMissing(w io.Writer, title, text string) error {
	return write(w, "missing", title, true, Fact{Name: title, Text: text})
}

// write writes a page whose body is a template's. All text of strangers comes through
// here, and is made safe to show.
func write(w io.Writer, body, title string, served bool, data any) error {
	var out, symbols bytes.Buffer
	if err := pages().ExecuteTemplate(&out, body, data); err != nil {
		return err
	}
	if err := pages().ExecuteTemplate(&symbols, "symbols", nil); err != nil {
		return err
	}
	return pages().ExecuteTemplate(w, "page", map[string]any{
		"Title": printable.Text(title), "Policy": Policy(served), "Style": template.CSS(style), "Script": template.JS(script), //nolint:gosec // the package's own
		"Body": template.HTML(printable.Text(out.String())), "Symbols": template.HTML(symbols.String()), //nolint:gosec // html/template has written them
	})
}

// WriteFile writes the page of a stack to a file that only its owner can read. It replaces an existing
// file once the page is complete; it writes to one that is not regular, such as /dev/stdout.
func (v View) WriteFile(name string) error {
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0)
		if err != nil {
			return err
		}
		return v.writeTo(f)
	}
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	err = v.writeTo(f)
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // part of a page
	}
	return err
}

// writeTo writes the page, and closes the file.
func (v View) writeTo(f *os.File) error {
	w := bufio.NewWriter(f)
	return errors.Join(v.Write(w), w.Flush(), f.Close())
}
