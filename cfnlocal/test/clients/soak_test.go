package clients

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"

	"github.com/cfnresource/sdk-go/internal/testrun"
)

// A server that has carried out many operations keeps no more than after the first tenth of
// them: no memory, no goroutine, no open file.
func TestSoak(t *testing.T) {
	if !testrun.Thorough() {
		t.Skip("it takes a minute: TEST_THOROUGH is not set")
	}
	const stacks = 200 // that are created, updated and deleted in turn
	s, _ := startOrders(t, filepath.Join(t.TempDir(), "stacks"))
	c := s.clientWith(s.key)
	cycle := func(i int) {
		// The names come again, or the directory would grow, of which the API lists all.
		name, token := "shop"+strconv.Itoa(i%5), aws.String(strconv.Itoa(i))
		created, err := c.CreateStack(t.Context(), &cloudformation.CreateStackInput{StackName: &name, TemplateBody: aws.String(oneResource), ClientRequestToken: token})
		if err != nil {
			t.Fatal(err)
		}
		await(t, c, name, "CREATE_COMPLETE")
		if _, err := c.UpdateStack(t.Context(), &cloudformation.UpdateStackInput{StackName: &name, UsePreviousTemplate: aws.Bool(true), Parameters: parameters("Id", "two"), ClientRequestToken: token}); err != nil {
			t.Fatal(err)
		}
		await(t, c, name, "UPDATE_COMPLETE")
		if _, err := c.DeleteStack(t.Context(), &cloudformation.DeleteStackInput{StackName: &name, ClientRequestToken: token}); err != nil {
			t.Fatal(err)
		}
		await(t, c, *created.StackId, "DELETE_COMPLETE")
	}
	var first use
	for i := range stacks {
		if cycle(i); i+1 == stacks/10 {
			first = used(t)
		}
	}
	last := used(t)
	t.Logf("%d stacks; after the first tenth %+v, in the end %+v", stacks, first, last)
	if last.heap > first.heap+first.heap/5 || last.goroutines > first.goroutines+5 || last.files > first.files+5 {
		t.Errorf("after the first tenth %+v, in the end %+v", first, last)
	}
}

// A use is what this process has of what can be leaked.
type use struct {
	heap              uint64
	goroutines, files int
}

func used(t *testing.T) use {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return use{heapBytes(), runtime.NumGoroutine(), len(files)}
}
