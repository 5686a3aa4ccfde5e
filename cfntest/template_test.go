package cfntest_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfntest"
)

// sent deploys templates one after the other, and returns the requests about
// the handler's resources, in words.
func sent(t *testing.T, templates ...cfntest.Template) (requests []cfntest.StackRequest) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := cfntest.NewStack(t, cfntest.Service{Function: func() cfntest.Function { return invokeFunc(answer) }})
		for _, template := range templates {
			s.Deploy(template)
		}
		s.Destroy()
		requests = s.Requests()
	})
	return requests
}

func names(requests []cfntest.StackRequest) (all []string) {
	for _, r := range requests {
		all = append(all, r.Type+" "+r.LogicalID)
	}
	return all
}

// Properties arrive as the event builder sends them.
func TestTemplateProperties(t *testing.T) {
	type props struct {
		Wait  time.Duration
		Count int
		Deep  map[string]any
	}
	for _, test := range []struct {
		name     string
		resource cfntest.Resource
		want     map[string]any
	}{
		{"none", cfntest.Resource{}, map[string]any{}},
		{
			"a struct", cfntest.Resource{Properties: props{Wait: 90 * time.Second, Count: 3, Deep: map[string]any{"On": true, "None": nil, "List": []any{1, nil, "x"}}}},
			map[string]any{"Wait": "1m30s", "Count": "3", "Deep": map[string]any{"On": "true", "List": []any{"1", "x"}}},
		},
		{"a map", cfntest.Resource{Properties: map[string]any{"A": 1.5, "B": nil}}, map[string]any{"A": "1.5"}},
		{"a timeout", cfntest.Resource{ServiceTimeout: 30}, map[string]any{"ServiceTimeout": "30"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := sent(t, cfntest.Template{"R": test.resource})
			if diff := cmp.Diff(test.want, r[0].Properties); diff != "" {
				t.Errorf("properties (-want +got):\n%s", diff)
			}
			if r[0].ResourceType != "Custom::Resource" {
				t.Errorf("its type is %q", r[0].ResourceType)
			}
		})
	}
}

// Properties that no template can hold are a mistake like that in CreateEvent.
func TestTemplatePropertiesPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, service := library()
		s := cfntest.NewStack(t, service)
		defer func() {
			if recover() == nil {
				t.Error("a list for properties was sent")
			}
		}()
		s.Deploy(cfntest.Template{"R": {Properties: []string{"A"}}})
	})
}

// What depends on another resource is created after it, and deleted before. Only the types that CloudFormation knows as such are
// the handler's.
func TestTemplateRequests(t *testing.T) {
	for name, test := range map[string]struct {
		template cfntest.Template
		want     []string
	}{
		"an order": {
			cfntest.Template{"A": {DependsOn: []string{"B", "C"}}, "B": {DependsOn: []string{"C"}}, "C": {}, "S": {Type: "AWS::SNS::Topic"}},
			[]string{"Create C", "Create B", "Create A", "Delete A", "Delete B", "Delete C"},
		},
		"a policy": {cfntest.Template{"A": {DeletionPolicy: "Retain"}, "B": {}}, []string{"Create A", "Create B", "Delete B"}},
		"types": {
			cfntest.Template{"A": {Type: "Custom::A"}, "B": {Type: "AWS::CloudFormation::CustomResource"}, "C": {Type: "AWS::CloudFormation::WaitConditionHandle"}},
			[]string{"Create A", "Create B", "Delete B", "Delete A"},
		},
	} {
		if got := names(sent(t, test.template)); !cmp.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// What a replacement replaces is retained on request.
func TestTemplateReplacePolicy(t *testing.T) {
	for policy, want := range map[string]int{"": 1, "Retain": 2} {
		synctest.Test(t, func(t *testing.T) {
			shelf, service := library()
			s := cfntest.NewStack(t, service)
			for _, title := range []string{"Emma", "Lady Susan"} {
				s.Deploy(cfntest.Template{"Book": {Properties: bookProps{Title: title}, UpdateReplacePolicy: policy}})
			}
			if got := shelf.names(); len(got) != want {
				t.Errorf("with the UpdateReplacePolicy %q there is %v, want %d", policy, got, want)
			}
		})
	}
}

// A stand-in that is to fail no more is updated.
func TestTemplateFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := cfntest.NewStack(t, cfntest.Service{Function: func() cfntest.Function { return invokeFunc(answer) }})
		standIn := func(fails string) cfntest.Template {
			return cfntest.Template{"R": {}, "S": {Type: "AWS::SNS::Topic", Fails: fails}}
		}
		for _, step := range []struct{ fails, want string }{
			{"", "CREATE_COMPLETE"}, {"no more", "UPDATE_ROLLBACK_COMPLETE"}, {"no more", "UPDATE_ROLLBACK_COMPLETE"},
		} {
			if got := s.Deploy(standIn(step.fails)); got != step.want {
				t.Errorf("with %q it ends in %s, want %s", step.fails, got, step.want)
			}
		}
		if got := s.Destroy(); got != "DELETE_COMPLETE" {
			t.Errorf("it ends in %s", got)
		}
	})
}
