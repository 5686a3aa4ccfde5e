package output

import "os"

// Prints returns what do prints on standard output and standard error, which does not appear in the
// test's output. If it cannot create a file for it, Prints captures nothing.
func Prints(do func()) string {
	f, err := os.CreateTemp("", "cfntest")
	if err != nil {
		do()
		return ""
	}
	defer func() { _ = f.Close(); _ = os.Remove(f.Name()) }()
	out, errs := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = f, f
	defer func() { os.Stdout, os.Stderr = out, errs }()
	do()
	text, _ := os.ReadFile(f.Name())
	return string(text)
}
