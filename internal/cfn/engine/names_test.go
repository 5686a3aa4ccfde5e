package engine

import (
	"strings"
	"testing"
)

// TestNestedName: the names of public nested stacks without their suffixes: the parent's
// name is whole, and the logical ID is cut.
func TestNestedName(t *testing.T) {
	for _, c := range []struct{ parent, logicalID, want string }{
		{"CdkStackALBEksBg", "awscdkawseksClusterResourceProviderNestedStackawscdkawseksClusterResourceProviderNestedStackResource9827C454",
			"CdkStackALBEksBg-awscdkawseksClusterResourceProviderNestedStackawscdkawseksClusterReso"},
		{"k8s-cluster-eu-north-1", "awscdkawseksClusterResourceProviderNestedStackawscdkawseksClusterResourceProviderNestedStackResource9827C454",
			"k8s-cluster-eu-north-1-awscdkawseksClusterResourceProviderNestedStackawscdkawseksClust"},
		{"stable-diffusion-aws", "SdDBTrainStackNestedStackSdDBTrainStackNestedStackResource2C42E66E",
			"stable-diffusion-aws-SdDBTrainStackNestedStackSdDBTrainStackNestedStackResource2C42E66"},
		{"stable-diffusion-aws", "SdAsyncInferStNestedStackSdAsyncInferStNestedStackResourceD29D0642",
			"stable-diffusion-aws-SdAsyncInferStNestedStackSdAsyncInferStNestedStackResourceD29D064"},
		{"stable-diffusion-aws", "multiUserStNestedStackmultiUserStNestedStackResource15CDE68D",
			"stable-diffusion-aws-multiUserStNestedStackmultiUserStNestedStackResource15CDE68D"},
		{strings.Repeat("a", 128), "Child", strings.Repeat("a", 86)},
	} {
		got := New(c.parent, Options{Seed: 1}).Stack().nestedName(c.logicalID)
		name, suffix, cut := cutLast(got)
		if name != c.want || len(suffix) != 12 || !cut {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// cutLast cuts a text at its last hyphen.
func cutLast(s string) (before, after string, found bool) {
	i := strings.LastIndexByte(s, '-')
	return s[:max(i, 0)], s[i+1:], i >= 0
}
