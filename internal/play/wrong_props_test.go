package play_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"strings"
)

// Each type here is a right handler but for one fault, in how it reads its
// properties or in what it says.

// movableProps lack a tag: Update is asked to do what a box cannot.
type movableProps struct {
	Room   string `cfn:"required"`
	Size   int
	Frozen bool
}

func (p movableProps) box() boxProps { return boxProps{Room: p.Room, Size: p.Size, Frozen: p.Frozen} }

// fixedProps have a tag too many: what an Update could change replaces the box.
type fixedProps struct {
	Room   string `cfn:"createOnly,required"`
	Size   int    `cfn:"createOnly"`
	Frozen bool
}

func (p fixedProps) box() boxProps { return boxProps{Room: p.Room, Size: p.Size, Frozen: p.Frozen} }

// nativeProps take only numbers for a number, and template's are strings.
type nativeProps struct {
	Room   string `cfn:"createOnly,required"`
	Size   native
	Frozen bool
}

type native int

func (n *native) UnmarshalJSON(text []byte) error {
	var i any
	err := json.Unmarshal(text, &i)
	if f, ok := i.(float64); ok {
		*n = native(f)
	}
	return err
}

func (p nativeProps) box() boxProps {
	return boxProps{Room: p.Room, Size: int(p.Size), Frozen: p.Frozen}
}

// looseProps compare with a truth what arrives as "true".
type looseProps struct {
	Room   string `cfn:"createOnly,required"`
	Size   int
	Frozen any
}

func (p looseProps) box() boxProps {
	return boxProps{Room: p.Room, Size: p.Size, Frozen: p.Frozen == true}
}

// talkative returns more Data than an answer holds, once its box is large.
type talkative struct{ named }

func (h talkative) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.named.Update(ctx, req)
	if req.Properties.Size > 50 {
		data.Key += strings.Repeat("*", 5000)
	}
	return data, err
}

// taciturn returns no Data from an Update.
type taciturn struct{ named }

func (h taciturn) Update(ctx context.Context, req *updating) (data boxData, err error) {
	_, err = h.named.Update(ctx, req)
	return data, err
}

// printing prints the properties.
type printing struct{ named }

func (h printing) Create(ctx context.Context, req *creation) (boxData, error) {
	log.Printf("creating a box from %+v", req.Properties)
	return h.named.Create(ctx, req)
}

// encoding quotes a secret in an error, in a form in which nobody strikes it
// out.
type encoding struct{ named }

func (h encoding) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if err != nil {
		secret := base64.StdEncoding.EncodeToString([]byte(req.Properties.Password))
		err = fmt.Errorf("the box of %s: %w", secret, err)
	}
	return data, err
}

// plainData lack the tag that keeps their secret out of sight.
type plainData struct{ Key string }

// publishing returns a secret as if it were none.
type publishing struct{ named }

func (h publishing) Create(ctx context.Context, req *creation) (plainData, error) {
	data, err := h.named.Create(ctx, req)
	return plainData(data), err
}

func (h publishing) Update(ctx context.Context, req *updating) (plainData, error) {
	data, err := h.named.Update(ctx, req)
	return plainData(data), err
}
