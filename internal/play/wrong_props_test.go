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

var _ = wrong(wrongHandler{
	name:    "movableProps",
	process: func(d *depot) play.Function { return process(namedOf[movableProps]{d}) },
	adapt: func(c *play.Contract) {
		c.Properties = movableProps{Room: "hall", Size: 10, Frozen: true}
		c.InPlace = movableProps{Room: "hall", Size: 60}
		c.Replacing = movableProps{Room: "cellar", Size: 10, Frozen: true}
		c.Refused = movableProps{Room: "hall", Size: 100}
	},
	checks: []string{"update-replaces"}, explored: "v0 v2",
})

// fixedProps have a tag too many: what an Update could change replaces the box.
type fixedProps struct {
	Room   string `cfn:"createOnly,required"`
	Size   int    `cfn:"createOnly"`
	Frozen bool
}

func (p fixedProps) box() boxProps { return boxProps{Room: p.Room, Size: p.Size, Frozen: p.Frozen} }

var _ = wrong(wrongHandler{
	name:    "fixedProps",
	process: func(d *depot) play.Function { return process(namedOf[fixedProps]{d}) },
	adapt: func(c *play.Contract) {
		c.Properties = fixedProps{Room: "hall", Size: 10, Frozen: true}
		c.InPlace = fixedProps{Room: "hall", Size: 60}
		c.Replacing = fixedProps{Room: "cellar", Size: 10, Frozen: true}
		c.Refused = fixedProps{Room: "hall", Size: 100}
	},
	checks: []string{"update-keeps-id"}, explored: "v0 v1",
})

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

var _ = wrong(wrongHandler{
	name:    "nativeProps",
	process: func(d *depot) play.Function { return process(namedOf[nativeProps]{d}) },
	adapt: func(c *play.Contract) {
		c.Properties = nativeProps{Room: "hall", Size: 10, Frozen: true}
		c.InPlace = nativeProps{Room: "hall", Size: 60}
		c.Replacing = nativeProps{Room: "cellar", Size: 10, Frozen: true}
		c.Refused = nil // it would read it as a size of 0
	},
	checks: []string{"stringified-properties"},
	why:    "all events in a history have strings",
})

// looseProps compare with a truth what arrives as "true".
type looseProps struct {
	Room   string `cfn:"createOnly,required"`
	Size   int
	Frozen any
}

func (p looseProps) box() boxProps {
	return boxProps{Room: p.Room, Size: p.Size, Frozen: p.Frozen == true}
}

var _ = wrong(wrongHandler{
	name:    "looseProps",
	process: func(d *depot) play.Function { return process(namedOf[looseProps]{d}) },
	adapt: func(c *play.Contract) {
		c.Properties = looseProps{Room: "hall", Size: 10, Frozen: true}
		c.InPlace = looseProps{Room: "hall", Size: 60, Frozen: false}
		c.Replacing = looseProps{Room: "cellar", Size: 10, Frozen: true}
		c.Refused = looseProps{Room: "hall", Size: 100, Frozen: true}
	},
	checks: []string{"stringified-properties"},
	why:    "all events in a history have strings",
})

// talkative returns more Data than an answer holds, once its box is large.
type talkative struct{ named }

func (h talkative) Update(ctx context.Context, req *updating) (boxData, error) {
	data, err := h.named.Update(ctx, req)
	if req.Properties.Size > 50 {
		data.Key += strings.Repeat("*", 5000)
	}
	return data, err
}

var _ = wrong(wrongHandler{
	name:    "talkative",
	process: func(d *depot) play.Function { return process(talkative{named{d}}) },
	checks: []string{
		"answer-fits",
		"update-keeps-id",
	}, explored: "v0 v1",
})

// taciturn returns no Data from an Update.
type taciturn struct{ named }

func (h taciturn) Update(ctx context.Context, req *updating) (data boxData, err error) {
	_, err = h.named.Update(ctx, req)
	return data, err
}

var _ = wrong(wrongHandler{
	name:    "taciturn",
	process: func(d *depot) play.Function { return process(taciturn{named{d}}) },
	checks:  []string{"data-same-after-update"},
	why:     "nothing in a history reads Data",
})

// printing prints the properties.
type printing struct{ named }

func (h printing) Create(ctx context.Context, req *creation) (boxData, error) {
	log.Printf("creating a box from %+v", req.Properties)
	return h.named.Create(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "printing",
	process: func(d *depot) play.Function { return process(printing{named{d}}) },
	checks:  []string{"secrets-stay-out-of-log"},
	why:     "what is said does nothing to a stack",
})

// encoding quotes a secret in an error, in a form in which nobody redacts it

// out.
type encoding struct{ named }

func (h encoding) Create(ctx context.Context, req *creation) (boxData, error) {
	data, err := h.named.Create(ctx, req)
	if err != nil {
		secret := base32.StdEncoding.EncodeToString([]byte(req.Properties.Password))
		err = fmt.Errorf("the box of %s: %w", secret, err)
	}
	return data, err
}

var _ = wrong(wrongHandler{
	name:    "encoding",
	process: func(d *depot) play.Function { return process(encoding{named{d}}) },
	checks:  []string{"secrets-stay-out-of-log"},
	why:     "what is said does nothing to a stack",
})

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

var _ = wrong(wrongHandler{
	name:    "publishing",
	process: func(d *depot) play.Function { return process(publishing{named{d}}) },
	checks:  []string{"secrets-stay-out-of-log"},
	why:     "what is said does nothing to a stack",
})

// dated returns the time as Data.
type dated struct{ named }

func (h dated) Update(ctx context.Context, req *updating) (boxData, error) {
	_, err := h.named.Update(ctx, req)
	return boxData{Key: time.Now().Format(time.RFC3339)}, err
}

func (h dated) Create(ctx context.Context, req *creation) (boxData, error) {
	_, err := h.named.Create(ctx, req)
	return boxData{Key: time.Now().Format(time.RFC3339)}, err
}

var _ = wrong(wrongHandler{
	name:    "dated",
	process: func(d *depot) play.Function { return process(dated{named{d}}) },
	checks:  []string{"data-same-after-update"},
	why:     "nothing in a history reads Data",
})

// shouting prints what it makes, secrets among it, where Lambda logs it.
type shouting struct{ named }

func (h shouting) Create(ctx context.Context, req *creation) (boxData, error) {
	_, _ = fmt.Fprintf(os.Stderr, "creating a box for %s\n", req.Properties.Password)
	return h.named.Create(ctx, req)
}

var _ = wrong(wrongHandler{
	name:    "shouting",
	process: func(d *depot) play.Function { return process(shouting{named{d}}) },
	checks:  []string{"secrets-stay-out-of-log"},
	why:     "what is said does nothing to a stack",
})
