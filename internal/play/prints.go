package play

import "os"

// capturePrints returns what is printed on standard output and standard error
// while do runs. It is no part of the test's output then. Where there can be no
// file to keep it, it is printed as ever, and not seen.
func capturePrints(do func()) string {
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
