package source

import (
	"os/exec"
	"testing"
)

// TestFlagIsOneWord: whatever a stranger's template calls a thing, a shell that a flag is
// copied into takes its value for one word, and runs nothing.
func TestFlagIsOneWord(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	for _, name := range []string{"plain", "/a/b-c.d", "two words", "it's", "$(touch x)", "`id`", "a;b", "a\nb", `a\`, "*", "~", "#a", "é"} {
		out, err := exec.CommandContext(t.Context(), sh, "-c", "printf '%s|' "+Flag("--import", name, "VALUE")).Output()
		if want := "--import|" + name + "=VALUE|"; err != nil || string(out) != want {
			t.Errorf("%q, want %q: %v", out, want, err)
		}
	}
}
