package play_test

import (
	"context"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"
	"time"
)

// Each type here is a right handler with one fault, in how it reads its
// properties or in what it says.

// missingCreateOnly lacks a createOnly tag: Update has to move a box, which it cannot.
type missingCreateOnly struct {
	Room   string `cfn:"required"`
	Size   int
	Frozen bool
}

func (p missingCreateOnly) box() boxProps {
	return boxProps{Room: p.Room, Size: p.Size, Frozen: p.Frozen}
}

var _ = wrongProps(func(p boxProps) missingCreateOnly { return missingCreateOnly{p.Room, p.Size, p.Frozen} },
	explored("v0 v2"), "update-replaces")

// extraCreateOnly has a createOnly tag too many: it replaces a box that Update could change.
type extraCreateOnly struct {
	Room   string `cfn:"createOnly,required"`
	Size   int    `cfn:"createOnly"`
	Frozen bool
}

func (p extraCreateOnly) box() boxProps {
	return boxProps{Room: p.Room, Size: p.Size, Frozen: p.Frozen}
}

var _ = wrongProps(func(p boxProps) extraCreateOnly { return extraCreateOnly{p.Room, p.Size, p.Frozen} },
	explored("v0 v1"), "update-keeps-id")

// numbersOnly accepts only JSON numbers, and CloudFormation sends strings.
type numbersOnly struct {
	Room   string `cfn:"createOnly,required"`
	Size   strictNumber
	Frozen bool
}

type strictNumber int

func (n *strictNumber) UnmarshalJSON(text []byte) error {
	var i any
	err := json.Unmarshal(text, &i)
	if f, ok := i.(float64); ok {
		*n = strictNumber(f)
	}
	return err
}

func (p numbersOnly) box() boxProps {
	return boxProps{Room: p.Room, Size: int(p.Size), Frozen: p.Frozen}
}

var _ = wrongProps(func(p boxProps) numbersOnly { return numbersOnly{p.Room, strictNumber(p.Size), p.Frozen} },
	explored("refused"),
	"stringified-properties",
	"create-failed-nothing-left", // Refused is read as a size of 0
	"update-failed-then-rollback",
)

// untypedBool compares with true what arrives as "true".
type untypedBool struct {
	Room   string `cfn:"createOnly,required"`
	Size   int
	Frozen any
}

func (p untypedBool) box() boxProps {
	return boxProps{Room: p.Room, Size: p.Size, Frozen: p.Frozen == true}
}

var _ = wrongProps(func(p boxProps) untypedBool { return untypedBool{p.Room, p.Size, p.Frozen} },
	unexplored("all events in a history have strings"), "stringified-properties")

// returnsTooMuchData returns more Data than an answer can hold, once its box is large.
type returnsTooMuchData struct{ named }

func (h returnsTooMuchData) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.named.Update(ctx, req)
	if req.Properties.Size > 50 {
		data.Key += strings.Repeat("*", 5000)
	}
	return data, err
}

var _ = wrong(func(d *depot) returnsTooMuchData { return returnsTooMuchData{named{d}} },
	explored("v0 v1"),
	"answer-fits",
	"update-keeps-id",
)

// updateReturnsNoData returns no Data from an Update.
type updateReturnsNoData struct{ named }

func (h updateReturnsNoData) Update(ctx context.Context, req *updating) (data boxData, err error) {
	_, err = h.named.Update(ctx, req)
	return data, err
}

var _ = wrong(func(d *depot) updateReturnsNoData { return updateReturnsNoData{named{d}} },
	unexplored("nothing in a history reads Data"),
	"data-same-after-update",
	"create-died-half-way-is-finished",
)

// logsProperties logs the properties.
type logsProperties struct{ named }

func (h logsProperties) Create(ctx context.Context, req *creation) (boxData, error) {
	log.Printf("creating a box from %+v", req.Properties)
	return h.named.Create(ctx, req)
}

var _ = wrong(func(d *depot) logsProperties { return logsProperties{named{d}} },
	unexplored("what is said does nothing to a stack"), "secrets-stay-out-of-log")

// leaksEncodedSecret quotes a secret in an error, encoded so that nothing redacts it.
type leaksEncodedSecret struct{ named }

func (h leaksEncodedSecret) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if err != nil {
		secret := base32.StdEncoding.EncodeToString([]byte(req.Properties.Password))
		err = fmt.Errorf("the box of %s: %w", secret, err)
	}
	return data, err
}

var _ = wrong(func(d *depot) leaksEncodedSecret { return leaksEncodedSecret{named{d}} },
	unexplored("what is said does nothing to a stack"), "secrets-stay-out-of-log")

// plainData lack the tag that keeps their secret out of sight.
type plainData struct{ Key string }

// returnsSecretAsPlainData returns a secret without NoEcho.
type returnsSecretAsPlainData struct{ named }

func (h returnsSecretAsPlainData) Create(ctx context.Context, req *creation) (plainData, error) {
	data, err := h.named.Create(ctx, req)
	return plainData(data), err
}

func (h returnsSecretAsPlainData) Update(ctx context.Context, req *updating) (plainData, error) {
	data, err := h.named.Update(ctx, req)
	return plainData(data), err
}

var _ = wrong(func(d *depot) returnsSecretAsPlainData { return returnsSecretAsPlainData{named{d}} },
	unexplored("what is said does nothing to a stack"), "secrets-stay-out-of-log")

// returnsTime returns the time as Data.
type returnsTime struct{ named }

func (h returnsTime) Update(ctx context.Context, req *updating) (boxData, error) {
	_, err := h.named.Update(ctx, req)
	return boxData{Key: time.Now().Format(time.RFC3339)}, err
}

func (h returnsTime) Create(ctx context.Context, req *creation) (boxData, error) {
	_, err := h.named.Create(ctx, req)
	return boxData{Key: time.Now().Format(time.RFC3339)}, err
}

var _ = wrong(func(d *depot) returnsTime { return returnsTime{named{d}} },
	unexplored("nothing in a history reads Data"), "data-same-after-update")

// printsSecret prints a secret on standard error, which Lambda logs.
type printsSecret struct{ named }

func (h printsSecret) Create(ctx context.Context, req *creation) (boxData, error) {
	_, _ = fmt.Fprintf(os.Stderr, "creating a box for %s\n", req.Properties.Password)
	return h.named.Create(ctx, req)
}

var _ = wrong(func(d *depot) printsSecret { return printsSecret{named{d}} },
	unexplored("what is said does nothing to a stack"), "secrets-stay-out-of-log")
