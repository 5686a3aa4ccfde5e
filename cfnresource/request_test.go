package cfnresource_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/cfnresource/sdk-go/cfnresource"
	"github.com/cfnresource/sdk-go/physicalid"
)

// However a request is printed, its properties do not appear.
func TestRequestsPrintNoProperties(t *testing.T) {
	p := props{Name: "visible", Size: 424242, Secret: "visible"}
	r := cfnresource.Request{RequestID: "r1", StackID: stackID, LogicalID: "Topic", ResourceType: "Custom::Topic"}
	for _, req := range []any{
		&create{Request: r, Properties: p}, create{Request: r, Properties: p},
		&update{Request: r, Properties: p, OldProperties: p}, &del{Request: r, Properties: p}, &find{Request: r, Properties: p},
	} {
		var text, js bytes.Buffer
		slog.New(slog.NewTextHandler(&text, nil)).Info("m", "req", req)
		slog.New(slog.NewJSONHandler(&js, nil)).Info("m", "req", req, "in", map[string]any{"req": req})
		marshalled, err := json.Marshal(req)
		if err != nil {
			t.Error(err)
		}
		printed := []string{text.String(), js.String(), string(marshalled)}
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
			printed = append(printed, fmt.Sprintf(verb, req))
		}
		for _, s := range printed {
			if strings.Contains(s, "visible") || strings.Contains(s, "424242") {
				t.Errorf("%T is printed with its properties: %s", req, s)
			}
			if !strings.Contains(s, "Topic") {
				t.Errorf("%T is printed without its logical ID: %s", req, s)
			}
		}
	}
}

// A request that a test made by hand works.
func TestZeroRequests(t *testing.T) {
	req := &create{}
	if got := req.StableID(); physicalid.Validate(got) != nil {
		t.Errorf("StableID: %q", got)
	}
	if _, err := uuid.Parse(req.IdempotencyToken()); err != nil {
		t.Errorf("IdempotencyToken: %v", err)
	}
	if req.CreatedID() != "" {
		t.Errorf("CreatedID: %q", req.CreatedID())
	}
	req.Created("svc-1")
	req.Created("svc-2")
	if req.CreatedID() != "svc-2" {
		t.Errorf("CreatedID: %q, want the last", req.CreatedID())
	}
}

// The token is the same for every delivery of a request, another process's
// included, and another one for any other request.
func TestIdempotencyToken(t *testing.T) {
	token := func(p []byte) (tok string) {
		d := cfnresource.New(cfnresource.Action(func(_ context.Context, req *cfnresource.UpdateRequest[props]) (res data, err error) {
			tok = req.IdempotencyToken()
			return res, nil
		}), silent)
		invoke(t, d, func() []byte { return p })
		return tok
	}
	ev := created(nil)()
	want := token(ev)
	if _, err := uuid.Parse(want); err != nil {
		t.Fatal(err)
	}
	if got := token(ev); got != want {
		t.Errorf("another delivery has %s, not %s", got, want)
	}
	for name, other := range map[string]payload{
		"another request":        created(object{"RequestId": "r2"}),
		"another resource":       created(object{"LogicalResourceId": "Other"}),
		"another stack":          created(object{"StackId": stackID + "1"}),
		"other properties":       created(object{"ResourceProperties": object{"Name": "b"}}),
		"another type":           updated("svc-1", "a", "a"),
		"a RequestId used again": created(object{"age": 10 * time.Second}),
	} {
		if got := token(other()); got == want {
			t.Errorf("%s has the same token", name)
		}
	}
}

// In an event, the StableID counts what is tagged createOnly, and nothing else.
func TestStableIDOfARequest(t *testing.T) {
	id := func(fields object, optFns ...func(*cfnresource.Options)) (id string) {
		h := creates(func(_ context.Context, req *create) (data, error) { id = req.StableID(); return nil, nil })
		invoke(t, dispatcher(h, optFns...), created(fields))
		return id
	}
	want := id(nil)
	if got := id(object{"RequestId": "r2", "ResourceProperties": object{"Name": "a", "Size": "9", "ServiceTimeout": "60", "ServiceToken": "x"}}); got != want {
		t.Errorf("%s, want %s: only Name is createOnly", got, want)
	}
	if got := id(object{"ResourceProperties": object{"Name": "b"}}); got == want {
		t.Errorf("%s for another Name", got)
	}
	short := func(o *cfnresource.Options) { o.IDLength = 24 }
	if got := id(nil, short); len(got) > 24 || got[len(got)-16:] != want[len(want)-16:] {
		t.Errorf("%s, want at most 24 characters, the last 16 as in %s", got, want)
	}
}

func TestStackID(t *testing.T) {
	id := cfnresource.StackID("arn:aws-cn:cloudformation:cn-north-1:123456789012:stack/shop/1-2")
	for _, tt := range []struct{ name, got, want string }{
		{"Partition", id.Partition(), "aws-cn"}, {"Region", id.Region(), "cn-north-1"},
		{"Account", id.Account(), "123456789012"}, {"StackName", id.StackName(), "shop"},
		{"Region of nonsense", cfnresource.StackID("x:y:z").Region(), ""}, {"of another form", cfnresource.StackID("urn:a:b:c:d:e").Region(), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("%s is %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}

func TestCodeOf(t *testing.T) {
	notFound := cfnresource.Errorf(cfnresource.CodeNotFound, "gone")
	denied := cfnresource.Errorf(cfnresource.CodeAccessDenied, "no")
	tests := []struct {
		name, reason string
		err          error
		want         cfnresource.Code
	}{
		{"nil", "", nil, ""},
		{"another error", "it does not guess", errSome, ""},
		{"an Error", "", notFound, cfnresource.CodeNotFound},
		{"wrapped", "", fmt.Errorf("deleting: %w", notFound), cfnresource.CodeNotFound},
		{"an Error around one", "the outer says what it is", &cfnresource.Error{Code: cfnresource.CodeNotUpdatable, Err: notFound}, cfnresource.CodeNotUpdatable},
		{"an Error without a code", "what it wraps has one", &cfnresource.Error{Err: notFound}, cfnresource.CodeNotFound},
		{"joined, the same", "all are gone", errors.Join(notFound, fmt.Errorf("x: %w", notFound)), cfnresource.CodeNotFound},
		{"joined, different", "half a resource is not gone", errors.Join(notFound, denied), ""},
		{"joined, with an error without a code", "half a resource is not gone", errors.Join(notFound, errSome), ""},
		{"two in one Errorf", "half a resource is not gone", fmt.Errorf("%w, %w", notFound, denied), ""},
		{"AlreadyExists", "", cfnresource.AlreadyExists("x"), cfnresource.CodeAlreadyExists},
		{"a nil *Error", "it is no error of any kind", (*cfnresource.Error)(nil), ""},
	}
	for _, tt := range tests {
		if got := cfnresource.CodeOf(tt.err); got != tt.want {
			t.Errorf("%s: %q, want %q, since %s", tt.name, got, tt.want, tt.reason)
		}
	}
	if !errors.Is(cfnresource.Errorf(cfnresource.CodeNotFound, "x: %w", errSome), errSome) {
		t.Error("Errorf does not wrap")
	}
}

// StableIDOf is the StableID of a name: the same in every event of the resource
// that has it, and of the length that the others have.
func TestStableIDOf(t *testing.T) {
	var ids []string
	h := &fake{
		onCreate: func(_ context.Context, req *create) (data, error) {
			ids = append(ids, req.StableIDOf("my-bucket"), req.StableIDOf("other"))
			return nil, errSome
		},
		onDelete: func(_ context.Context, req *del) error { ids = append(ids, req.StableIDOf("my-bucket")); return nil },
	}
	short := func(o *cfnresource.Options) { o.IDLength = 30 }
	want := physicalid.Stable(stackID, "Topic", "my-bucket", 30)
	expect(t, h, created(nil), "FAILED", physicalid.Stable(stackID, "Topic", `{"Name":"a"}`, 30), short) // it was asked for
	expect(t, h, deleted("my-bucket"), "SUCCESS", "my-bucket", short)
	if len(ids) != 3 || ids[0] != want || ids[2] != want || ids[1] == want {
		t.Errorf("%q, want %q for my-bucket", ids, want)
	}
	if got := (cfnresource.Request{StackID: stackID, LogicalID: "Topic"}).StableIDOf("x"); got != physicalid.Stable(stackID, "Topic", "x", 0) {
		t.Errorf("in a request made by hand: %q", got)
	}
}
