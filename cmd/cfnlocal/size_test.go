//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

// sizedTemplate is a template of n resources: a function, and custom resources
// that stand alone (flat), refer each to the one before (chain) or all to the
// first (fan), or stand alone and have the handler ask for their stack (asks). The parameter V changes a property of each.
func sizedTemplate(shape string, n int) string {
	var b strings.Builder
	b.WriteString(`Parameters: {V: {Type: String, Default: "1"}}
Resources:
  Fn:
    Type: AWS::Lambda::Function
    Properties: {Handler: x, Runtime: provided.al2023, Role: r, Timeout: 3, Code: {S3Bucket: b, S3Key: k}}
`)
	for i := range n - 1 {
		refers := ""
		switch {
		case i > 0 && shape == "chain":
			refers = fmt.Sprintf(", To: !Ref T%d", i-1)
		case i > 0 && shape == "fan":
			refers = ", To: !Ref T0"
		case shape == "asks":
			refers = ", Asks: stack"
		}
		fmt.Fprintf(&b, "  T%d: {Type: Custom::Thing, Properties: {ServiceToken: !GetAtt Fn.Arn, Id: id-%d, V: !Ref V%s}}\n", i, i, refers)
	}
	return b.String()
}

// sizedFiles are the files of a template of n resources: in the shape nested, a
// tenth of them each in a nested stack with a function of its own.
func sizedFiles(shape string, n int) map[string]string {
	if shape != "nested" {
		return map[string]string{"t.yaml": sizedTemplate(shape, n)}
	}
	var b strings.Builder
	b.WriteString("Parameters: {V: {Type: String, Default: \"1\"}}\nResources:\n")
	for i := range 10 {
		fmt.Fprintf(&b, "  C%d: {Type: AWS::CloudFormation::Stack, Properties: {TemplateURL: child.yaml, Parameters: {V: !Ref V}}}\n", i)
	}
	return map[string]string{"t.yaml": b.String(), "child.yaml": sizedTemplate("flat", n/10)}
}

// BenchmarkStacks plays the life of stacks by size and shape: a creation, an
// update in which every property changes, and the deletion, each a command with
// processes of a real handler whose timeout is 3 s. It reports the CPU of
// cfnlocal and the handlers, the memory of cfnlocal at its largest, and how many
// attempts of the handlers failed, which are to be none.
//
//	go test ./cmd/cfnlocal -run '^$' -bench Stacks -benchtime 1x
func BenchmarkStacks(b *testing.B) {
	for _, shape := range []string{"flat", "chain", "fan", "asks", "nested"} {
		for _, n := range []int{50, 100, 200, 500} {
			b.Run(fmt.Sprintf("%s/%d", shape, n), func(b *testing.B) {
				var total cost
				for b.Loop() {
					total.add(live(b, sizedFiles(shape, n)))
				}
				b.ReportMetric(total.cpu/float64(b.N), "cpu-s/op")
				b.ReportMetric(total.memory, "MB")
				b.ReportMetric(float64(total.lost)/float64(b.N), "lost/op")
				b.ReportMetric(total.cpu*1000/float64(b.N)/float64(n), "cpu-ms/resource")
			})
		}
	}
}

// A cost is what commands took.
type cost struct {
	cpu    float64 // seconds
	memory float64 // MB
	lost   int     // attempts that failed
}

func (c *cost) add(d cost) {
	c.cpu, c.memory, c.lost = c.cpu+d.cpu, max(c.memory, d.memory), c.lost+d.lost
}

// live plays a stack's life.
func live(t testing.TB, files map[string]string) (total cost) {
	t.Helper()
	dir := t.TempDir()
	deploy := "deploy t.yaml --stack shop --function Fn=handler"
	for name, body := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if len(files) > 1 {
		for i := range 10 {
			deploy += fmt.Sprintf(" --function C%d.Fn=handler", i)
		}
	}
	for _, step := range []struct{ command, want string }{
		{deploy, "CREATE_COMPLETE"},
		{"deploy t.yaml --stack shop --parameter V=2", "UPDATE_COMPLETE"},
		{"delete shop", "DELETE_COMPLETE"},
	} {
		cmd := exec.CommandContext(t.Context(), "cfnlocal", strings.Fields(step.command)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte("shop is in "+step.want)) {
			t.Fatalf("%s: %v\n%s", step.command, err, out)
		}
		c := cost{cpu: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), lost: bytes.Count(out, []byte("~ attempt "))}
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			c.memory = float64(usage.Maxrss) / 1024 // in kB on Linux
		}
		total.add(c)
	}
	return total
}

// TestNoAttemptIsLost: in a stack of a hundred resources, thirty by default, no
// attempt of a handler fails, since nothing that cfnlocal does is in an answer's way.
func TestNoAttemptIsLost(t *testing.T) {
	for _, shape := range []string{"flat", "chain", "asks", "nested"} {
		if c := live(t, sizedFiles(shape, testrun.Share(30, 100))); c.lost > 0 {
			t.Errorf("%s: %d attempts were lost", shape, c.lost)
		}
	}
}
