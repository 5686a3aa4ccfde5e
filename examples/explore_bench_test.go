package examples

import (
	"fmt"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// BenchmarkExplore explores each example with the default options, in a process of its own, and
// tells how many histories that are and the time of the processors, which does not depend on what
// else the machine does. The database is not there: it works in real time.
//
//	go test -run - -bench Explore -benchtime 1x -cpu 1,2 ./examples
func BenchmarkExplore(b *testing.B) {
	for _, c := range []struct{ name, dir, of, contract string }{
		{"bucketcontents", "bucketcontents", "main", "contract(false)"},
		{"certificate", "certificate", "main", "contract"},
		{"certificate-wait", "certificate", "main", "wait"},
		{"lookup", "lookup", "main", "contract"},
		{"monitor", "monitor", "main", "contract"},
		{"registered", "registered/monitors", "monitors", "contract"},
		{"several-hosts", "several", "main", "virtualHosts"},
		{"several-queues", "several", "main", "queues"},
		{"subscription", "subscription", "main", "contract"},
		{"webhook", "webhook", "main", "contract"},
	} {
		b.Run(c.name, func(b *testing.B) {
			binary := testBinary(b, c.dir, map[string]string{"default_explore_test.go": fmt.Sprintf(
				"package %s\n\nimport (\n\t\"testing\"\n\n\t\"github.com/cfnresource/sdk-go/cfntest\"\n)\n\n"+
					"func TestExploreByDefault(t *testing.T) { cfntest.Explore(t, %s) }\n", c.of, c.contract)})
			var histories int
			var processors time.Duration
			for b.Loop() {
				run := exec.Command(binary, "-test.run=^TestExploreByDefault$", "-test.v", "-test.cpu="+strconv.Itoa(runtime.GOMAXPROCS(0)))
				run.Dir = c.dir
				out, err := run.CombinedOutput()
				played := playedHistories.FindSubmatch(out)
				if err != nil || played == nil {
					b.Fatalf("%v\n%s", err, out)
				}
				n, _ := strconv.Atoi(string(played[1])) // digits
				histories += n
				processors += run.ProcessState.UserTime() + run.ProcessState.SystemTime()
			}
			b.ReportMetric(float64(histories)/float64(b.N), "histories")
			b.ReportMetric(processors.Seconds()/float64(b.N), "cpu-s/op")
		})
	}
}

var playedHistories = regexp.MustCompile(`(\d+) histories of up to`)
