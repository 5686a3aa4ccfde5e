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

	"github.com/cfnresource/sdk-go/internal/play"
	"github.com/cfnresource/sdk-go/internal/simulate"
)

// Each type here is a right handler with one fault, in how it reads its
// properties or in what it says.

// missingCreateOnly lacks a createOnly tag: Update has to move a box, which it
// cannot.
type missingCreateOnly struct {
	Room   string `cfn:"required"`
	Size   int
	Frozen bool
}

func (p missingCreateOnly) box() boxProps {
	return boxProps{Room: p.Room, Size: p.Size, Frozen: p.Frozen}
}

var _ = wrong(wrongHandler{
	name:    "missingCreateOnly",
	process: func(d *depot) simulate.Function { return process(namedOf[missingCreateOnly]{d}) },
	adapt: func(c *play.Contract) {
		c.Properties = missingCreateOnly{Room: "hall", Size: 10, Frozen: true}
		c.InPlace = missingCreateOnly{Room: "hall", Size: 60}
		c.Replacing = missingCreateOnly{Room: "cellar", Size: 10, Frozen: true}
		c.Refused = missingCreateOnly{Room: "hall", Size: 100}
	},
	checks: []string{"update-replaces"}, explored: "v0 v2",
})

// extraCreateOnly has a createOnly tag too many: it replaces a box that Update could
// change.
type extraCreateOnly struct {
	Room   string `cfn:"createOnly,required"`
	Size   int    `cfn:"createOnly"`
	Frozen bool
}

func (p extraCreateOnly) box() boxProps {
	return boxProps{Room: p.Room, Size: p.Size, Frozen: p.Frozen}
}

var _ = wrong(wrongHandler{
	name:    "extraCreateOnly",
	process: func(d *depot) simulate.Function { return process(namedOf[extraCreateOnly]{d}) },
	adapt: func(c *play.Contract) {
		c.Properties = extraCreateOnly{Room: "hall", Size: 10, Frozen: true}
		c.InPlace = extraCreateOnly{Room: "hall", Size: 60}
		c.Replacing = extraCreateOnly{Room: "cellar", Size: 10, Frozen: true}
		c.Refused = extraCreateOnly{Room: "hall", Size: 100}
	},
	checks: []string{"update-keeps-id"}, explored: "v0 v1",
})

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

var _ = wrong(wrongHandler{
	name:    "numbersOnly",
	process: func(d *depot) simulate.Function { return process(namedOf[numbersOnly]{d}) },
	adapt: func(c *play.Contract) {
		c.Properties = numbersOnly{Room: "hall", Size: 10, Frozen: true}
		c.InPlace = numbersOnly{Room: "hall", Size: 60}
		c.Replacing = numbersOnly{Room: "cellar", Size: 10, Frozen: true}
		c.Refused = nil // it would read it as a size of 0
	},
	checks: []string{"stringified-properties"},
	why:    "all events in a history have strings",
})

// untypedBool compares with true what arrives as "true".
type untypedBool struct {
	Room   string `cfn:"createOnly,required"`
	Size   int
	Frozen any
}

func (p untypedBool) box() boxProps {
	return boxProps{Room: p.Room, Size: p.Size, Frozen: p.Frozen == true}
}

var _ = wrong(wrongHandler{
	name:    "untypedBool",
	process: func(d *depot) simulate.Function { return process(namedOf[untypedBool]{d}) },
	adapt: func(c *play.Contract) {
		c.Properties = untypedBool{Room: "hall", Size: 10, Frozen: true}
		c.InPlace = untypedBool{Room: "hall", Size: 60, Frozen: false}
		c.Replacing = untypedBool{Room: "cellar", Size: 10, Frozen: true}
		c.Refused = untypedBool{Room: "hall", Size: 100, Frozen: true}
	},
	checks: []string{"stringified-properties"},
	why:    "all events in a history have strings",
})

// returnsTooMuchData returns more Data than an answer can hold, once its box is
// large.
type returnsTooMuchData struct{ named }

func (h returnsTooMuchData) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.named.Update(ctx, req)
	if req.Properties.Size > 50 {
		data.Key += strings.Repeat("*", 5000)
	}
	return data, err
}

var _ = wrong(wrongHandler{
	name:    "returnsTooMuchData",
	process: func(d *depot) simulate.Function { return process(returnsTooMuchData{named{d}}) },
	checks: []string{
		"answer-fits",
		"update-keeps-id",
	}, explored: "v0 v1",
})

// updateReturnsNoData returns no Data from an Update.
type updateReturnsNoData struct{ named }

func (h updateReturnsNoData) Update(ctx context.Context, req *updating) (data boxData, err error) {
	_, err = h.named.Update(ctx, req)
	return data, err
}

var _ = wrong(wrongHandler{
	name:    "updateReturnsNoData",
	process: func(d *depot) simulate.Function { return process(updateReturnsNoData{named{d}}) },
	checks:  []string{"data-same-after-update", "create-died-half-way-is-finished"},
	why:     "nothing in a history reads Data",
})

// logsProperties logs the properties.
type logsProperties struct{ named }

func (h logsProperties) Create(ctx context.Context, req *creation) (boxData, error) {
	log.Printf("creating a box from %+v", req.Properties)
	return h.named.Create(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "logsProperties",
	process: func(d *depot) simulate.Function { return process(logsProperties{named{d}}) },
	checks:  []string{"secrets-stay-out-of-log"},
	why:     "what is said does nothing to a stack",
})

// leaksEncodedSecret quotes a secret in an error, encoded so that nothing redacts
// it.
type leaksEncodedSecret struct{ named }

func (h leaksEncodedSecret) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if err != nil {
		secret := base32.StdEncoding.EncodeToString([]byte(req.Properties.Password))
		err = fmt.Errorf("the box of %s: %w", secret, err)
	}
	return data, err
}

var _ = wrong(wrongHandler{
	name:    "leaksEncodedSecret",
	process: func(d *depot) simulate.Function { return process(leaksEncodedSecret{named{d}}) },
	checks:  []string{"secrets-stay-out-of-log"},
	why:     "what is said does nothing to a stack",
})

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

var _ = wrong(wrongHandler{
	name:    "returnsSecretAsPlainData",
	process: func(d *depot) simulate.Function { return process(returnsSecretAsPlainData{named{d}}) },
	checks:  []string{"secrets-stay-out-of-log"},
	why:     "what is said does nothing to a stack",
})

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

var _ = wrong(wrongHandler{
	name:    "returnsTime",
	process: func(d *depot) simulate.Function { return process(returnsTime{named{d}}) },
	checks:  []string{"data-same-after-update"},
	why:     "nothing in a history reads Data",
})

// printsSecret prints a secret on standard error, which Lambda logs.
type printsSecret struct{ named }

func (h printsSecret) Create(ctx context.Context, req *creation) (boxData, error) {
	_, _ = fmt.Fprintf(os.Stderr, "creating a box for %s\n", req.Properties.Password)
	return h.named.Create(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "printsSecret",
	process: func(d *depot) simulate.Function { return process(printsSecret{named{d}}) },
	checks:  []string{"secrets-stay-out-of-log"},
	why:     "what is said does nothing to a stack",
})
