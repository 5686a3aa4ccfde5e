package template

import (
	"github.com/cfnresource/sdk-go/cfnlocal/internal/template/source"
)

// Flag is a flag with a value that is NAME=VALUE, as it is to be copied into a shell.
func Flag(flag, name, value string) string { return source.Flag(flag, name, value) }

// What a reader of templates meets in this package alone.
type (
	// Position is a place in a template file.
	Position = source.Position
	// Error is one thing that is wrong with a template, or with the evaluation of one of its
	// expressions.
	Error = source.Error
	// Errors is everything that is wrong with a template, in the order of the file.
	Errors = source.Errors //nolint:errname // it is several errors, as its plural says
	// Warning is something that CloudFormation accepts and that is likely to go wrong, or that is
	// not played here.
	Warning = source.Warning
)
