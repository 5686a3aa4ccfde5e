package clients

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"

	"github.com/cfnresource/sdk-go/internal/cfn/sigv4"
)

// The command, killed at any moment of an order, goes on with it when it is started
// again, and ends it as if nothing had been.
func TestServeDeployIsKilled(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "cfnlocal")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./cmd/cfnlocal")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	handler, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	start := func() (*exec.Cmd, *cloudformation.Client) {
		cmd := exec.CommandContext(t.Context(), program, "--json", "serve", "--deploy", "--function", "Fn='"+handler+"'", "--env", handlerVariable+"=yes")
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var said struct{ Endpoint, AccessKeyID, SecretAccessKey string }
		for d := json.NewDecoder(out); said.Endpoint == ""; { // what it resumes is told as well
			if err := d.Decode(&said); err != nil {
				t.Fatal(err)
			}
		}
		go func() { _, _ = io.Copy(io.Discard, out) }()
		s := &orderServer{&testServer{t: t, origin: said.Endpoint}, sigv4.Key{ID: said.AccessKeyID, Secret: said.SecretAccessKey}, nil}
		return cmd, s.clientWith(s.key)
	}

	name := aws.String("shop")
	random := rand.New(rand.NewPCG(rand.Uint64(), 0))
	for _, order := range []struct {
		what   string
		do     func(*cloudformation.Client) error
		status string
	}{
		{"create", func(c *cloudformation.Client) error {
			_, err := c.CreateStack(t.Context(), &cloudformation.CreateStackInput{StackName: name, TemplateBody: aws.String(oneResource)})
			return err
		}, "CREATE_COMPLETE"},
		{"update", func(c *cloudformation.Client) error {
			_, err := c.UpdateStack(t.Context(), &cloudformation.UpdateStackInput{StackName: name, UsePreviousTemplate: aws.Bool(true), Parameters: parameters("Id", "two")})
			return err
		}, "UPDATE_COMPLETE"},
		{"an update that fails", func(c *cloudformation.Client) error {
			_, err := c.UpdateStack(t.Context(), &cloudformation.UpdateStackInput{StackName: name, UsePreviousTemplate: aws.Bool(true), Parameters: parameters("Id", "two", "Fail", "Update")})
			return err
		}, "UPDATE_ROLLBACK_COMPLETE"},
	} {
		t.Run(order.what, func(t *testing.T) {
			cmd, c := start()
			done := make(chan error, 1)
			go func() { done <- order.do(c) }()
			select {
			case <-time.After(time.Duration(random.IntN(600)) * time.Millisecond):
			case err := <-done:
				if err != nil {
					t.Fatal(err)
				}
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()

			cmd, c = start()
			defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
			if restStatus(t, c) != order.status { // it was killed before the order was taken
				if err := order.do(c); err != nil {
					t.Fatal(err)
				}
			}
			await(t, c, "shop", order.status)
		})
	}
}

// restStatus returns the status in which the stack rests, or "" if there is none.
func restStatus(t *testing.T, c *cloudformation.Client) string {
	t.Helper()
	for range 200 {
		out, err := c.DescribeStacks(t.Context(), &cloudformation.DescribeStacksInput{StackName: aws.String("shop")})
		if err != nil {
			return ""
		}
		if status := string(out.Stacks[0].StackStatus); !strings.HasSuffix(status, "_IN_PROGRESS") {
			return status
		}
		<-time.After(100 * time.Millisecond)
	}
	t.Fatal("the stack does not come to rest")
	return ""
}
