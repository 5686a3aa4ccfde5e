package local

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

// kind is the fault of a name.
func kind(name string) *faultKind {
	return FaultKinds[slices.IndexFunc(FaultKinds, func(k *faultKind) bool { return k.Name == name })]
}

func TestParseFault(t *testing.T) {
	for text, want := range map[string]Fault{
		"lose-answer":                  {Kind: loseAnswer, Nth: 1},
		"lose-answer@*":                {Kind: loseAnswer, Nth: 1},
		"lose-answer@Create":           {Kind: loseAnswer, Request: "Create", Nth: 1},
		"s3-503@Hook.Update#2":         {Kind: kind("s3-503"), Resource: "Hook", Request: "Update", Nth: 2},
		"lose-answer@A.B2.Hook.Create": {Kind: loseAnswer, Resource: "A.B2.Hook", Request: "Create", Nth: 1},
		"redeliver@*#*":                {Kind: kind("redeliver")},
		"late-answer@Hook.*~25%":       {Kind: lateAnswer, Resource: "Hook", Percent: 25},
		"cleanup-fails-3@Delete":       {Kind: kind("cleanup-fails-3"), Request: "Delete", Nth: 1},
	} {
		want.text = text
		if got, err := ParseFault(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "@", "explode", "lose-answer@", "lose-answer@Replace", "lose-answer@Create#0", "lose-answer@Create#", "lose-answer@.Create", "lose-answer@A..Create", "lose-answer@Create~0%", "lose-answer@Create~101%", "lose-answer@Create~5", "lose-answer@Create#1~5%", "lose-answer ", "LOSE"} {
		if got, err := ParseFault(text); err == nil {
			t.Errorf("%q is %+v, want an error", text, got)
		}
	}
}

// An old name is refused, and the error has what to write instead.
func TestOldFaultNamesAreRefused(t *testing.T) {
	for old, want := range map[string]string{
		"duplicate":                "the fault duplicate has been renamed: write twice",
		"lose@Create":              "the fault lose has been renamed: write lose-answer@Create",
		"crash-before@A.Update#2":  "the fault crash-before has been renamed: write die-before@A.Update#2",
		"crash-after@*#*":          "the fault crash-after has been renamed: write die-after@*#*",
		"late@*~25%":               "the fault late has been renamed: write late-answer@*~25%",
		"cancel@Nested.A.Create#1": "the fault cancel has been renamed: write cancel-while-running@Nested.A.Create#1",
	} {
		_, err := ParseFault(old)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %q", old, err, want)
			continue
		}
		_, now, _ := strings.Cut(want, "write ")
		if _, err := ParseFault(now); err != nil {
			t.Errorf("%s: %v", now, err)
		}
	}
}

func FuzzParseFault(f *testing.F) {
	for _, known := range FaultKinds {
		f.Add(known.Name + "@Hook.Update#2")
	}
	f.Add("lose-answer@*~25%")
	f.Fuzz(func(t *testing.T, text string) {
		fault, err := ParseFault(text)
		if err == nil && (fault.Nth < 0 || fault.Percent < 0 || fault.Percent > 100 || fault.Nth > 0 && fault.Percent > 0) {
			t.Errorf("%q is %+v", text, fault)
		}
	})
}

func request(kind, resource string) *engine.Request {
	return &engine.Request{RequestType: kind, LogicalID: resource, PhysicalID: "id"}
}

// ask returns the faults of a series of requests.
func ask(t *testing.T, seed uint64, faults []string, cleanup bool, requests ...*engine.Request) [][]string {
	t.Helper()
	var list []Fault
	for _, text := range faults {
		one, err := ParseFault(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, one)
	}
	f := NewFaults(seed, list...)
	var all [][]string
	for _, q := range requests {
		var names []string
		for _, kind := range f.forResource(q, q.LogicalID, cleanup) {
			names = append(names, kind.Name)
		}
		all = append(all, names)
	}
	return all
}

func TestFaultsChooseRequests(t *testing.T) {
	requests := []*engine.Request{request("Create", "A"), request("Create", "B"), request("Update", "A"), request("Create", "A")}
	for _, test := range []struct {
		fault string
		want  [][]string
	}{
		{"lose-answer", [][]string{{"lose-answer"}, nil, nil, nil}},
		{"lose-answer@Update", [][]string{nil, nil, {"lose-answer"}, nil}},
		{"lose-answer@Create#2", [][]string{nil, {"lose-answer"}, nil, nil}},
		{"lose-answer@A.Create#2", [][]string{nil, nil, nil, {"lose-answer"}}},
		{"lose-answer@A.*#*", [][]string{{"lose-answer"}, nil, {"lose-answer"}, {"lose-answer"}}},
		{"lose-answer@*~100%", [][]string{{"lose-answer"}, {"lose-answer"}, {"lose-answer"}, {"lose-answer"}}},
		{"cleanup-fails-1", [][]string{nil, nil, nil, nil}},
	} {
		if diff := cmp.Diff(test.want, ask(t, 1, []string{test.fault}, false, requests...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.fault, diff)
		}
	}
}

// Three tries are what CloudFormation gives the Delete of a cleanup.
func TestCleanupFailsSoOften(t *testing.T) {
	d := request("Delete", "A")
	want := [][]string{{"cleanup-fails-2"}, {"cleanup-fails-2"}, nil}
	if diff := cmp.Diff(want, ask(t, 1, []string{"cleanup-fails-2"}, true, d, d, d)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := ask(t, 1, []string{"cleanup-fails-2"}, false, d); got[0] != nil {
		t.Errorf("outside of a cleanup: %v", got)
	}
}

// Chance comes of the seed alone.
func TestChanceIsRepeatable(t *testing.T) {
	var requests []*engine.Request
	for range 200 {
		requests = append(requests, request("Update", "A"))
	}
	hits := func(all [][]string) (n int) {
		for _, names := range all {
			n += len(names)
		}
		return n
	}
	once, again, other := ask(t, 7, []string{"late-answer@*~25%"}, false, requests...), ask(t, 7, []string{"late-answer@*~25%"}, false, requests...), ask(t, 8, []string{"late-answer@*~25%"}, false, requests...)
	if diff := cmp.Diff(once, again); diff != "" {
		t.Errorf("the same seed differs:\n%s", diff)
	}
	if n := hits(once); n < 25 || n > 75 || cmp.Equal(once, other) {
		t.Errorf("%d of 200 at 25%%, equal to another seed's: %t", n, cmp.Equal(once, other))
	}
}

// TestEveryFaultIsCarriedOut: by Lambda, by S3, by failing a cleanup, or by the
// operation, and by one of them alone; and it says what it does.
func TestEveryFaultIsCarriedOut(t *testing.T) {
	own := []*faultKind{loseAnswer, neverAnswer, lateAnswer, cancelWhileRunning}
	for _, known := range FaultKinds {
		by := 0
		for _, does := range []bool{known.lambda != "", known.s3 != "", known.cleanups > 0, slices.Contains(own, known)} {
			if does {
				by++
			}
		}
		if by != 1 || known.Does == "" || kind(known.Name) != known {
			t.Errorf("%s is carried out by %d, and does %q", known.Name, by, known.Does)
		}
	}
}
