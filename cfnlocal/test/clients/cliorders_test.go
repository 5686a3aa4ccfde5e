package clients

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The AWS CLI orders, and waits, as anybody does.
func TestCLIOrders(t *testing.T) {
	s, _ := startOrders(t, filepath.Join(t.TempDir(), "stacks"))
	c := awsCLI(t, "cloudformation", s.origin)
	c.key = s.key
	file, broken, g := writeTemplate(t), filepath.Join(t.TempDir(), "broken"), newGate(t)
	const (
		update = "update-stack --use-previous-template --parameters "
		keepID = " ParameterKey=Id,UsePreviousValue=true"
		fails  = "Waiter encountered a terminal failure state"
	)
	mayFail := update + "ParameterKey=Fail,ParameterValue=" + broken + " ParameterKey=Id,ParameterValue=two ParameterKey=At,ParameterValue="
	for _, step := range []struct {
		args   string
		fails  string // what the CLI complains of
		status string // once the stack has come to rest
		then   func() error
	}{
		{args: "create-stack --template-body file://" + file},
		{args: "wait stack-create-complete", status: "CREATE_COMPLETE"},
		{args: "create-stack --template-body file://" + file, fails: "(AlreadyExistsException) when calling the CreateStack operation: Stack [shop] already exists"},
		{args: update + "ParameterKey=Id,ParameterValue=two"},
		{args: "wait stack-update-complete", status: "UPDATE_COMPLETE"},

		// What fails is rolled back, or is kept until it is.
		{args: update + "ParameterKey=Fail,ParameterValue=Update" + keepID, status: "UPDATE_ROLLBACK_COMPLETE"},
		{args: "wait stack-update-complete", fails: fails},
		{args: "wait stack-rollback-complete", status: "UPDATE_ROLLBACK_COMPLETE"},
		{args: "update-stack --disable-rollback --use-previous-template --parameters ParameterKey=Fail,ParameterValue=Update" + keepID, status: "UPDATE_FAILED"},
		{args: "rollback-stack"},
		{args: "wait stack-rollback-complete", status: "UPDATE_ROLLBACK_COMPLETE"},

		// A rollback that fails goes on without the resource, or once the cause is mended.
		{args: mayFail + "Never", then: func() error { return os.WriteFile(broken, nil, 0o600) }},
		{args: mayFail + "Nowhere", status: "UPDATE_ROLLBACK_FAILED"},
		{args: "wait stack-rollback-complete", fails: fails},
		{args: "continue-update-rollback", status: "UPDATE_ROLLBACK_FAILED"},
		{args: "continue-update-rollback --resources-to-skip Thing"},
		{args: "wait stack-rollback-complete", status: "UPDATE_ROLLBACK_COMPLETE"},
		{args: mayFail + "Nowhere", status: "UPDATE_ROLLBACK_FAILED", then: func() error { return os.Remove(broken) }},
		{args: "continue-update-rollback"},
		{args: "wait stack-rollback-complete", status: "UPDATE_ROLLBACK_COMPLETE"},

		// What is under way is cancelled.
		{args: update + "ParameterKey=At,ParameterValue=Update ParameterKey=Gate,ParameterValue=" + g.url + keepID},
		{args: "cancel-update-stack", then: func() error { g.open(); return nil }},
		{args: "describe-stacks", status: "UPDATE_ROLLBACK_COMPLETE"},
		{args: "delete-stack"},
		{args: "wait stack-delete-complete"},
	} {
		args := strings.Fields(step.args)
		at := 1
		if args[0] == "wait" {
			at = 2
		}
		args = append(append(append([]string{}, args[:at]...), "--stack-name", "shop"), args[at:]...)
		out, complaint, err := c.run(args...)
		if (err != nil) != (step.fails != "") || !strings.Contains(complaint, step.fails) {
			t.Fatalf("%s: %v\n%s%s\nwant %q", step.args, err, out, complaint, step.fails)
		}
		if step.then != nil {
			if err := step.then(); err != nil {
				t.Fatal(err)
			}
		}
		if step.status != "" {
			await(t, s.clientWith(s.key), "shop", step.status)
		}
	}
}

// boto3 does the same, as testdata/orders.py says.
func TestBoto3Orders(t *testing.T) {
	python := os.Getenv("TEST_BOTO3")
	if python == "" {
		t.Skip("TEST_BOTO3 does not name a Python with boto3; .ci/with-awscli go test ./cfnlocal/test/clients installs it and runs this test")
	}
	s, _ := startOrders(t, filepath.Join(t.TempDir(), "stacks"))
	g := newGate(t)
	cmd := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "orders.py"), s.origin, writeTemplate(t), g.url, filepath.Join(t.TempDir(), "broken"))
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "AWS_DEFAULT_REGION=us-east-1", "AWS_EC2_METADATA_DISABLED=true",
		"AWS_ACCESS_KEY_ID=" + s.key.ID, "AWS_SECRET_ACCESS_KEY=" + s.key.Secret}
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err == nil {
		g.open()
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, &complaint)
	}
}

// writeTemplate writes oneResource into a file.
func writeTemplate(t *testing.T) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "t.yaml")
	if err := os.WriteFile(file, []byte(oneResource), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
