package store

import (
	"fmt"
	"regexp"
	"strings"
)

// maxName is how long a stack's name can be in CloudFormation.
const maxName = 128

// reserved are the names that Windows keeps for devices, whatever follows their first dot.
const reserved = " con prn aux nul com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9 "

// checkName reports what is wrong with a stack's name. CloudFormation has
// letters, digits and hyphens, the first of them a letter (AWS CloudFormation
// API Reference, CreateStack), so that a name is never a path.
func checkName(name string) error {
	switch {
	case !nameForm.MatchString(name) || len(name) > maxName:
		return &NameError{fmt.Sprintf("%.40q is no stack's name: it has letters, digits and hyphens, begins with a letter, and is at most %d long", name, maxName)}
	case strings.Contains(reserved, " "+strings.ToLower(name)+" "):
		return &NameError{"the stack's name " + name + " is a device's on Windows"}
	}
	return nil
}

var nameForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*$`)

// A NameError is a name that no stack can have.
type NameError struct{ text string }

func (e *NameError) Error() string { return e.text }
