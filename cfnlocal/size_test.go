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

// sizedTemplate returns a template of n resources: a function and custom resources.
// The parameter V changes a property of each custom resource. The shapes are
//
//	flat   independent resources
//	chain  each refers to the one before
//	fan    all refer to the first
//	asks   independent, and the handler calls DescribeStacks for each
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

// sizedFiles returns the files of a template of n resources. In the shape nested,
// ten nested stacks have a tenth of them each, with a function of their own.
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

// BenchmarkStacks creates, updates and deletes stacks by size and shape. Each operation is a
// command with processes of a real handler, whose timeout is 3 s. The update changes every
// property. The benchmark reports the CPU time of cfnlocal and the handlers, as a whole and by
// operation, the peak memory of cfnlocal, and the number of failed attempts, which should be zero.
//
//	go test ./cfnlocal -run '^$' -bench Stacks -benchtime 1x
func BenchmarkStacks(b *testing.B) {
	linkPrograms(b)
	for _, shape := range []string{"flat", "chain", "fan", "asks", "nested"} {
		for _, n := range []int{50, 100, 200, 500} {
			b.Run(fmt.Sprintf("%s/%d", shape, n), func(b *testing.B) {
				var total cost
				for b.Loop() {
					total.add(playLife(b, sizedFiles(shape, n)))
				}
				b.ReportMetric(total.cpu/float64(b.N), "cpu-s/op")
				for operation, cpu := range total.byOperation {
					b.ReportMetric(cpu/float64(b.N), operation+"-cpu-s/op")
				}
				b.ReportMetric(total.memory, "MB")
				b.ReportMetric(float64(total.lost)/float64(b.N), "lost/op")
				b.ReportMetric(total.cpu*1000/float64(b.N)/float64(n), "cpu-ms/resource")
			})
		}
	}
}

// A cost is the resource usage of commands.
type cost struct {
	cpu         float64            // seconds
	byOperation map[string]float64 // the same
	memory      float64            // MB
	lost        int                // attempts that failed
}

func (c *cost) add(d cost) {
	c.cpu, c.memory, c.lost = c.cpu+d.cpu, max(c.memory, d.memory), c.lost+d.lost
	if c.byOperation == nil {
		c.byOperation = map[string]float64{}
	}
	for operation, cpu := range d.byOperation {
		c.byOperation[operation] += cpu
	}
}

// playLife creates, updates and deletes a stack.
func playLife(t testing.TB, files map[string]string) (total cost) {
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
	for _, step := range []struct{ operation, command, want string }{
		{"create", deploy, "CREATE_COMPLETE"},
		{"update", "deploy t.yaml --stack shop --parameter V=2", "UPDATE_COMPLETE"},
		{"delete", "delete shop", "DELETE_COMPLETE"},
	} {
		cmd := exec.CommandContext(t.Context(), "cfnlocal", strings.Fields(step.command)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte("shop is in "+step.want)) {
			t.Fatalf("%s: %v\n%s", step.command, err, out)
		}
		c := cost{cpu: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), lost: bytes.Count(out, []byte("~ attempt "))}
		c.byOperation = map[string]float64{step.operation: c.cpu}
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			c.memory = float64(usage.Maxrss) / 1024 // in kB on Linux
		}
		total.add(c)
	}
	return total
}

// TestNoAttemptIsLost: in a stack of a hundred resources, thirty by default, cfnlocal
// does not delay answers so much that an attempt fails.
func TestNoAttemptIsLost(t *testing.T) {
	linkPrograms(t)
	for _, shape := range testrun.Sample(2, []string{"asks", "chain", "nested", "flat"}) {
		if c := playLife(t, sizedFiles(shape, testrun.Share(30, 100))); c.lost > 0 {
			t.Errorf("%s: %d attempts were lost", shape, c.lost)
		}
	}
}
