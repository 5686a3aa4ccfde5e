package skeleton

import (
	"strconv"
	"strings"
	"unicode"
)

// reserved are names that the project has: of types, of files, and of packages, where an s follows.
var reserved = []string{"Props", "Data", "Service", "ErrExists", "ErrNotFound", "Main", "Properties", "Error", "Slice"}

// unique returns a name that is not used, and reserves it.
func unique(name string, used map[string]bool) string {
	try := name
	for n := 2; used[try]; n++ {
		try = name + strconv.Itoa(n)
	}
	used[try] = true
	return try
}

// goName is a name as an exported one of Go, of ASCII letters and digits.
func goName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return r
	}, name)
	if name == "" || !unicode.IsLetter(rune(name[0])) {
		name = "X" + name
	}
	const most = 60
	return strings.ToUpper(name[:1]) + name[1:min(len(name), most)]
}

// lower returns a name as an unexported one.
func lower(name string) string { return strings.ToLower(name[:1]) + name[1:] }

// oneLine is text that can stand in a tag, in a comment or in a template.
func oneLine(text string) string {
	const most = 1000 // a template's Description has at most 1024 bytes
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "`", "'")), " ")
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}
