package physicalid_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/cfnresource/sdk-go/physicalid"
)

const stackID = "arn:aws:cloudformation:us-west-2:123456789012:stack/Shop-Prod/6f1e2a70-52a7-11ee-9d3a-0e4c1f6a2b1d"

// The algorithm is fixed for ever: another ID for the same resource makes
// CloudFormation delete what exists. A failing vector is never to be updated.
func TestStableVectors(t *testing.T) {
	const uuid = "6f1e2a70-52a7-11ee-9d3a-0e4c1f6a2b1d"
	stack := func(name string) string {
		return "arn:aws:cloudformation:us-west-2:123456789012:stack/" + name + "/" + uuid
	}
	tests := []struct {
		name                         string
		stackID, logicalID, identity string
		limit                        int
		want                         string
	}{
		{"plain", stackID, "Topic", "", 0, "shop-prod-topic-555tgxcbavknjgwq"},
		{"an identity", stackID, "Topic", `{"Topic":"a"}`, 0, "shop-prod-topic-okr4v6evtjjkfds6"},
		{"another identity", stackID, "Topic", `{"Topic":"b"}`, 0, "shop-prod-topic-islgyoci7rm2dkm3"},
		{"another logical ID", stackID, "Topic2", "", 0, "shop-prod-topic2-duegv2bgbfkvfnjy"},
		{"the readable part is cut, half for each name", stack(strings.Repeat("S", 60)), strings.Repeat("L", 60), "", 0, "ssssssssssssssssssssss-lllllllllllllllllllllll-jd7u4zi4abli7cou"},
		{"a short logical ID leaves room for the stack", stack(strings.Repeat("S", 60)), "L", "", 0, "ssssssssssssssssssssssssssssssssssssssssssss-l-haznpzf6nvi4faub"},
		{"a short stack name leaves room for the logical ID", stack("S"), strings.Repeat("L", 60), "", 0, "s-llllllllllllllllllllllllllllllllllllllllllll-f3k6wa55hvknjdp7"},
		{"the smallest limit", stackID, "Topic", "", 20, "s-t-555tgxcbavknjgwq"},
		{"a limit too small is the smallest", stackID, "Topic", "", 3, "s-t-555tgxcbavknjgwq"},
		{"a limit too large is 63", stackID, "Topic", "", 1000, "shop-prod-topic-555tgxcbavknjgwq"},
		{"32, for load balancers", stackID, "Topic", "", 32, "shop-prod-topic-555tgxcbavknjgwq"},
		{"a prefix that S3 reserves", stack("sthree-shop"), "Topic", "", 0, "r-sthree-shop-topic-guhjc7fcu5iwxfcy"},
		{"a prefix that S3 reserves, by the cut", stack("amzn-s3-demo"), "Topic", "", 0, "r-amzn-s3-demo-topic-44yx3hmvzbntxjhx"},
		{"no cut ends in a hyphen", stack(strings.Repeat("ab-", 20)), "T", "", 23, "ab-a-t-qjqwzusz4voslmp7"},
		{"not an ARN", "nonsense", "Topic", "", 0, "topic-rbibvfn6grk6nfmz"},
		{"nothing at all", "", "", "", 0, "r-hnd2s5hz7fmk7f3k"},
		{"a digit first", stack("9lives"), "Topic", "", 0, "r-9lives-topic-3keobiovznitfni7"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := physicalid.Stable(tt.stackID, tt.logicalID, tt.identity, tt.limit); got != tt.want {
				t.Errorf("Stable = %q, want %q", got, tt.want)
			}
		})
	}
}

// The strictest rules of those services together: S3 buckets and DNS labels (lower case, digits,
// hyphens, at most 63), RDS (a letter first, no two hyphens in a row, none at the end).
var valid = regexp.MustCompile(`^[a-z](-?[a-z0-9])*$`)

func FuzzStableIsAValidName(f *testing.F) {
	f.Add(stackID, "Topic", "x", 63)
	f.Add("", "", "", 0)
	f.Add("arn:a:b:c:d:stack/sthree-/x", "-", "", 25)
	f.Add("arn:a:b:c:d:stack/sthreea/x", "", "", 23) // reserved once it is cut
	f.Add("arn:a:b:c:d:stack/é/x", "9", "", 20)
	f.Fuzz(func(t *testing.T, stack, logical, identity string, limit int) {
		got := physicalid.Stable(stack, logical, identity, limit)
		want := limit
		if limit == 0 || limit > 63 {
			want = 63
		}
		want = max(want, 20)
		if len(got) > want || !valid.MatchString(got) {
			t.Errorf("Stable(%q, %q, …, %d) = %q, not a name of %d characters", stack, logical, limit, got, want)
		}
		for _, prefix := range []string{"xn--", "sthree-", "amzn-s3-demo-"} {
			if strings.HasPrefix(got, prefix) {
				t.Errorf("Stable(%q, %q, …, %d) = %q, with a prefix that S3 reserves", stack, logical, limit, got)
			}
		}
		if physicalid.Generated(got, stack, logical) {
			t.Errorf("Stable(%q, %q, …, %d) = %q, which has the shape of CloudFormation's own", stack, logical, limit, got)
		}
		if err := physicalid.Validate(got); err != nil {
			t.Errorf("Stable(%q, %q, …, %d) = %q: %v", stack, logical, limit, got, err)
		}
	})
}

// Two resources that share a name are one that deletes the other.
func TestStableTellsResourcesApart(t *testing.T) {
	seen := make(map[string][]string)
	for _, args := range [][]string{
		{stackID, "A", ""}, {stackID, "B", ""}, {stackID, "A", "1"}, {stackID, "A", "2"},
		{stackID + "1", "A", ""},
		{strings.Replace(stackID, "us-west-2", "us-east-1", 1), "A", ""},
		{strings.Replace(stackID, "123456789012", "210987654321", 1), "A", ""},
		{stackID, "A1", ""}, {stackID, "A", "1,"}, {stackID + "A", "", ""}, {stackID, "", "A"},
		{stackID, "A1:1,", ""}, {stackID, "A", "1:1,"},
	} {
		id := physicalid.Stable(args[0], args[1], args[2], 20)
		if other, ok := seen[id]; ok {
			t.Errorf("%q and %q share %s", args, other, id)
		}
		seen[id] = args
	}
}
