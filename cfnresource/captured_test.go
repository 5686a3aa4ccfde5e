package cfnresource_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cfnresource/sdk-go/cfnresource"
)

// Real events, and the answers to them that CloudFormation accepted: a handler
// that does what theirs did is answered for as theirs was.
func TestCapturedEvents(t *testing.T) {
	type observed struct {
		Message string
		Count   int
	}
	type echo struct {
		Echo        string
		Count       int
		RequestType string
	}
	const id = "voker-cloudformation-observed-resource"
	var got []observed
	h := &funcs[observed, echo]{
		create: func(req *cfnresource.CreateRequest[observed]) echo {
			got = append(got, req.Properties)
			return echo{req.Properties.Message, req.Properties.Count, "Create"}
		},
		update: func(req *cfnresource.UpdateRequest[observed]) echo {
			got = append(got, req.Properties, req.OldProperties)
			return echo{req.Properties.Message, req.Properties.Count, "Update"}
		},
		remove: func(req *cfnresource.DeleteRequest[observed]) { got = append(got, req.Properties) },
		id:     id,
	}
	d := cfnresource.New(h, silent)
	for _, name := range []string{"create", "update", "delete"} {
		request, err := os.ReadFile("testdata/captured/" + name + "-request.json")
		if err != nil {
			t.Fatal(err)
		}
		accepted, err := os.ReadFile("testdata/captured/" + name + "-response.json")
		if err != nil {
			t.Fatal(err)
		}
		var want answer
		if err := json.Unmarshal(accepted, &want); err != nil {
			t.Fatal(err)
		}
		if name == "delete" {
			want.Data = nil // not supported in the answer to a Delete, which theirs sent all the same
		}
		if diff := cmp.Diff(want, invoke(t, d, func() []byte { return request })); diff != "" {
			t.Errorf("%s (-accepted +ours):\n%s", name, diff)
		}
	}
	first, second := observed{"hello from CloudFormation", 7}, observed{"updated from CloudFormation", 11}
	if diff := cmp.Diff([]observed{first, second, first, second}, got); diff != "" {
		t.Errorf("properties (-want +got):\n%s", diff)
	}
}

// funcs is a Handler of three functions.
type funcs[P, D any] struct {
	create func(*cfnresource.CreateRequest[P]) D
	update func(*cfnresource.UpdateRequest[P]) D
	remove func(*cfnresource.DeleteRequest[P])
	id     string
}

func (f *funcs[P, D]) Create(_ context.Context, req *cfnresource.CreateRequest[P]) (D, error) {
	req.Created(f.id)
	return f.create(req), nil
}

func (f *funcs[P, D]) Update(_ context.Context, req *cfnresource.UpdateRequest[P]) (D, error) {
	return f.update(req), nil
}

func (f *funcs[P, D]) Delete(_ context.Context, req *cfnresource.DeleteRequest[P]) error {
	f.remove(req)
	return nil
}
