package local

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/internal/cfn/engine"
)

func TestParseFault(t *testing.T) {
	for text, want := range map[string]Fault{
		"lose":                   {Name: "lose", Nth: 1},
		"lose@*":                 {Name: "lose", Nth: 1},
		"lose@Create":            {Name: "lose", Request: "Create", Nth: 1},
		"s3-503@Hook.Update#2":   {Name: "s3-503", Resource: "Hook", Request: "Update", Nth: 2},
		"lose@A.B2.Hook.Create":  {Name: "lose", Resource: "A.B2.Hook", Request: "Create", Nth: 1},
		"redeliver@*#*":          {Name: "redeliver"},
		"late@Hook.*~25%":        {Name: "late", Resource: "Hook", Percent: 25},
		"cleanup-fails-3@Delete": {Name: "cleanup-fails-3", Request: "Delete", Nth: 1},
	} {
		if got, err := ParseFault(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "@", "explode", "lose@", "lose@Replace", "lose@Create#0", "lose@Create#", "lose@.Create", "lose@A..Create", "lose@Create~0%", "lose@Create~101%", "lose@Create~5", "lose@Create#1~5%", "lose ", "LOSE"} {
		if got, err := ParseFault(text); err == nil {
			t.Errorf("%q is %+v, want an error", text, got)
		}
	}
}

func FuzzParseFault(f *testing.F) {
	for _, known := range FaultNames {
		f.Add(known.Name + "@Hook.Update#2")
	}
	f.Add("lose@*~25%")
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
		all = append(all, f.forResource(q, q.LogicalID, cleanup))
	}
	return all
}

func TestFaultsChooseRequests(t *testing.T) {
	requests := []*engine.Request{request("Create", "A"), request("Create", "B"), request("Update", "A"), request("Create", "A")}
	for _, test := range []struct {
		fault string
		want  [][]string
	}{
		{"lose", [][]string{{"lose"}, nil, nil, nil}},
		{"lose@Update", [][]string{nil, nil, {"lose"}, nil}},
		{"lose@Create#2", [][]string{nil, {"lose"}, nil, nil}},
		{"lose@A.Create#2", [][]string{nil, nil, nil, {"lose"}}},
		{"lose@A.*#*", [][]string{{"lose"}, nil, {"lose"}, {"lose"}}},
		{"lose@*~100%", [][]string{{"lose"}, {"lose"}, {"lose"}, {"lose"}}},
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
	once, again, other := ask(t, 7, []string{"late@*~25%"}, false, requests...), ask(t, 7, []string{"late@*~25%"}, false, requests...), ask(t, 8, []string{"late@*~25%"}, false, requests...)
	if diff := cmp.Diff(once, again); diff != "" {
		t.Errorf("the same seed differs:\n%s", diff)
	}
	if n := hits(once); n < 25 || n > 75 || cmp.Equal(once, other) {
		t.Errorf("%d of 200 at 25%%, equal to another seed's: %t", n, cmp.Equal(once, other))
	}
}

// Every fault is one that somebody carries out.
func TestEveryFaultIsCarriedOut(t *testing.T) {
	own := []string{"lose", "never-answer", "late", "cancel", "cleanup-fails-1", "cleanup-fails-2", "cleanup-fails-3"}
	for _, known := range FaultNames {
		_, bucket := bucketFaults[known.Name]
		_, host := hostFaults[known.Name]
		if !bucket && !host && !slices.Contains(own, known.Name) {
			t.Errorf("nobody carries out %s", known.Name)
		}
	}
}
